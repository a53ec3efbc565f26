import * as z from "zod";
import type { FileToRead } from "../file-to-read.ts";
import type { TextOutcome, TextQuery } from "./text-search.ts";
import { createThreads } from "./threads.ts";

/** Files for threads to read in place and search, in their order. */
export interface SearchJob {
  query: TextQuery;
  /** The folder of the tree, a real path. */
  root: string;
  files: readonly FileToRead[];
  /** How many matching lines are returned, and how many are counted. */
  limit: number;
  enough: number;
}

/** A thread's share of a job. */
export interface SearchTurn extends SearchJob {
  /** Files that are left after this time have no outcome; the first one always has. */
  timeMs: number;
}

export interface SearchJobOptions {
  /** Files that are left at this time have no outcome; on the clock of `performance.now()`. */
  until: number;
  signal: AbortSignal | undefined;
}

/** Searches files in other threads, until it has counted enough. Rejects if a thread fails. */
export type SearchInThread = (job: SearchJob, options: SearchJobOptions) => Promise<TextOutcome[]>;

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
/** The limits in MB; a file of the largest size with its results takes a fraction. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
/**
 * How long a job keeps a thread while others wait; far more than a usual job takes. The text at its end may take as
 * long as `search-worker.ts` allows for one text.
 */
const turnMs = 500;
/** The time for a thread to start and to notice the end of its turn, before it is terminated. */
const graceMs = 10_000;

/** Returns the search of each group of jobs. `file` is the module of `search-worker.ts`. */
export function createSearchThreads(file: URL): (group: string) => SearchInThread {
  const threads = createThreads(file, { count, idleMs, resourceLimits });
  return (group) =>
    async ({ files, limit, enough, ...job }, { until, signal }) => {
      const outcomes: TextOutcome[] = [];
      let found = 0;
      do {
        const timeMs = Math.min(turnMs, Math.max(0, until - performance.now()));
        const rest = files.slice(outcomes.length);
        const turn: SearchTurn = { ...job, files: rest, limit: limit - found, enough: enough - found, timeMs };
        const answer = await threads.run(turn, { group, until, timeoutMs: timeMs + graceMs, signal });
        const done = ClonedOutcomes.parse(answer);
        if (done.length === 0) throw new Error("the thread searched nothing");
        outcomes.push(...done);
        for (const outcome of done) if (outcome.type === "searched") found += outcome.count;
      } while (outcomes.length < files.length && found < enough && performance.now() <= until);
      return outcomes;
    };
}
