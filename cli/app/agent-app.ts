import type { App } from "../../server/app.ts";
import type { Log } from "../../server/lib/log.ts";
import type { AgentHandlers } from "../../server/transports/mcp/tools.ts";
import { openApp } from "./open-app.ts";
import { preferServer } from "./shared-server.ts";
import type { Terminal } from "../terminal.ts";

/** The application that agents use. One index serves the editor and its agents where a server runs for the same folder. */
export function openAgentApp(terminal: Terminal, { log }: { log: Log }): AgentHandlers & AsyncDisposable {
  const own: App = openApp(terminal, { log });
  return {
    ...preferServer(terminal, { own: () => own, log }),
    listResources: (request, options) => own.listResources(request, options),
    read: (request, options) => own.read(request, options),
    verify: (request, options) => own.verify(request, options),
    listFiles: (request, options) => own.listFiles(request, options),
    deleteThread: (request, options) => own.deleteThread(request, options),
    getConfig: (request, options) => own.getConfig(request, options),
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}
