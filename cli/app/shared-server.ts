import { loadConfig } from "../../server/config/config.ts";
import { CitewellError, messageOf } from "../../server/errors.ts";
import { createFetch } from "../../server/lib/fetch.ts";
import type { Log } from "../../server/lib/log.ts";
import type { RemoteApp } from "./remote-app.ts";
import { hasEnvironment, readServerFiles } from "./server-file.ts";
import type { Terminal } from "../terminal.ts";

/** The operations that need an index, and so cost; a server that runs has it open. */
export type Shared = Pick<RemoteApp, "ask" | "search">;

/**
 * `ask` and `search` by a running server of the same folder. Without one, and where it goes before its first event,
 * `own` does them.
 */
export function preferServer(
  terminal: Terminal,
  { own, log }: { own: () => Promise<Shared> | Shared; log: Log },
): Shared {
  const find = (signal = terminal.signal) => findServer(terminal, { signal, log });
  return {
    async *ask(request, options) {
      const server = await find(options?.signal);
      let hasBegun = false;
      try {
        for await (const event of server?.ask(asHere(request), options) ?? []) {
          hasBegun = true;
          yield event;
        }
        if (hasBegun) return;
      } catch (error) {
        if (hasBegun || !isUnreachable(error)) throw error;
      }
      yield* (await own()).ask(request, options);
    },
    async search(request, options) {
      const server = await find(options?.signal);
      try {
        if (server !== undefined) return await server.search(asHere(request), options);
      } catch (error) {
        if (!isUnreachable(error)) throw error;
      }
      return (await own()).search(request, options);
    },
  };
}

/** Over HTTP the default is another one: all that is configured. */
function asHere<Request extends object>(request: Request): Request & { scope: "project" | "configured" } {
  return { scope: "project", ...request };
}

function isUnreachable(error: unknown): boolean {
  return error instanceof CitewellError && error.tag === "ServerUnreachable";
}

/**
 * Finds a server of this folder (another one has another configuration) with the same keys that answers and has our
 * version.
 */
async function findServer(
  terminal: Terminal,
  { signal, log }: { signal: AbortSignal; log: Log },
): Promise<RemoteApp | undefined> {
  const { dataDirectory } = await loadConfig(terminal);
  const files = await readServerFiles(dataDirectory);
  for (const file of files) {
    if (file.folder !== terminal.cwd || file.pid === process.pid || !hasEnvironment(file, terminal.env)) continue;
    try {
      const { connectToServer } = await import("./remote-app.ts");
      // No proxy is used between two programs of one computer.
      return await connectToServer(`http://127.0.0.1:${file.port}`, { fetch: createFetch({}), signal });
    } catch (error) {
      signal.throwIfAborted();
      log.debug("server-not-reused", { port: file.port, error: messageOf(error) });
    }
  }
  return undefined;
}
