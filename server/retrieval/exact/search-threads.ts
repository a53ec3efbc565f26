import * as z from "zod";
import { type FileToRead, packFiles } from "../packed-files.ts";
import { type SearchMessage, unpackOutcomes } from "./search-message.ts";
import type { TextOutcome } from "./text-search.ts";
import { createThreads } from "./threads.ts";

/** Files to search where they lie, in their order. */
export interface SearchJob extends Omit<SearchMessage, "files"> {
  files: readonly FileToRead[];
}

/**
 * Searches files in a thread of its own, within the time limit and until it has counted enough. Rejects if the thread
 * fails.
 */
export type SearchInThread = (job: SearchJob, options: { signal: AbortSignal | undefined }) => Promise<TextOutcome[]>;

/** As in `search-message.ts`, which a thread loads without what checks it. */
const SearchAnswer = z.object({
  numbers: z.instanceof(Uint32Array<ArrayBuffer>),
  texts: z.instanceof(Uint8Array<ArrayBuffer>),
  reasons: z.array(z.string()),
});

/** One more than the thread that takes what they find; a machine has other work, too. */
const count = 2;
/** A thread takes some 20 MB; a question searches more than once. */
const idleMs = 5000;
/** In MB; a file of the largest size and what is found in it take a fraction. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** For a thread to notice that its time is over, before it is ended. */
const graceMs = 2000;

/** `file` is the module of `search-worker.ts`. */
export function createSearchThreads(file: URL): SearchInThread {
  const threads = createThreads(file, { count, idleMs, resourceLimits });
  return async ({ files, ...job }, { signal }) => {
    const message: SearchMessage = { ...job, files: packFiles(files) };
    const options = { transfer: [message.files.stamps.buffer], timeoutMs: job.timeMs + graceMs, signal };
    return unpackOutcomes(SearchAnswer.parse(await threads.run(message, options)));
  };
}
