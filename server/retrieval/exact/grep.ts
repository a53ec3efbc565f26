import { createTimeSlices } from "../../lib/time-slices.ts";
import { wordsIn } from "../../lib/words.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { filterFiles, nearestFiles } from "../glob.ts";
import type { Indexes } from "../indexing/indexes.ts";
import type { FileReference, GrepHit, GrepOptions, GrepResult } from "../retrieval.ts";
import { createTimeLimit } from "../time-limit.ts";
import { findCandidates } from "./grep-candidates.ts";
import { type FileSearch, searchFiles } from "./search-files.ts";
import { createTextSearch, type TextMatches } from "./text-search.ts";

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
  const result: GrepResult = { hits: [], total: 0, filesWithHits: 0, searchedFiles: 0, cut: [], skipped: [] };
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
    for await (const { path, outcome } of searchFiles(snapshot, candidates(), search)) {
      toldFiles++;
      if (outcome.type === "skipped") {
        result.skipped.push({ resource, path, reason: outcome.reason });
        continue;
      }
      const page = { first: offset - result.total, last: last - result.total };
      for (const hit of hitsOf(outcome, { contextLines: query.contextLines, ...page })) {
        result.hits.push({ resource, path, ...hit });
        shown += hit.matchLines.length;
      }
      result.searchedFiles++;
      result.filesWithHits += Math.min(1, outcome.count);
      result.total += outcome.count;
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

/** Matching lines from the `first` to the `last` of a text, with their context; those that touch make one hit. */
function hitsOf(
  { matchLines, lines }: TextMatches,
  { contextLines, first, last }: { contextLines: number; first: number; last: number },
): Omit<GrepHit, "resource" | "path">[] {
  const start = Math.max(0, first);
  const shown = groupLines(matchLines.slice(start, Math.max(0, last)), contextLines);
  let at = linesBefore(shown[0]?.startLine ?? 0, groupLines(matchLines.slice(0, start), contextLines));
  return shown.map(({ startLine, endLine, matchLines }) => {
    const found = lines.slice(at, (at += endLine - startLine + 1));
    // The text may end before its context does.
    return { startLine, endLine: startLine + found.length - 1, lines: found, matchLines };
  });
}

interface LineGroup {
  startLine: number;
  endLine: number;
  matchLines: number[];
}

function groupLines(matchLines: readonly number[], contextLines: number): LineGroup[] {
  const groups: LineGroup[] = [];
  for (const line of matchLines) {
    const startLine = Math.max(1, line - contextLines);
    const endLine = line + contextLines;
    const last = groups.at(-1);
    if (last !== undefined && startLine <= last.endLine + 1) {
      last.endLine = endLine;
      last.matchLines.push(line);
    } else groups.push({ startLine, endLine, matchLines: [line] });
  }
  return groups;
}

function linesBefore(line: number, groups: readonly LineGroup[]): number {
  const lengths = groups.map(({ startLine, endLine }) => Math.max(0, Math.min(endLine + 1, line) - startLine));
  return lengths.reduce((sum, length) => sum + length, 0);
}

function countOf(items: Iterable<unknown>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}
