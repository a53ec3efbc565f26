import { once } from "node:events";
import { version } from "../../package.json";
import { loadConfig } from "../../server/config/config.ts";
import { serveHttp } from "../../server/transports/http/http.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { limitHeapGrowth } from "../heap-growth.ts";
import { jsonText } from "../output/json.ts";
import { configLocation, openApp, openLog } from "../app/open-app.ts";
import { prepareProject } from "../app/prepare-project.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { announceServer } from "../app/server-file.ts";
import { Interruption, type Terminal, write } from "../terminal.ts";
import { watchConfig } from "../app/watch-config.ts";

/** Options of `citewell serve`. */
export interface ServeOptions extends CommonOptions {
  port: number;
}

/** Serves until it is interrupted. The address goes to standard output, for people and for scripts. */
export async function serve(options: ServeOptions, terminal: Terminal): Promise<number> {
  limitHeapGrowth();
  const log = openLog(terminal, options, "info");
  const { dataDirectory } = await loadConfig(configLocation(terminal));
  await using app = openApp(terminal, { log, followsFolders: true });
  // From now on a file that is broken later does not stop the server.
  await app.reloadConfig({});
  const watchResources = watchConfig(configLocation(terminal));
  await using server = await serveHttp({ app, version, port: options.port, log, watchResources });
  const { cwd: folder, env } = terminal;
  await using _file = await announceServer(dataDirectory, { port: server.port, version, folder, env, log });
  const url = `http://127.0.0.1:${server.port}`;
  await write(terminal.stdout, options.json === true ? jsonText({ url, port: server.port }) : `listening on ${url}\n`);
  prepareProject(app, { log });
  if (!terminal.signal.aborted) await once(terminal.signal, "abort");
  const { reason } = terminal.signal;
  return reason instanceof Interruption ? reason.exitCode : exitCodes.failure;
}
