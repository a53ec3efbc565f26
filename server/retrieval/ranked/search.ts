import { definitionsAround } from "../../source/definitions.ts";
import { boilerplateTest } from "../../source/grammars.ts";
import { splitLines } from "../../source/source-text.ts";
import type { Snapshot } from "../../resources/snapshot.ts";
import { kindOf } from "../file-class.ts";
import { filterFiles, nearestFiles } from "../glob.ts";
import { moduleStem } from "../index/twins.ts";
import type { IndexedSnapshot, Indexes } from "../indexing/indexes.ts";
import type { FileFilter, RankedPassage, SearchOptions, SkippedSearch, WordSearchResult } from "../retrieval.ts";
import { clipLine, shownAfter } from "../shown-lines.ts";
import { isSmallTree } from "../small-tree.ts";
import type { TextStore } from "../text-store.ts";
import type { ReadCandidate } from "./close-reading.ts";
import { narrowRange } from "./narrow.ts";
import { createPages } from "./pages.ts";
import { chooseFromChunk, chooseFromWindows } from "./passages.ts";
import { isOutput, readLimit, readPastedIssue } from "./pasted-issue.ts";
import { openPostings } from "./query-postings.ts";
import type { Query } from "./query.ts";
import { rankFiles } from "./rank-files.ts";
import { rankIssue } from "./rank-issue.ts";
import { densityOf, densityWorth } from "./density.ts";
import { explain } from "./reason.ts";
import { type TermStatistics, wordShares } from "./score.ts";
import { densestPlace, type TermFinder } from "./term-finder.ts";
import { rankWindows } from "./windows.ts";

/**
 * How long a search waits for an index. Waiting improves the results, but a search in a large tree should return within a
 * second, with the files that are indexed by then.
 */
const indexWaitMs = ({ files }: Snapshot) => (isSmallTree(files) ? 4000 : 700);

/** Each of the best files may have several passages, every other file one. */
const passagesOfBest = 4;
const bestFiles = 3;

interface SearchServices {
  indexes: Indexes;
  texts: TextStore;
  /** Called after the indexes have been built, or the wait for them has ended. */
  findPointedAt(): Promise<readonly PointedPassage[]>;
}

/** A passage that a question points at. */
export type PointedPassage = Omit<RankedPassage, "score">;

/** Whether two passages share lines of a file. */
export function coincides(a: PointedPassage, b: PointedPassage): boolean {
  const isSameFile = a.resource === b.resource && a.path === b.path;
  return isSameFile && a.startLine <= b.endLine && b.startLine <= a.endLine;
}

/** The passages that a question points at, then those that fit it best, over all snapshots. */
export async function searchSnapshots(
  snapshots: readonly Snapshot[],
  {
    query: text,
    offset = 0,
    limit,
    glob,
    kinds,
    passageLines,
    patienceMs,
    signal,
    indexes,
    texts,
    findPointedAt,
  }: SearchOptions & SearchServices,
): Promise<WordSearchResult> {
  const searched = [];
  for (const snapshot of snapshots) {
    const files = filterFiles(snapshot.files, { glob, kinds });
    const accepted = files === snapshot.files ? undefined : new Set(files.map(({ path }) => path));
    const indexed = await indexes.of(snapshot, { patienceMs: patienceMs ?? indexWaitMs(snapshot), signal });
    const postings = openPostings(indexed.index);
    const searchedFiles = countSearched(files, indexed);
    searched.push({ snapshot, files, accepted, searchedFiles, ...indexed, postings });
  }
  const wantsDrawings = glob !== undefined || drawingWords.test(text);
  const options = { limit: 4 * (offset + limit), wantsDrawings, texts, signal };
  const issue = readPastedIssue(text);
  const ranking =
    issue === undefined
      ? await rankFiles(searched, text, options)
      : await rankIssue(searched, issue, { pasted: text, ...options });
  const { query, statistics, findTerms, candidates } = ranking;
  const pages = createPages<RankedPassage>({ offset, limit });
  const best = candidates[0]?.scored.score ?? 1;
  const pointed = (await findPointedAt()).map((passage): RankedPassage => ({ ...passage, score: best }));
  // The files that an issue names are among those that it is about; a trace alone is about them.
  const isAboutPlaces = issue === undefined || isOutput(issue);
  const first = isAboutPlaces ? pointed : [];
  const kept: Kept[] = first.map((passage) => ({ passage, distinct: distinctLines(passage.lines) }));
  pages.add(first);
  const skipped: SkippedSearch[] = [];
  for (const [rank, candidate] of candidates.entries()) {
    if (pages.isSettled()) break;
    const found = await readPassages(candidate, {
      rank,
      query,
      statistics,
      findTerms,
      passageLines,
      texts,
      signal,
    });
    if ("fault" in found) skipped.push(found.fault);
    else {
      const before = kept.length;
      const others = found.passages.filter((passage) => !pointed.some((other) => coincides(other, passage)));
      const { score } = candidate.scored;
      const own = isAboutPlaces ? [] : pointed.filter((passage) => isOf(passage, candidate));
      for (const passage of [...own.map((passage) => ({ ...passage, score })), ...others]) {
        const added = { passage, distinct: distinctLines(passage.lines) };
        if (!kept.some((other) => isCopy(other, added))) kept.push(added);
      }
      pages.add(kept.slice(before).map(({ passage }) => passage));
    }
  }
  const words = query.terms.map(({ word }) => word);
  return {
    passages: pages.page(),
    hasMore: pages.hasMore(),
    skipped: [...skipped, ...searched.flatMap((one) => skippedOf(one, { glob, kinds }))],
    searchedFiles: searched.reduce((sum, { searchedFiles }) => sum + searchedFiles, 0),
    pendingFiles: searched.reduce((sum, { pending }) => sum + pending.size, 0),
    nearest: kept.length > 0 ? [] : nearestFiles(snapshots, words),
    words: wordShares(searched, text.slice(0, readLimit)),
  };
}

/** What a question that is about drawings says. */
const drawingWords = /\b(?:svgs?|drawings?|diagrams?|icons?|logos?|drawio|excalidraw)\b/i;

function countSearched(files: Snapshot["files"], { skipped, pending }: IndexedSnapshot): number {
  const unread = new Set(skipped.map(({ path }) => path));
  return files.reduce((count, { path }) => (unread.has(path) || pending.has(path) ? count : count + 1), 0);
}

function skippedOf(
  { snapshot: { resource }, skipped }: IndexedSnapshot & { snapshot: Snapshot },
  filter: FileFilter,
): SkippedSearch[] {
  return filterFiles(skipped, filter).map((file) => ({ resource, ...file }));
}

function isOf({ resource, path }: PointedPassage, { snapshot, index, scored }: ReadCandidate): boolean {
  return resource === snapshot.resource && path === index.files[scored.file]?.path;
}

interface ReadOptions {
  /** The file's position among those found; 0 is the best. */
  rank: number;
  query: Query;
  statistics: TermStatistics;
  findTerms: TermFinder;
  passageLines: number | undefined;
  texts: TextStore;
  signal: AbortSignal | undefined;
}

async function readPassages(
  { snapshot, index, scored, reading }: ReadCandidate,
  { rank, query, statistics, findTerms, passageLines, texts, signal }: ReadOptions,
): Promise<{ passages: RankedPassage[] } | { fault: SkippedSearch }> {
  const { resource, revision } = snapshot;
  const file = index.files[scored.file];
  if (file === undefined) return { passages: [] };
  const { path } = file;
  const read = await texts.read(snapshot, path, { signal });
  signal?.throwIfAborted();
  if (read.fault !== undefined) return { fault: { resource, path, reason: read.fault } };
  const lines = splitLines(read.text);
  const definitions = read.definitions();
  const isBoilerplate = boilerplateTest(path, lines);
  const ranges =
    reading !== undefined
      ? chooseFromWindows(scored, {
          windows: rankWindows(scored, { reading, lines, definitions, findTerms, isBoilerplate, statistics }),
          lines,
          definitions,
          findTerms,
          isLookUp: query.isLookUp,
          limit: rank < bestFiles ? passagesOfBest : 1,
        })
      : chooseFromChunk(scored, { lines, definitions, findTerms });
  const termsIn = (line: string) => densestPlace(line, { findTerms, length: shownAfter });
  const termsOf = (text: string) => findTerms(text).flatMap((found) => found.terms);
  const ofPath = termsOf(path);
  const passages = ranges.map(({ share, ...range }): RankedPassage => {
    const { startLine, endLine } =
      passageLines === undefined
        ? range
        : narrowRange(range, { lines, definitions, findTerms, isBoilerplate, statistics, limit: passageLines });
    const shown = lines.slice(startLine - 1, endLine).map((line) => clipLine(line, termsIn));
    const terms = shown.map(termsOf);
    const scope = definitionsAround({ startLine, endLine }, definitions);
    const passage = { startLine, endLine, lines: shown, terms };
    const explained = explain(passage, { query, statistics, definitions });
    const kind = kindOf(file.fileClass);
    const density = densityOf(terms, { ofPath, statistics });
    const score = (scored.score * share * (1 + densityWorth * density)) / (1 + densityWorth);
    return { resource, revision, path, startLine, endLine, lines: shown, score, kind, scope, ...explained };
  });
  return { passages };
}

interface Kept {
  passage: RankedPassage;
  /** Its lines longer than three characters, so not lone brackets. */
  distinct: ReadonlySet<string>;
}

/**
 * Whether one passage is a copy of the other, such as vendored code or the same page in two places: most lines of the
 * shorter one are in the longer one. For two builds of one module (`dist` and `dist/cjs`), half of the lines suffice,
 * because the module format changes imports and exports.
 */
function isCopy(a: Kept, b: Kept): boolean {
  if (a.passage.path === b.passage.path && a.passage.resource === b.passage.resource) return false;
  const [longer, shorter] = a.distinct.size < b.distinct.size ? [b.distinct, a.distinct] : [a.distinct, b.distinct];
  if (shorter.size < 3) return false;
  const leastShared = areBuildsOfOneModule(a.passage, b.passage) ? 0.5 : 0.8;
  return [...shorter].filter((line) => longer.has(line)).length >= leastShared * shorter.size;
}

function areBuildsOfOneModule(a: RankedPassage, b: RankedPassage): boolean {
  const stem = moduleStem(a.path);
  return a.resource === b.resource && stem !== undefined && stem === moduleStem(b.path);
}

function distinctLines(lines: readonly string[]): Set<string> {
  return new Set(lines.map((line) => line.trim()).filter((line) => line.length > 3));
}
