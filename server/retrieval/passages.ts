import type { Definition } from "../lib/definitions.ts";
import type { LineRange } from "../protocol/citation.ts";
import type { ScoredChunk, ScoredFile } from "./score.ts";

/** A definition of at most so many lines is shown whole; of a longer one, a window. */
const definitionLimit = 60;
const windowLines = 60;
/** Of what the best passage of the file is worth: with less, another file's says more. Measured (bench/retrieval). */
const leastShare = 0.25;
/** Longer lines are data; a passage ends before them. */
const lineLengthLimit = 1000;

/**
 * The lines of a file to show, best first: the definition that the question names, and around each chunk that matches
 * the definition it stands in, or a window. `share` is the part of the file's score that they are worth.
 */
export function choosePassages(
  { chunks, symbols }: ScoredFile,
  { lines, definitions, limit }: { lines: readonly string[]; definitions: readonly Definition[]; limit: number },
): (LineRange & { share: number })[] {
  const best = chunks[0]?.score ?? 1;
  const named = symbols.slice(0, 1).filter(({ strength }) => strength >= 0.5);
  const candidates = [
    ...named.map(({ startLine, endLine }) => ({
      startLine,
      endLine: Math.min(endLine, startLine + definitionLimit - 1),
      share: 1,
    })),
    ...chunks.map((chunk) => ({ ...aroundChunk(chunk, { lines, definitions }), share: chunk.score / best })),
  ];
  if (candidates.length === 0)
    candidates.push({ startLine: 1, endLine: Math.min(windowLines, lines.length), share: 1 });
  const chosen: (LineRange & { share: number })[] = [];
  for (const { startLine, endLine, share } of candidates) {
    const range = withoutLongLines({ startLine, endLine }, lines);
    if (range === undefined || chosen.some((other) => overlaps(other, range))) continue;
    if (chosen.length >= limit || (chosen.length > 0 && share < leastShare)) break;
    chosen.push({ ...range, share });
  }
  return chosen;
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
      definition.endLine - definition.startLine < definitionLimit,
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
