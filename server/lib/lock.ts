import { setTimeout as sleep } from "node:timers/promises";
import { lock } from "proper-lockfile";

/** A process that was killed leaves its lock behind; it is taken over when it was not renewed for so long. */
const staleMs = 5000;
const pollMs = 100;

/**
 * A lock across processes: `path`, whose folder must exist, becomes a folder while the lock is held. Undefined where
 * another process still holds it after `waitMs`. Rejects with the signal's reason, or the file system's error.
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
      // Taken over while this computer slept: what the lock guards must bear two holders, and its release must not fail.
      onCompromised: () => {},
    });
    return () => release().catch(() => {});
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOCKED") return undefined;
    throw error;
  }
}
