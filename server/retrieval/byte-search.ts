import { partDecoder, utf16Of } from "../lib/source-text.ts";
import type { LinePattern } from "./pattern.ts";
import { shownLines } from "./shown-lines.ts";
import type { TextMatches } from "./text-search.ts";

/** Searches the bytes of a text; undefined where it has to be decoded first. */
export type ByteSearch = (bytes: Buffer, options: { limit: number }) => TextMatches | undefined;

const lineEnd = 10;
const nothing: TextMatches = { count: 0, matchLines: [], lines: [] };

/**
 * Finds the literals of a pattern in bytes, and decodes only the lines that hold one. Undefined for a pattern that has
 * none in ASCII: other letters are other bytes in Latin-1 than in UTF-8.
 */
export function createByteSearch(
  pattern: LinePattern,
  { contextLines }: { contextLines: number },
): ByteSearch | undefined {
  if (pattern.literals === undefined || pattern.literals.some((text) => /\P{ASCII}/u.test(text))) return undefined;
  const literals = pattern.literals.map((text) => Buffer.from(text));

  return (bytes, { limit }) => {
    if (utf16Of(bytes) !== undefined) return undefined;
    const next = literalsIn(bytes, literals);
    let at = next(0);
    if (at === -1) return nothing;
    const { decodePart } = partDecoder(bytes);
    const matchLines: number[] = [];
    const starts: number[] = [];
    let count = 0;
    let number = 1;
    let counted = 0;
    while (at !== -1) {
      const start = bytes.lastIndexOf(lineEnd, at) + 1;
      const found = bytes.indexOf(lineEnd, at);
      const end = found === -1 ? bytes.length : found;
      if (pattern.isLiteral || pattern.indexIn(withoutReturn(decodePart(start, end))) !== -1) {
        if (count++ < limit) {
          number += countLineEnds(bytes, counted, start);
          counted = start;
          matchLines.push(number);
          starts.push(start);
        }
      }
      at = found === -1 ? -1 : next(end + 1);
    }
    return { count, matchLines, lines: shownLines(bytes, starts, { contextLines, pattern, decode: decodePart }) };
  };
}

/** Where one of the literals stands first from a place on, or -1. Places are asked for in ascending order. */
function literalsIn(bytes: Buffer, literals: readonly Buffer[]): (from: number) => number {
  const places = literals.map((literal) => ({ literal, at: -2 }));
  return (from) => {
    let first = -1;
    for (const place of places) {
      if (place.at !== -1 && place.at < from) place.at = bytes.indexOf(place.literal, from);
      if (place.at !== -1 && (first === -1 || place.at < first)) first = place.at;
    }
    return first;
  };
}

function countLineEnds(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (bytes[at] === lineEnd) count++;
  return count;
}

/** It belongs to the line end. */
function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
