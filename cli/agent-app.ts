import type { App } from "../server/app.ts";
import { loadConfig } from "../server/config/config.ts";
import { CitewellError } from "../server/errors.ts";
import { createFetch } from "../server/lib/fetch.ts";
import type { Log } from "../server/lib/log.ts";
import type { AgentHandlers } from "../server/transports/mcp/tools.ts";
import { configLocation, openApp } from "./open-app.ts";
import { connectToServer, type RemoteApp } from "./remote-app.ts";
import { readServerFile } from "./server-file.ts";
import type { Terminal } from "./terminal.ts";

/** What `AgentHandlers` has that a server answers over HTTP; the rest needs no index, and is done here. */
type Shared = Pick<RemoteApp, "ask" | "search">;

/**
 * The application that agents use: a server that runs for the same folder does what costs, so that one index serves
 * the editor and its agents; where there is none, or it goes, this process does it.
 */
export function openAgentApp(terminal: Terminal, { log }: { log: Log }): AgentHandlers & AsyncDisposable {
  const own: App = openApp(terminal, { log });

  const best = async (signal: AbortSignal | undefined): Promise<Shared> => {
    const server = await findServer(terminal, { signal: signal ?? terminal.signal, log });
    return server ?? own;
  };
  return {
    async *ask(request, options) {
      const app = await best(options?.signal);
      let hasBegun = false;
      try {
        for await (const event of app.ask(request, options)) {
          hasBegun = true;
          yield event;
        }
        return;
      } catch (error) {
        if (app === own || hasBegun || !isUnreachable(error)) throw error;
      }
      // It went before it said a word.
      yield* own.ask(request, options);
    },
    search: async (request, options) => (await best(options?.signal)).search(request, options),
    listResources: (request, options) => own.listResources(request, options),
    read: (request, options) => own.read(request, options),
    verify: (request, options) => own.verify(request, options),
    listFiles: (request, options) => own.listFiles(request, options),
    deleteThread: (request, options) => own.deleteThread(request, options),
    [Symbol.asyncDispose]: () => own[Symbol.asyncDispose](),
  };
}

function isUnreachable(error: unknown): boolean {
  return error instanceof CitewellError && error.tag === "ServerUnreachable";
}

/** The server of this folder, if it is there, well, and of our version. Another folder's has another configuration. */
async function findServer(
  terminal: Terminal,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<RemoteApp | undefined> {
  const { dataDirectory } = await loadConfig(configLocation(terminal));
  const file = await readServerFile(dataDirectory);
  if (file === undefined || file.folder !== terminal.cwd || file.pid === process.pid) return undefined;
  try {
    // No proxy stands between two programs of one computer.
    const fetch = createFetch({});
    return await connectToServer(`http://127.0.0.1:${file.port}`, { fetch, signal });
  } catch (error) {
    signal.throwIfAborted();
    log.debug("server-not-reused", { port: file.port, error: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}
