import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { ScoredChunk, ScoredFile } from "./score.ts";
import type { SymbolMatch } from "./symbols.ts";
import type { TermFinder } from "./term-finder.ts";
import { type ScoredWindow, windowLines } from "./windows.ts";

/** Lines of a file to show. */
export interface ChosenPassage extends LineRange {
  /** The part of the file's score that the passage gets. */
  share: number;
}

/** The least strength of a match with a name. A plain word of a sentence matches less strongly, as it may not be a name. */
const namedStrength = 0.41;
/** How many comment lines are shown above a definition that is longer than a passage. */
const commentLines = 15;
/** A passage with a smaller share is dropped in favour of other files. Measured (bench/retrieval). */
const leastShare = 0.5;
/** Longer lines are data: a passage ends before them, unless only they contain a word of the question. */
const lineLengthLimit = 1000;

interface FileLines {
  lines: readonly string[];
  definitions: readonly Definition[];
  findTerms: TermFinder;
}

/**
 * Chooses several passages of a file that was read word by word, best first, without overlaps: the definition that a
 * short question names, then the windows with the most matches.
 */
export function chooseFromWindows(
  { symbols }: Pick<ScoredFile, "symbols">,
  {
    windows,
    isLookUp,
    limit,
    ...file
  }: FileLines & {
    windows: readonly ScoredWindow[];
    isLookUp: boolean;
    limit: number;
  },
): ChosenPassage[] {
  const best = windows[0]?.score ?? 1;
  const named = isLookUp ? symbols.slice(0, 1).filter(({ strength }) => strength >= namedStrength) : [];
  const candidates: ChosenPassage[] = [
    ...named.map((symbol) => ({ ...partOf(symbol, file.definitions), share: 1 })),
    // The square root: the second passage of a well matching file is better than the first of one that matches half as well.
    ...windows.map(({ startLine, endLine, score }) => ({ startLine, endLine, share: Math.sqrt(score / best) })),
  ];
  const chosen: ChosenPassage[] = [];
  for (const { startLine, endLine, share } of candidates) {
    const range = showablePart({ startLine, endLine }, file);
    if (range === undefined || chosen.some((other) => overlaps(other, range))) continue;
    if (chosen.length >= limit || (chosen.length > 0 && share < leastShare)) break;
    chosen.push({ ...range, share });
  }
  return chosen.length > 0 ? chosen : beginning(file);
}

/**
 * Chooses one passage of a file that was not read word by word: the definition around its best chunk, or a window around
 * that chunk.
 */
export function chooseFromChunk({ chunks: [chunk] }: Pick<ScoredFile, "chunks">, file: FileLines): ChosenPassage[] {
  const range = chunk && showablePart(aroundChunk(chunk, file), file);
  return range === undefined ? beginning(file) : [{ ...range, share: 1 }];
}

function beginning(file: FileLines): ChosenPassage[] {
  const range = showablePart({ startLine: 1, endLine: Math.min(windowLines, file.lines.length) }, file);
  return range === undefined ? [] : [{ ...range, share: 1 }];
}

function partOf({ startLine, endLine }: SymbolMatch, definitions: readonly Definition[]): LineRange {
  const line = definitions.find((definition) => definition.startLine === startLine)?.line ?? startLine;
  const start = endLine - startLine < windowLines ? startLine : Math.max(startLine, line - commentLines);
  return { startLine: start, endLine: Math.min(endLine, start + windowLines - 1) };
}

function overlaps(a: LineRange, b: LineRange): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine;
}

function aroundChunk(
  { startLine, endLine: ownEnd }: ScoredChunk,
  { lines, definitions }: Pick<FileLines, "lines" | "definitions">,
): LineRange {
  const endLine = ownEnd ?? lines.length;
  const around = definitions.find(
    (definition) =>
      definition.startLine <= startLine &&
      definition.endLine >= endLine &&
      definition.endLine - definition.startLine < windowLines,
  );
  return around ?? widen({ startLine, endLine }, { lines, definitions });
}

/** Extends the range to a window that starts at a definition or after a blank line. */
function widen(
  { startLine, endLine }: LineRange,
  { lines, definitions }: Pick<FileLines, "lines" | "definitions">,
): LineRange {
  const missing = Math.max(0, windowLines - (endLine - startLine + 1));
  const first = Math.max(1, startLine - Math.floor(missing / 2));
  const before = Array.from({ length: startLine - first + 1 }, (_, index) => first + index);
  const starts = new Set(definitions.map((definition) => definition.startLine));
  const isBlank = (line: number) => (lines[line - 1] ?? "").trim() === "";
  return {
    startLine: before.find((line) => starts.has(line)) ?? before.find((line) => isBlank(line - 1)) ?? startLine,
    endLine: Math.min(lines.length, endLine + Math.ceil(missing / 2)),
  };
}

/**
 * The longest part without a long line that contains a word of the question. If only a long line contains one, that line.
 */
function showablePart(range: LineRange, { lines, findTerms }: Pick<FileLines, "lines" | "findTerms">) {
  const parts = partsOf(range, lines);
  const plain = parts.filter(({ startLine }) => !isLong(lines[startLine - 1]));
  if (plain.length === parts.length) return longest(plain);
  const holds = ({ startLine, endLine }: LineRange) =>
    lines.slice(startLine - 1, endLine).some((line) => findTerms(line).length > 0);
  return longest(plain.filter(holds)) ?? parts.find(holds) ?? longest(plain);
}

/** Splits a range so that each long line is a part of its own. */
function partsOf({ startLine, endLine }: LineRange, lines: readonly string[]): LineRange[] {
  const parts: LineRange[] = [];
  for (let line = startLine; line <= endLine; line++) {
    const last = parts.at(-1);
    if (last === undefined || isLong(lines[line - 1]) || isLong(lines[line - 2]))
      parts.push({ startLine: line, endLine: line });
    else last.endLine = line;
  }
  return parts;
}

/** A line beyond the end of a file that has become shorter counts as long, so that it is not shown. */
function isLong(line: string | undefined): boolean {
  return line === undefined || line.length > lineLengthLimit;
}

function longest(ranges: readonly LineRange[]): LineRange | undefined {
  const length = ({ startLine, endLine }: LineRange) => endLine - startLine;
  return ranges.reduce<LineRange | undefined>(
    (best, range) => (best === undefined || length(range) > length(best) ? range : best),
    undefined,
  );
}
