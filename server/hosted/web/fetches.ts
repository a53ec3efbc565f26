import { CitewellError } from "../../errors.ts";
import type { Handlers } from "../../protocol/operations.ts";
import type { ResourceListing } from "../../protocol/resource.ts";
import { createSemaphore } from "../../retrieval/semaphore.ts";
import { foldEvents } from "../../transports/fold-events.ts";

/** Fetches of one project's resources, which continue without the request that started them. */
export interface Fetches {
  /**
   * Fetches the newest revision of a resource, or joins the fetch of it that runs.
   * @throws what `refreshResource` throws
   */
  start(name: string, app: Pick<Handlers, "refreshResource">): Promise<ResourceListing>;
}

const concurrentFetches = 4;
const fetchLimitMs = 15 * 60_000;

/** The fetches of this process. Disposing of it cancels them. */
export function createFetches(): AsyncDisposable & { of(project: string): Fetches } {
  const running = new Map<string, Promise<ResourceListing>>();
  const semaphore = createSemaphore(concurrentFetches);
  const closing = new AbortController();

  async function fetch(name: string, app: Pick<Handlers, "refreshResource">): Promise<ResourceListing> {
    await semaphore.acquire();
    try {
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(fetchLimitMs)]);
      return await foldEvents("refreshResource", app.refreshResource({ name }, { signal }), { signal });
    } finally {
      semaphore.release();
    }
  }

  return {
    of: (project) => ({
      start(name, app) {
        const key = `${project}/${name}`;
        const current = running.get(key) ?? fetch(name, app).finally(() => running.delete(key));
        running.set(key, current);
        return current;
      },
    }),
    async [Symbol.asyncDispose]() {
      closing.abort(new CitewellError("Cancelled", "the service is being stopped"));
      await Promise.allSettled(running.values());
    },
  };
}
