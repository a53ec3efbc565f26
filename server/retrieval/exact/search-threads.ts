import * as z from "zod";
import type { FileToRead } from "../file-to-read.ts";
import type { TextOutcome, TextQuery } from "./text-search.ts";
import { createThreads } from "./threads.ts";

/** Files for a thread to read in place and search, in their order. */
export interface SearchJob {
  query: TextQuery;
  /** Of the tree, a real path. */
  root: string;
  files: readonly FileToRead[];
  /** How many matching lines are returned, and how many are counted. */
  limit: number;
  enough: number;
  /** Files that are left after this time have no outcome. */
  timeMs: number;
}

/**
 * Searches files in a thread of its own, within the time limit and until it has counted enough. Rejects if the thread
 * fails.
 */
export type SearchInThread = (job: SearchJob, options: { signal: AbortSignal | undefined }) => Promise<TextOutcome[]>;

/** A clone of a buffer is a plain byte array. */
const ClonedOutcomes = z.array(
  z.discriminatedUnion("type", [
    z.object({
      type: z.literal("searched"),
      count: z.number(),
      matchLines: z.array(z.number()),
      text: z
        .instanceof(Uint8Array<ArrayBuffer>)
        .transform((bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)),
    }),
    z.object({ type: z.literal("skipped"), reason: z.string() }),
  ]),
);

/** Beside the main thread, which takes their results; leaves cores for other work. */
const count = 2;
/** A thread takes some 20 MB; a question searches more than once. */
const idleMs = 5000;
/** In MB; a file of the largest size with its results takes a fraction. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/** The time for a thread to notice its deadline, before it is terminated. */
const graceMs = 2000;

/** `file` is the module of `search-worker.ts`. */
export function createSearchThreads(file: URL): SearchInThread {
  const threads = createThreads(file, { count, idleMs, resourceLimits });
  return async (job, { signal }) =>
    ClonedOutcomes.parse(await threads.run(job, { timeoutMs: job.timeMs + graceMs, signal }));
}
