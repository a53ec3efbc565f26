import { type BuildSegment, buildInProcess } from "./build-segments.ts";
import { createThreads } from "./threads.ts";

/** One: with the thread that reads it keeps two cores busy, and each one more takes another 80 MB. */
const count = 1;
/** In MB: without a limit a thread lets garbage grow with the memory of the machine. A segment needs a fraction of it. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 };
/** A thread takes some 50 MB; none is kept for long after the last index. */
const idleMs = 5000;
/** Characters of text: an edit or two are indexed here before a thread has started. */
const smallLength = 128 * 1024;

/** Makes segments in a thread of its own, and where that fails (it may not start, or run out of memory) in this one. */
export function createIndexWorkers(file: URL): BuildSegment {
  const threads = createThreads(file, { count, idleMs, resourceLimits });
  return async (files, { signal }) => {
    signal.throwIfAborted();
    if (files.reduce((length, { text }) => length + text.length, 0) < smallLength)
      return buildInProcess(files, { signal });
    try {
      const bytes = await threads.run(files, { transfer: [], signal });
      if (!(bytes instanceof Uint8Array)) throw new TypeError("the thread made no index");
      return bytes;
    } catch {
      signal.throwIfAborted();
      return buildInProcess(files, { signal });
    }
  };
}
