import type { LineRange } from "../protocol/citation.ts";

/** The text of a file with each run of white space as one space, and where its lines begin in it. */
export interface TextIndex {
  text: string;
  /** Of the lines that are not blank: offsets into `text`, ascending, and their numbers. */
  offsets: readonly number[];
  lineNumbers: readonly number[];
}

/** Fewer characters than this, white space aside, are found in any file: such a quote proves nothing. */
const shortestQuote = 3;

/** An omission: an ellipsis, bare or in brackets, or the replacement of masked text (source/mask.ts). */
const elision = /\[(?:…|\.{3})\]|…|\.{3,}|‹(?:masked [\w ]+|U\+[0-9A-F]{4,6})›/;

export function isTelling(quote: string): boolean {
  return quote.replace(/\s/g, "").length >= shortestQuote;
}

export function indexText(lines: readonly string[]): TextIndex {
  const parts: string[] = [];
  const offsets: number[] = [];
  const lineNumbers: number[] = [];
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    const part = normalise(line);
    if (part === "") continue;
    parts.push(part);
    offsets.push(offset);
    lineNumbers.push(index + 1);
    offset += part.length + 1;
  }
  return { text: parts.join(" "), offsets, lineNumbers };
}

/**
 * How a quote matches this text, as consecutive pieces: verbatim, else with `\"` as `"`, else the pieces between its
 * elisions. Undefined if none of these is in the text.
 */
export function piecesOf(quote: string, index: TextIndex): readonly string[] | undefined {
  const readings = [[quote], [quote.replaceAll('\\"', '"')], quote.split(elision)];
  return readings
    .map((pieces) => pieces.map(normalise).filter((piece) => piece !== ""))
    .filter((pieces) => isTelling(pieces.join("")))
    .find((pieces) => occurrences(pieces, index, 1).next().done === false);
}

/**
 * The lines of each place where the pieces follow one another, in order, at most one for each line it begins on. The
 * first one from a line on is also the one that ends first. Takes time in proportion to the text, whatever repeats.
 */
export function* occurrences(pieces: readonly string[], index: TextIndex, fromLine: number): Generator<LineRange> {
  const { text, offsets } = index;
  const foundAt = pieces.map(() => -1);
  let entry = firstAtLeast(index.lineNumbers, fromLine);
  while (entry < offsets.length) {
    const begin = offsets[entry] ?? text.length;
    let position = begin;
    for (const [at, piece] of pieces.entries()) {
      const known = foundAt[at] ?? -1;
      const found = known >= position ? known : text.indexOf(piece, position);
      if (found === -1) return;
      foundAt[at] = found;
      position = found + piece.length;
    }
    const first = entryAt(index, foundAt[0] ?? begin);
    const last = entryAt(index, position - 1);
    yield { startLine: index.lineNumbers[first] ?? 0, endLine: index.lineNumbers[last] ?? 0 };
    entry = first + 1;
  }
}

function normalise(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function entryAt({ offsets }: TextIndex, offset: number): number {
  return firstAtLeast(offsets, offset + 1) - 1;
}

/** By halving: the first place of an ascending list that holds `value` or more. */
function firstAtLeast(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? Infinity) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
