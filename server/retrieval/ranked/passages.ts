import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { ScoredChunk, ScoredFile } from "./score.ts";
import type { SymbolMatch } from "./symbols.ts";
import type { TermFinder } from "./term-finder.ts";
import { type ScoredWindow, windowLines } from "./windows.ts";

/** Lines of a file to show; `share` is the part of the file's score that they are worth. */
export interface ChosenPassage extends LineRange {
  share: number;
}

/** A match of a plain word of a sentence is weaker: it may be no name. */
const namedStrength = 0.41;
/** Of a definition that is longer than a passage, so much of its comment is shown. */
const commentLines = 15;
/** The least share of the score of the file's best passage; below it, another file's says more. Measured (bench/retrieval). */
const leastShare = 0.5;
/** Longer lines are data; a passage ends before them, unless there is nothing else that holds a word of the question. */
const lineLengthLimit = 1000;

interface FileLines {
  lines: readonly string[];
  definitions: readonly Definition[];
  findTerms: TermFinder;
}

/** The definition that a short question names, then the windows that hold most of it; best first, none over another. */
export function choosePassages(
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
    // The second passage of a file that fits well says more than the first of one that fits half as well.
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

/** One passage for a file that is not among the best: around the chunk that matches best, the definition or a window. */
export function choosePassage({ chunks: [chunk] }: Pick<ScoredFile, "chunks">, file: FileLines): ChosenPassage[] {
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

/** Grows to a window that begins with a definition, else after a blank line. */
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

/** The longest part that holds a word of the question and no long line; where only a long line holds one, that line. */
function showablePart(range: LineRange, { lines, findTerms }: Pick<FileLines, "lines" | "findTerms">) {
  const parts = partsOf(range, lines);
  const plain = parts.filter(({ startLine }) => !isLong(lines[startLine - 1]));
  if (plain.length === parts.length) return longest(plain);
  const holds = ({ startLine, endLine }: LineRange) =>
    lines.slice(startLine - 1, endLine).some((line) => findTerms(line).length > 0);
  return longest(plain.filter(holds)) ?? parts.find(holds) ?? longest(plain);
}

/** Each long line is a part by itself. */
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

/** A file that has become shorter has no such line to show. */
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
