import { createTimeSlices } from "../../lib/time-slices.ts";
import { wordsIn } from "../../lib/words.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { filterFiles, nearestFiles } from "../glob.ts";
import type { Indexes } from "../indexing/indexes.ts";
import type { FileReference, GrepOptions, GrepResult } from "../retrieval.ts";
import { createTimeLimit } from "../time-limit.ts";
import { findCandidates } from "./grep-candidates.ts";
import { pageOf } from "./hits.ts";
import { type FileSearch, searchFiles } from "./search-files.ts";
import { createTextSearch } from "./text-search.ts";

/** Matching lines that are counted beyond those that are shown: more of them tell nobody anything. */
const countedLimit = 1000;

export interface GrepRooms extends Pick<FileSearch, "texts" | "searchInThread"> {
  indexes: Indexes;
  /** How long a search may take. */
  deadlineMs: number;
}

/** Lines that match a literal or a regular expression, in the files that a glob accepts. */
export async function grepSnapshots(
  snapshots: readonly Snapshot[],
  {
    glob,
    kinds,
    offset = 0,
    limit,
    signal,
    texts,
    indexes,
    searchInThread,
    deadlineMs,
    ...query
  }: GrepOptions & GrepRooms,
): Promise<GrepResult> {
  const textSearch = createTextSearch(query, { runWithin: createTimeLimit() });
  const until = performance.now() + deadlineMs;
  const result: GrepResult = { files: [], total: 0, filesWithHits: 0, searchedFiles: 0, cut: [], skipped: [] };
  let shown = 0;
  let acceptedFiles = 0;
  let unsearchedFiles = 0;
  const last = offset + limit;
  const wanted = () => ({ limit: last - result.total, enough: last + countedLimit - result.total });
  const isEnough = () => wanted().enough <= 0;
  const slices = createTimeSlices();
  const search: FileSearch = { query, textSearch, texts, searchInThread, until, wanted, slices, signal };
  for (const snapshot of snapshots) {
    if (isEnough()) break;
    const { resource } = snapshot;
    const accepted = filterFiles(snapshot.files, { glob, kinds });
    const indexed = await indexes.now(snapshot);
    const { required } = textSearch.pattern;
    const candidates = () => findCandidates(snapshot, accepted, { index: indexed?.index, required });
    let toldFiles = 0;
    for await (const outcomes of searchFiles(snapshot, candidates(), search)) {
      for (const { path, outcome } of outcomes) {
        if (isEnough()) break;
        toldFiles++;
        if (outcome.type === "skipped") {
          result.skipped.push({ resource, path, reason: outcome.reason });
          continue;
        }
        const page = { contextLines: query.contextLines, first: offset - result.total, last: last - result.total };
        const { matchLines, text } = pageOf(outcome, page);
        if (matchLines.length > 0) result.files.push({ resource, path, matchLines, text });
        shown += matchLines.length;
        result.searchedFiles++;
        result.filesWithHits += Math.min(1, outcome.count);
        result.total += outcome.count;
      }
      if (isEnough()) break;
    }
    acceptedFiles += accepted.length;
    if (isEnough()) break;
    const unsearched = performance.now() > until ? countOf(candidates()) - toldFiles : 0;
    unsearchedFiles += unsearched;
    // What the index leaves out is searched by that.
    result.searchedFiles += accepted.length - toldFiles - unsearched;
  }
  if (isEnough()) result.cut.push(`${shown} of more than ${last + countedLimit} matching lines are shown`);
  else if (shown < result.total) result.cut.push(`${shown} of ${result.total} matching lines are shown`);
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

/** Files whose names come close to the words of a pattern that matches nothing: as much work as the search itself. */
export function nearestToPattern(
  snapshots: readonly Snapshot[],
  query: Pick<GrepOptions, "pattern" | "isRegex">,
): FileReference[] {
  return nearestFiles(snapshots, wordsOfPattern(query));
}

/** Without escapes; each word is compared with all names of the tree. */
function wordsOfPattern({ pattern, isRegex }: Pick<GrepOptions, "pattern" | "isRegex">): string[] {
  const text = isRegex ? pattern.replaceAll(/\\./g, " ") : pattern;
  return wordsIn(text)
    .filter(({ length }) => length >= 3)
    .slice(0, wordLimit);
}

const wordLimit = 12;

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}
