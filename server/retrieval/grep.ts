import { splitLines } from "../lib/source-text.ts";
import { createTimeSlices, type TimeSlices } from "../lib/time-slices.ts";
import type { FileEntry, Snapshot } from "../resources/snapshot.ts";
import { classOf, classOrder } from "./file-class.ts";
import { filterFiles } from "./glob.ts";
import { compilePattern, type LinePattern } from "./pattern.ts";
import { readAhead, type ReadFile } from "./read-ahead.ts";
import type { GrepHit, GrepOptions, GrepResult } from "./retrieval.ts";
import type { TextStore } from "./text-store.ts";
import { createTimeLimit, type RunWithin } from "./time-limit.ts";
import { findCandidates } from "./grep-candidates.ts";
import type { Indexes } from "./indexes.ts";

/** How long a pattern may hold up everything else, and how long a search may take. */
const stretchMs = 250;
const deadlineMs = 10_000;
/** Characters that are searched in one stretch: starting the clock costs as much as searching a small file. */
const batchLength = 500_000;
/** Of a longer line, the part around its first match is shown. */
const shownLineLength = 900;

/** Matching lines that are counted beyond those that are shown: more of them tell nobody anything. */
const countedLimit = 1000;

/** Lines that match a literal or a regular expression, in the files that a glob accepts. */
export async function grepSnapshots(
  snapshots: readonly Snapshot[],
  {
    glob,
    kinds,
    contextLines,
    offset = 0,
    limit,
    signal,
    texts,
    indexes,
    ...options
  }: GrepOptions & { texts: TextStore; indexes: Indexes },
): Promise<GrepResult> {
  const pattern = compilePattern(options);
  const until = performance.now() + deadlineMs;
  const search = { pattern, until, texts, signal, runWithin: createTimeLimit(), slices: createTimeSlices() };
  const result: GrepResult = { hits: [], total: 0, filesWithHits: 0, searchedFiles: 0, cut: [], skipped: [] };
  let candidates = 0;
  let shown = 0;
  const isEnough = () => result.total >= offset + limit + countedLimit;
  for (const snapshot of snapshots) {
    if (isEnough()) break;
    const { resource } = snapshot;
    const accepted = filterFiles(snapshot.files, { glob, kinds });
    const files = await chooseFiles(snapshot, accepted, { pattern, indexes });
    candidates += accepted.length;
    result.searchedFiles += accepted.length - files.length;
    for await (const outcome of searchFiles(snapshot, files, search)) {
      const { path } = outcome;
      if (outcome.type === "skipped") {
        result.skipped.push({ resource, path, reason: outcome.reason });
        continue;
      }
      const { text, matchLines } = outcome;
      const from = Math.max(0, offset - result.total);
      const taken = matchLines.slice(from, from + limit - shown);
      const lines = taken.length === 0 ? [] : splitLines(text);
      for (const hit of hitsOf(lines, taken, { contextLines, pattern })) result.hits.push({ resource, path, ...hit });
      result.searchedFiles++;
      result.filesWithHits += Math.min(1, matchLines.length);
      result.total += matchLines.length;
      shown += taken.length;
      if (isEnough()) break;
    }
  }
  const left = candidates - result.searchedFiles - result.skipped.length;
  if (isEnough()) result.cut.push(`${shown} of more than ${offset + limit + countedLimit} matching lines are shown`);
  else if (shown < result.total) result.cut.push(`${shown} of ${result.total} matching lines are shown`);
  if (left > 0 && !isEnough()) {
    result.cut.push(`stopped after ${deadlineMs / 1000} s with ${left} of ${candidates} files unsearched`);
  }
  const unread = snapshots.flatMap(({ resource, skipped }) => skipped.map((file) => ({ resource, ...file })));
  return { ...result, skipped: [...result.skipped, ...unread] };
}

/**
 * In reading order, without the files that the index knows to hold no match; what it does not know yet is searched as it
 * is.
 */
async function chooseFiles(
  snapshot: Snapshot,
  accepted: readonly FileEntry[],
  { pattern, indexes }: { pattern: LinePattern; indexes: Indexes },
): Promise<readonly { path: string }[]> {
  const indexed = pattern.required.type === "anything" ? undefined : await indexes.now(snapshot);
  const candidates = indexed && findCandidates(indexed.index, pattern.required);
  if (indexed === undefined || candidates === undefined) return inReadingOrder(accepted);
  const { files } = indexed.index;
  if (files.length === accepted.length && accepted.length === snapshot.files.length) return candidates;
  const found = new Set(candidates.map(({ path }) => path));
  const known = new Set(files.map(({ path }) => path));
  return inReadingOrder(accepted.filter(({ path }) => found.has(path) || !known.has(path)));
}

/** Source before docs before tests; then by path. */
function inReadingOrder(files: readonly FileEntry[]): FileEntry[] {
  const ordered = files.map((file) => ({ file, order: classOrder(classOf(file.path)) }));
  return ordered.sort((a, b) => a.order - b.order || (a.file.path < b.file.path ? -1 : 1)).map(({ file }) => file);
}

type FileText = ReadFile<{ path: string }>;

/** `matchLines` are 1-based. */
type Outcome =
  | { type: "searched"; path: string; text: string; matchLines: number[] }
  | { type: "skipped"; path: string; reason: string };

interface Search {
  pattern: LinePattern;
  /** On the clock of `performance.now()`. */
  until: number;
  texts: TextStore;
  runWithin: RunWithin;
  slices: TimeSlices;
  signal: AbortSignal | undefined;
}

async function* searchFiles(
  snapshot: Snapshot,
  files: readonly { path: string }[],
  search: Search,
): AsyncGenerator<Outcome> {
  for await (const batch of inBatches(readAhead(snapshot, files, search))) {
    if (performance.now() > search.until) return;
    yield* await searchBatch(batch, search);
  }
}

async function* inBatches(files: AsyncIterable<FileText>): AsyncGenerator<FileText[]> {
  let batch: FileText[] = [];
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

/** Searches one file after the other; one that takes too long is given up, and the rest goes on. */
async function searchBatch(
  batch: readonly FileText[],
  { pattern, until, runWithin, slices, signal }: Search,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const rest = batch.values();
  let path = "";
  const searchRest = () => {
    for (const { item, text, fault } of rest) {
      path = item.path;
      outcomes.push(
        fault === undefined
          ? { type: "searched", path, text, matchLines: pattern.matchLines(text) }
          : { type: "skipped", path, reason: fault },
      );
    }
  };
  while (!(await slices.run(() => runWithin(searchRest, { timeoutMs: stretchMs })))) {
    signal?.throwIfAborted();
    outcomes.push({ type: "skipped", path, reason: "the pattern takes too long in it; a simpler one may not" });
    if (performance.now() > until) break;
  }
  return outcomes;
}

/** Matching lines with their context; those that touch make one hit. */
function hitsOf(
  lines: readonly string[],
  matchLines: readonly number[],
  { contextLines, pattern }: { contextLines: number; pattern: LinePattern },
): Omit<GrepHit, "resource" | "path">[] {
  const groups: { startLine: number; endLine: number; matchLines: number[] }[] = [];
  for (const line of matchLines) {
    const startLine = Math.max(1, line - contextLines);
    const endLine = Math.min(lines.length, line + contextLines);
    const last = groups.at(-1);
    if (last !== undefined && startLine <= last.endLine + 1) {
      last.endLine = endLine;
      last.matchLines.push(line);
    } else groups.push({ startLine, endLine, matchLines: [line] });
  }
  return groups.map((group) => ({
    ...group,
    lines: lines.slice(group.startLine - 1, group.endLine).map((line) => clip(line, pattern)),
  }));
}

/** The pattern runs once more here, on a line that it got through before. */
function clip(line: string, pattern: LinePattern): string {
  if (line.length <= shownLineLength) return line;
  const start = Math.max(0, Math.min(pattern.indexIn(line) - 100, line.length - shownLineLength));
  const end = start + shownLineLength;
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
