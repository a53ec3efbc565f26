import { Console } from "node:console";
import { version } from "../../package.json";
import { serveMcpStdio } from "../../server/transports/mcp/mcp.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../exit-codes.ts";
import { openApp, openLog } from "../open-app.ts";
import { Interruption, type Terminal } from "../terminal.ts";

/** Serves one agent over standard input and output, until it leaves. */
export async function mcp(options: CommonOptions, terminal: Terminal): Promise<number> {
  // Standard output belongs to the protocol; what a package has to say goes to the other stream.
  globalThis.console = new Console(terminal.stderr);
  const log = openLog(terminal, options, "warn");
  await using app = openApp(terminal, { log });
  const { stdin: input, stdout: output, signal } = terminal;
  await serveMcpStdio({ app, version, log, input, output, signal });
  return signal.reason instanceof Interruption ? signal.reason.exitCode : exitCodes.ok;
}
