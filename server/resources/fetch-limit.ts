import { setTimeout as sleep } from "node:timers/promises";
import { CitewellError } from "../errors.ts";
import { folderBytes } from "./folder-bytes.ts";

/** How many bytes a snapshot may have on disk. */
export interface FetchLimit {
  bytes: number;
  /** The name as in "more than the 10 GB that this service allows for a resource". */
  name: string;
  hint: string;
}

/** The limit of a tenant, read before each fetch; undefined is none. */
export type ReadFetchLimit = () => Promise<FetchLimit | undefined>;

const usualIntervalMs = 500;
/** Git keeps its pack until all files are written, and npm the tarball. */
const stagingFactor = 2;

/**
 * Runs a fetch into a folder, and aborts it when the folder grows too large for a snapshot within the limit. Its final
 * size is checked by `requireWithin`.
 * @throws ResourceTooLarge
 */
export async function fetchWithin<Value>(
  folder: string,
  { limit, signal }: { limit: FetchLimit | undefined; signal: AbortSignal },
  fetch: (options: { signal: AbortSignal }) => Promise<Value>,
): Promise<Value> {
  if (limit === undefined) return fetch({ signal });
  const over = new AbortController();
  const ended = new AbortController();
  const watching = watch(limit);
  try {
    return await fetch({ signal: AbortSignal.any([signal, over.signal]) });
  } catch (error) {
    over.signal.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
    await watching;
  }

  async function watch(limit: FetchLimit): Promise<void> {
    while (!ended.signal.aborted) {
      const startedAt = performance.now();
      if ((await folderBytes(folder)) > stagingFactor * limit.bytes) return over.abort(tooLarge(limit));
      // Looking over a large tree takes a while, and must not slow down its fetch.
      const pauseMs = Math.max(usualIntervalMs, 10 * (performance.now() - startedAt));
      await sleep(pauseMs, undefined, { signal: ended.signal }).catch(() => {});
    }
  }
}

/** @throws ResourceTooLarge */
export function requireWithin(bytes: number, limit: FetchLimit | undefined): void {
  if (limit !== undefined && bytes > limit.bytes) throw tooLarge(limit);
}

/** Whether a fetch failed because of its limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof CitewellError && error.tag === "ResourceTooLarge";
}

function tooLarge({ name, hint }: FetchLimit): CitewellError {
  return new CitewellError("ResourceTooLarge", `its files have more than ${name}; they were not stored`, { hint });
}
