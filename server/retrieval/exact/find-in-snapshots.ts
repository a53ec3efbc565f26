import { createTimeSlices } from "../../lib/time-slices.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { binaryReason } from "../../resources/tree-reader.ts";
import { filterFiles } from "../glob.ts";
import type { Indexes } from "../indexing/indexes.ts";
import type { FileFilter, FileReference, GrepOptions, SearchedFiles } from "../retrieval.ts";
import { createTimeLimit } from "../time-limit.ts";
import { findCandidates } from "./grep-candidates.ts";
import { type FileSearch, searchFiles } from "./search-files.ts";
import type { TextMatches, TextQuery } from "./text-search.ts";

export interface SearchResources extends Pick<FileSearch, "texts" | "searchInThread"> {
  indexes: Indexes;
  /** How long a search may take. */
  deadlineMs: number;
}

export interface Finder extends Pick<FileSearch, "wanted"> {
  /** Receives the matches of one file after the other, in reading order, until enough are counted. */
  take(file: FileReference, matches: TextMatches): void;
}

/** Searches the files that a filter accepts, until there are enough matching lines or no more time. @throws InvalidRequest */
export async function findInSnapshots(
  snapshots: readonly Snapshot[],
  {
    glob,
    kinds,
    signal,
    texts,
    indexes,
    searchInThread,
    deadlineMs,
    ...query
  }: TextQuery & FileFilter & Pick<GrepOptions, "signal"> & SearchResources,
  { wanted, take }: Finder,
): Promise<SearchedFiles> {
  const { createTextSearch } = await import("./text-search.ts");
  const textSearch = createTextSearch(query, { runWithin: createTimeLimit() });
  const { required } = textSearch.pattern;
  const until = performance.now() + deadlineMs;
  const slices = createTimeSlices();
  const search: FileSearch = { query, textSearch, texts, searchInThread, until, wanted, slices, signal };
  const isEnough = () => wanted().enough <= 0;
  const result: SearchedFiles = { searchedFiles: 0, cut: [], skipped: [] };
  let acceptedFiles = 0;
  let unsearchedFiles = 0;
  for (const snapshot of snapshots) {
    if (isEnough()) break;
    const { resource } = snapshot;
    const accepted = filterFiles(snapshot.files, { glob, kinds });
    const indexed = await indexes.now(snapshot);
    // Without an index, the search reads each file: it needs the processor and the disk.
    using _ = indexed?.pending.size === 0 ? undefined : indexes.pause(snapshot);
    const binary = filterFiles(indexed?.index.binary ?? [], { glob, kinds });
    result.skipped.push(...binary.map(({ path }) => ({ resource, path, reason: binaryReason })));
    const candidates = () => findCandidates(snapshot, accepted, { index: indexed?.index, required });
    let outcomeCount = 0;
    for await (const { files, outcomes } of searchFiles(snapshot, candidates(), search)) {
      for (const [index, outcome] of outcomes.entries()) {
        if (isEnough()) break;
        outcomeCount++;
        const path = files[index]?.path ?? "";
        if (outcome.type === "skipped") {
          result.skipped.push({ resource, path, reason: outcome.reason });
          continue;
        }
        take({ resource, path }, outcome);
        result.searchedFiles++;
      }
      if (isEnough()) break;
    }
    acceptedFiles += accepted.length;
    if (isEnough()) break;
    const unsearched = performance.now() > until ? countOf(candidates()) - outcomeCount : 0;
    unsearchedFiles += unsearched;
    // What the index leaves out is searched by that.
    result.searchedFiles += accepted.length - binary.length - outcomeCount - unsearched;
  }
  if (unsearchedFiles > 0) {
    result.cut.push(
      `stopped after ${deadlineMs / 1000} s with ${unsearchedFiles} of ${acceptedFiles} files unsearched`,
    );
  }
  const unread = snapshots.flatMap(({ resource, skipped }) =>
    filterFiles(skipped, { glob, kinds }).map((file) => ({ resource, ...file })),
  );
  return { ...result, skipped: [...result.skipped, ...unread] };
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}
