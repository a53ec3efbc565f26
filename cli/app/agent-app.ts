import type { Log } from "../../server/lib/log.ts";
import type { Handlers } from "../../server/protocol/operations.ts";
import { openApp } from "./open-app.ts";
import { preferServer } from "./shared-server.ts";
import type { Terminal } from "../terminal.ts";

/** The application that agents use. One index serves the editor and its agents where a server runs for the same folder. */
export function openAgentApp(terminal: Terminal, { log }: { log: Log }): Handlers & AsyncDisposable {
  const own = openApp(terminal, { log, followsFolders: true });
  return { ...own, ...preferServer(terminal, { own: () => own, log }) };
}
