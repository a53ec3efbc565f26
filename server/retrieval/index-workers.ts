import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type BuildSegment, buildInProcess } from "./build-segments.ts";
import { createTurns } from "./turns.ts";

/** One: with the thread that reads it keeps two cores busy, and each one more takes another 80 MB. */
const workerCount = 1;
/** In MB: without a limit a thread lets garbage grow with the memory of the machine. A segment needs a fraction of it. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };
/** A thread takes some 50 MB; none is kept for long after the last index. */
const idleMs = 5000;
/** Characters of text: an edit or two are indexed here before a thread has started. */
const smallLength = 128 * 1024;

/**
 * Makes segments in a thread of its own, and where that fails (it may not start, or run out of memory) in this one.
 * A build that is given up costs the thread.
 */
export function createIndexWorkers(file: URL): BuildSegment {
  const idle: Worker[] = [];
  const turns = createTurns(workerCount);

  return async (files, { signal }) => {
    signal.throwIfAborted();
    if (files.reduce((length, { text }) => length + text.length, 0) < smallLength)
      return buildInProcess(files, { signal });
    await turns.take();
    try {
      signal.throwIfAborted();
      return await buildIn(idle.pop() ?? new Worker(file, { resourceLimits }));
    } finally {
      turns.giveBack();
    }

    async function buildIn(worker: Worker): Promise<Uint8Array> {
      worker.ref();
      try {
        const answered = once(worker, "message", { signal });
        worker.postMessage(files, []);
        const [bytes] = await answered;
        if (!(bytes instanceof Uint8Array)) throw new TypeError("the thread made no index");
        rest(worker);
        return bytes;
      } catch {
        await worker.terminate();
        signal.throwIfAborted();
        return buildInProcess(files, { signal });
      }
    }
  };

  function rest(worker: Worker): void {
    idle.push(worker);
    worker.unref();
    setTimeout(() => {
      const at = idle.indexOf(worker);
      if (at === -1) return;
      idle.splice(at, 1);
      void worker.terminate();
    }, idleMs).unref();
  }
}
