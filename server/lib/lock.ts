import { setTimeout as sleep } from "node:timers/promises";
import { lock } from "proper-lockfile";

/** A lock not renewed for this long belongs to a killed process and is taken over. */
const staleMs = 5000;
const pollMs = 100;

/**
 * A lock across processes: `path` exists as a folder while the lock is held; its parent must exist. Returns undefined if
 * another process still holds it after `waitMs`. Rejects with the signal's reason or a file system error.
 */
export async function acquireLock(
  path: string,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<AsyncDisposable | undefined> {
  const deadline = performance.now() + waitMs;
  while (true) {
    signal?.throwIfAborted();
    const release = await tryLock(path);
    if (release !== undefined) return { [Symbol.asyncDispose]: release };
    if (performance.now() >= deadline) return undefined;
    await sleep(pollMs, undefined, { signal });
  }
}

async function tryLock(path: string): Promise<(() => Promise<void>) | undefined> {
  try {
    const release = await lock(path, {
      lockfilePath: path,
      realpath: false,
      stale: staleMs,
      // Taken over while this computer slept. Guarded code must tolerate two holders, and release must not fail.
      onCompromised: () => {},
    });
    return () => release().catch(() => {});
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOCKED") return undefined;
    throw error;
  }
}
