import type { TimeSlices } from "../../lib/time-slices.ts";
import type { Snapshot, SnapshotTree } from "../../resources/snapshot.ts";
import type { FileToRead } from "../file-to-read.ts";
import { readAhead } from "../read-ahead.ts";
import type { PartRange } from "../text-parts.ts";
import type { ReadResult, TextStore } from "../text-store.ts";
import type { SearchInThread } from "./search-threads.ts";
import type { TextOutcome, TextQuery, TextSearch } from "./text-search.ts";

export interface FileSearch {
  query: TextQuery;
  textSearch: TextSearch;
  texts: TextStore;
  /** Undefined if everything is searched in this thread. */
  searchInThread: SearchInThread | undefined;
  /** The time on the clock of `performance.now()`. */
  until: number;
  /** How many matching lines are still to be returned, and how many to be counted. */
  wanted: () => { limit: number; enough: number };
  slices: TimeSlices;
  signal: AbortSignal | undefined;
}

/** The files with results, and their results. */
export interface FileOutcomes {
  files: readonly Named[];
  outcomes: readonly TextOutcome[];
}

interface Named {
  path: string;
  ranges?: readonly PartRange[] | undefined;
}

/** Files that are searched here before a thread is started: mostly they fill a page sooner than a thread starts. */
const filesHere = 200;
const bytesHere = 4 * 1024 * 1024;
/** A request for more lines than that starts threads at once. */
const pageLines = 2000;

/** Searches files of a snapshot and yields their results in the given order, in groups, until the time is up. */
export async function* searchFiles(
  snapshot: Snapshot,
  files: Iterable<Named>,
  search: FileSearch,
): AsyncGenerator<FileOutcomes> {
  const { tree } = snapshot;
  const { searchInThread } = search;
  if (tree === undefined || searchInThread === undefined) {
    yield* searchHere(snapshot, files, search);
    return;
  }
  const rest = walkedFiles(tree, files);
  if (search.wanted().enough <= pageLines) {
    yield* searchHere(snapshot, takeFirst(rest, { count: filesHere, bytes: bytesHere }), search);
  }
  yield* searchInThreads(snapshot, rest, { ...search, root: tree.root, searchInThread });
}

function* walkedFiles(tree: SnapshotTree, files: Iterable<Named>): Generator<FileToRead> {
  for (const { path, ranges } of files) {
    const file = tree.fileOf(path);
    if (file !== undefined) yield ranges === undefined ? file : { ...file, ranges };
  }
}

/** Leaves the generator open for the next call. */
function* takeFirst(
  files: Generator<FileToRead>,
  { count, bytes }: { count: number; bytes: number },
): Generator<FileToRead> {
  for (let taken = 0, length = 0; taken < count && length < bytes; taken++) {
    const next = files.next();
    if (next.done) return;
    length += next.value.stamp.sizeBytes;
    yield next.value;
  }
}

function sizeOf(files: readonly FileToRead[]): number {
  return files.reduce((sum, { stamp }) => sum + stamp.sizeBytes, 0);
}

/** Characters that are read before they are searched. */
const batchLength = 500_000;
/** How long a stretch may block the event loop; its timer costs as much as searching a small file. */
const stretchMs = 10;
/** The time limit for one text, for expressions that backtrack. */
const textMs = 250;

async function* searchHere(
  snapshot: Snapshot,
  files: Iterable<Named>,
  search: FileSearch,
): AsyncGenerator<FileOutcomes> {
  const { textSearch, until, wanted, slices, signal } = search;
  for await (const batch of inBatches(readAhead(snapshot, files, search))) {
    for (let done = 0; done < batch.length;) {
      if (performance.now() > until) return;
      const options = { ...wanted(), stretchMs, textMs };
      const outcomes = await slices.run(() => textSearch.stretch(batch.slice(done), options));
      signal?.throwIfAborted();
      const files = batch.slice(done, (done += outcomes.length)).map(({ item }) => item);
      yield { files, outcomes };
    }
  }
}

type ReadFile = { item: Named } & ReadResult;

async function* inBatches(files: AsyncIterable<ReadFile>): AsyncGenerator<ReadFile[]> {
  let batch: ReadFile[] = [];
  let length = 0;
  for await (const file of files) {
    batch.push(file);
    length += file.text?.length ?? 0;
    if (length < batchLength) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Bytes per job, at first and at most: each job has twice as many as the one before. Less is faster without a thread.
 */
const firstJobBytes = 512 * 1024;
const jobBytes = 4 * 1024 * 1024;
/** Jobs in flight, so that the two threads need not wait for each other. */
const jobsAhead = 4;
/** Texts of a living folder that are kept as shown; a page has no more files. */
const heldTexts = 200;

async function* searchInThreads(
  snapshot: Snapshot,
  files: Generator<FileToRead>,
  search: FileSearch & { root: string; searchInThread: SearchInThread },
): AsyncGenerator<FileOutcomes> {
  const { texts, until, signal } = search;
  const isLiving = snapshot.info.directory !== undefined;
  let held = 0;
  for await (const { job, outcomes } of answers(files, search)) {
    if (outcomes === undefined) {
      yield* searchHere(snapshot, job, search);
      continue;
    }
    if (isLiving && held < heldTexts) {
      const shown = job.filter((_, index) => isShown(outcomes[index])).slice(0, heldTexts - held);
      held += shown.length;
      for (const { path } of shown) await texts.read(snapshot, path, { signal });
    }
    yield { files: job, outcomes };
    if (performance.now() > until) return;
  }
}

function isShown(outcome: TextOutcome | undefined): boolean {
  return outcome?.type === "searched" && outcome.text.length > 0;
}

interface Answer {
  job: FileToRead[];
  /** Undefined if a thread failed, or none was used. */
  outcomes: TextOutcome[] | undefined;
}

async function* answers(
  files: Generator<FileToRead>,
  { query, root, until, wanted, searchInThread, signal }: FileSearch & { root: string; searchInThread: SearchInThread },
): AsyncGenerator<Answer> {
  const running: Promise<Answer>[] = [];
  let bytes = firstJobBytes;
  for (;;) {
    const job = [...takeFirst(files, { count: Infinity, bytes })];
    if (running.length === 0 && sizeOf(job) < firstJobBytes) {
      yield { job, outcomes: undefined };
      return;
    }
    if (job.length > 0) {
      bytes = Math.min(2 * bytes, jobBytes);
      running.push(answer(job));
    }
    if (job.length > 0 && running.length < jobsAhead) continue;
    const first = await running.shift();
    if (first !== undefined) yield first;
  }

  async function answer(job: FileToRead[]): Promise<Answer> {
    try {
      return { job, outcomes: await searchInThread({ query, root, files: job, ...wanted() }, { until, signal }) };
    } catch {
      return { job, outcomes: undefined };
    }
  }
}
