import type { LineRange } from "../protocol/citation.ts";

/**
 * The text of a file as one line, and where its lines begin in it. White space is kept, as one space, only between two
 * words: `f(\n  a,\n)` and `f( a, )` are the same text, `a b` and `ab` are not.
 */
export interface TextIndex {
  text: string;
  /** The lines that are not blank: their offsets into `text`, ascending, and their numbers. */
  offsets: readonly number[];
  lineNumbers: readonly number[];
}

/** Where a quote matches: its lines, and those of each of its pieces. */
export interface QuotePlace extends LineRange {
  pieces: readonly LineRange[];
}

/** Fewer characters than this, white space and omissions aside, are found in any file: such a quote proves nothing. */
const shortestQuote = 3;

/** An omission: an ellipsis, bare or in brackets, or the replacement of masked text (source/mask.ts). */
const elision = /\[(?:…|\.{3})\]|…|\.{3,}|‹(?:masked [\w ]+|U\+[0-9A-F]{4,6})›/;

export function isTelling(quote: string): boolean {
  return quote.split(elision).join("").replace(/\s/g, "").length >= shortestQuote;
}

export function indexText(lines: readonly string[]): TextIndex {
  const offsets: number[] = [];
  const lineNumbers: number[] = [];
  const parts: string[] = [];
  let length = 0;
  let previous = "";
  for (const [index, line] of lines.entries()) {
    const part = normalise(line);
    if (part === "") continue;
    const gap = endsInWord.test(previous) && beginsWithWord.test(part) ? " " : "";
    offsets.push(length + gap.length);
    lineNumbers.push(index + 1);
    parts.push(gap + part);
    length += gap.length + part.length;
    previous = part;
  }
  return { text: parts.join(""), offsets, lineNumbers };
}

/**
 * The ways to read a quote, in the order to try them, each as consecutive pieces: verbatim, with `\"` as `"`, and the
 * same cut at its omissions.
 */
export function readingsOf(quote: string): readonly (readonly string[])[] {
  const spellings = [...new Set([quote, quote.replaceAll('\\"', '"')])];
  return [...spellings.map((text) => [text]), ...spellings.map((text) => text.split(elision))]
    .map((pieces) => pieces.map(normalise).filter((piece) => piece !== ""))
    .filter((pieces) => pieces.length > 0);
}

/**
 * Each place where the pieces follow one another, in order, at most one for each line it begins on. The first one from
 * a line on is also the one that ends first. Takes time in proportion to the text, whatever repeats.
 */
export function* occurrences(pieces: readonly string[], index: TextIndex, fromLine: number): Generator<QuotePlace> {
  const { text, offsets } = index;
  const foundAt = pieces.map(() => -1);
  let entry = firstAtLeast(index.lineNumbers, fromLine);
  while (entry < offsets.length) {
    let position = offsets[entry] ?? text.length;
    const ranges: LineRange[] = [];
    for (const [at, piece] of pieces.entries()) {
      const known = foundAt[at] ?? -1;
      const found = known >= position ? known : text.indexOf(piece, position);
      if (found === -1) return;
      foundAt[at] = found;
      position = found + piece.length;
      ranges.push({ startLine: lineAt(index, found), endLine: lineAt(index, position - 1) });
    }
    const [startLine, endLine] = [ranges[0]?.startLine ?? 0, ranges.at(-1)?.endLine ?? 0];
    yield { startLine, endLine, pieces: ranges };
    entry = entryAt(index, foundAt[0] ?? 0) + 1;
  }
}

const word = String.raw`[\p{L}\p{N}_$]`;
const endsInWord = new RegExp(`${word}$`, "u");
const beginsWithWord = new RegExp(`^${word}`, "u");
const spaceBetweenWords = new RegExp(String.raw`(?<=(${word})?)\s+(?=(${word})?)`, "gu");

function normalise(text: string): string {
  return text
    .trim()
    .replace(spaceBetweenWords, (_, before: string | undefined, after: string | undefined) =>
      before === undefined || after === undefined ? "" : " ",
    );
}

function lineAt(index: TextIndex, offset: number): number {
  return index.lineNumbers[entryAt(index, offset)] ?? 0;
}

function entryAt({ offsets }: TextIndex, offset: number): number {
  return firstAtLeast(offsets, offset + 1) - 1;
}

/** Finds by halving the first place of an ascending list that holds `value` or more. */
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
