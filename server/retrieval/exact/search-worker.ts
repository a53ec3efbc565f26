import { parentPort } from "node:worker_threads";
import { createTreeReader, textBytes, unreadReason } from "../../resources/tree-reader.ts";
import type { FileToRead } from "../file-to-read.ts";
import { createTimeLimit } from "../time-limit.ts";
import type { SearchTurn } from "./search-threads.ts";
import { createTextSearch, type SearchedText, type TextOutcome } from "./text-search.ts";

/** Longer than on the main thread, which this one does not block. */
const textMs = 1000;
const stretchMs = 100;
/** Bytes that are read before they are searched. */
const batchBytes = 1024 * 1024;

const runWithin = createTimeLimit();
const memory = createMemory(batchBytes);

/** A thread that reads and searches files, in their order. */
parentPort?.on("message", (turn: SearchTurn) => parentPort?.postMessage(searchFiles(turn)));

function searchFiles({ query, root, files, limit, enough, timeMs }: SearchTurn): TextOutcome[] {
  const until = performance.now() + timeMs;
  const search = createTextSearch(query, { runWithin });
  const read = createTreeReader(root, memory);
  const outcomes: TextOutcome[] = [];
  let found = 0;
  let texts: SearchedText[] = [];
  for (const file of files) {
    texts.push(readText(file));
    if (memory.used < batchBytes) continue;
    searchTexts();
    if (found >= enough || performance.now() > until) return outcomes;
  }
  searchTexts();
  return outcomes;

  function readText({ ranges, ...file }: FileToRead): SearchedText {
    try {
      return { bytes: textBytes(file.path, read(file)), ranges };
    } catch (error) {
      return { fault: unreadReason(error, file.path) };
    }
  }

  function searchTexts(): void {
    // The first text is searched however late it is, so that every turn makes progress.
    while (texts.length > 0 && found < enough && (outcomes.length === 0 || performance.now() < until)) {
      const options = { limit: Math.max(0, limit - found), enough: enough - found, stretchMs, textMs };
      const done = search.stretch(texts, options);
      for (const outcome of done) {
        outcomes.push(outcome);
        if (outcome.type === "searched") found += outcome.count;
      }
      texts = texts.slice(done.length);
    }
    memory.clear();
  }
}

/** A buffer that every batch reuses: to allocate one for each file costs more than to read it. */
function createMemory(sizeBytes: number) {
  const buffer = Buffer.allocUnsafeSlow(sizeBytes);
  let used = 0;
  return {
    get used() {
      return used;
    },
    allocate(wanted: number): Buffer {
      const start = used;
      used += wanted;
      return used <= sizeBytes ? buffer.subarray(start, used) : Buffer.allocUnsafe(wanted);
    },
    clear() {
      used = 0;
    },
  };
}
