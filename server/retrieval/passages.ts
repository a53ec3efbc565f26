import type { Definition } from "../lib/definitions.ts";
import type { LineRange } from "../protocol/citation.ts";
import type { ScoredChunk, ScoredFile } from "./score.ts";
import type { SymbolMatch } from "./symbols.ts";
import { type ScoredWindow, windowLines } from "./windows.ts";

/** Lines of a file to show; `share` is the part of the file's score that they are worth. */
export interface ChosenPassage extends LineRange {
  share: number;
}

/** A match of a plain word of a sentence is weaker: it may be no name. */
const namedStrength = 0.41;
/** Of a definition that is longer than a passage, so much of its comment is shown. */
const commentLines = 15;
/** Of what the best passage of the file is worth: with less, another file's says more. Measured (bench/retrieval). */
const leastShare = 0.5;
/** Longer lines are data; a passage ends before them. */
const lineLengthLimit = 1000;

/** The definition that a short question names, then the windows that hold most of it; best first, none over another. */
export function choosePassages(
  { symbols }: Pick<ScoredFile, "symbols">,
  {
    windows,
    lines,
    definitions,
    isLookUp,
    limit,
  }: {
    windows: readonly ScoredWindow[];
    lines: readonly string[];
    definitions: readonly Definition[];
    isLookUp: boolean;
    limit: number;
  },
): ChosenPassage[] {
  const best = windows[0]?.score ?? 1;
  const named = isLookUp ? symbols.slice(0, 1).filter(({ strength }) => strength >= namedStrength) : [];
  const candidates: ChosenPassage[] = [
    ...named.map((symbol) => ({ ...partOf(symbol, definitions), share: 1 })),
    // The second passage of a file that fits well says more than the first of one that fits half as well.
    ...windows.map(({ startLine, endLine, score }) => ({ startLine, endLine, share: Math.sqrt(score / best) })),
  ];
  const chosen: ChosenPassage[] = [];
  for (const { startLine, endLine, share } of candidates) {
    const range = withoutLongLines({ startLine, endLine }, lines);
    if (range === undefined || chosen.some((other) => overlaps(other, range))) continue;
    if (chosen.length >= limit || (chosen.length > 0 && share < leastShare)) break;
    chosen.push({ ...range, share });
  }
  return chosen.length > 0 ? chosen : beginning(lines);
}

/** One passage for a file that is not among the best: around the chunk that matches best, the definition or a window. */
export function choosePassage(
  { chunks: [chunk] }: Pick<ScoredFile, "chunks">,
  { lines, definitions }: { lines: readonly string[]; definitions: readonly Definition[] },
): ChosenPassage[] {
  const range = chunk && withoutLongLines(aroundChunk(chunk, { lines, definitions }), lines);
  return range === undefined ? beginning(lines) : [{ ...range, share: 1 }];
}

function beginning(lines: readonly string[]): ChosenPassage[] {
  const range = withoutLongLines({ startLine: 1, endLine: Math.min(windowLines, lines.length) }, lines);
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
  { lines, definitions }: { lines: readonly string[]; definitions: readonly Definition[] },
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
  { lines, definitions }: { lines: readonly string[]; definitions: readonly Definition[] },
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

/** The longest part of a range without a line that is too long to show. */
function withoutLongLines({ startLine, endLine }: LineRange, lines: readonly string[]): LineRange | undefined {
  let best: LineRange | undefined;
  let start = startLine;
  for (let line = startLine; line <= endLine + 1; line++) {
    if (line <= endLine && (lines[line - 1]?.length ?? Infinity) <= lineLengthLimit) continue;
    if (line > start && line - start > lengthOf(best)) best = { startLine: start, endLine: line - 1 };
    start = line + 1;
  }
  return best;
}

function lengthOf(range: LineRange | undefined): number {
  return range === undefined ? 0 : range.endLine - range.startLine + 1;
}
