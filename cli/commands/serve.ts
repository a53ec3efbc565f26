import { once } from "node:events";
import { version } from "../../package.json";
import { serveHttp } from "../../server/transports/http/http.ts";
import { exitCodes } from "../exit-codes.ts";
import { jsonText } from "../json.ts";
import { openApp, openLog } from "../open-app.ts";
import type { CommonOptions } from "../program.ts";
import { Interruption, type Terminal, write } from "../terminal.ts";

export interface ServeOptions extends CommonOptions {
  port: number;
}

/** Serves until it is interrupted. The address goes to standard output, for people and for scripts. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  const log = openLog(terminal, options, "info");
  await using app = openApp(terminal, { log });
  await using server = await serveHttp({ app, version, port: options.port, log });
  const url = `http://127.0.0.1:${server.port}`;
  await write(terminal.stdout, options.json === true ? jsonText({ url, port: server.port }) : `listening on ${url}\n`);
  if (!terminal.signal.aborted) await once(terminal.signal, "abort");
  const { reason } = terminal.signal;
  return reason instanceof Interruption ? reason.exitCode : exitCodes.failure;
}
