import { partDecoder, utf16Of } from "../../lib/source-text.ts";
import { shownLines, clipPart, clipLine } from "../shown-lines.ts";
import type { PartRange } from "../text-parts.ts";
import { createLineCounter } from "./line-counter.ts";
import { createLiteralFinder, type LiteralFinder } from "./literal-finder.ts";
import type { LinePattern } from "./pattern.ts";
import type { TextMatches } from "./text-search.ts";

/** Searches the bytes of a text, or only where `ranges` say; undefined where it has to be decoded first. */
export type ByteSearch = (
  bytes: Buffer,
  options: { limit: number; ranges: readonly PartRange[] | undefined },
) => TextMatches | undefined;

const lineEnd = 10;
const carriageReturn = 13;
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
  const literals = pattern.literals.map((text): Literal => ({ length: text.length, find: createLiteralFinder(text) }));

  return (bytes, { limit, ranges }) => {
    if (utf16Of(bytes) !== undefined) return undefined;
    const { encoding, first, isByteText, decodePart } = partDecoder(bytes);
    const lines = createLineCounter(bytes);
    const matchLines: number[] = [];
    const starts: number[] = [];
    let count = 0;
    let searched = 0;
    for (const range of (encoding === "utf-8" && ranges) || [{ start: 0, end: bytes.length, lineEnds: 0 }]) {
      const next = literalsIn(bytes, literals, first + range.end);
      lines.skipTo(first + range.start, range.lineEnds);
      for (let at = next(Math.max(searched, first + range.start)); at !== -1; at = next(searched)) {
        const start = bytes.lastIndexOf(lineEnd, at) + 1;
        const found = bytes.indexOf(lineEnd, at);
        const end = found === -1 ? bytes.length : found;
        searched = end + 1;
        if (!pattern.isLiteral && pattern.indexIn(withoutReturn(decodePart(start, end))) === -1) continue;
        if (count++ >= limit) continue;
        matchLines.push(lines.numberOf(start));
        starts.push(start);
      }
    }
    if (count === 0) return nothing;
    const showLine = (start: number, end: number) =>
      isByteText && pattern.isLiteral
        ? showBytes(bytes.subarray(start, bytes[end - 1] === carriageReturn ? end - 1 : end))
        : clipLine(decodePart(start, end), pattern.indexIn);
    return { count, matchLines, lines: shownLines(bytes, starts, { contextLines, showLine }) };
  };

  /** The line of a bundle is long, and little of it is shown. */
  function showBytes(line: Buffer): string {
    return clipPart(
      line.length,
      () => literalsIn(line, literals, line.length)(0),
      (from, until) => line.toString("latin1", from, until),
    );
  }
}

interface Literal {
  length: number;
  find: LiteralFinder;
}

/** Where one of the literals first begins from a place on and before an end, or -1. Places are asked in ascending order. */
function literalsIn(bytes: Buffer, literals: readonly Literal[], end: number): (from: number) => number {
  const places = literals.map(({ length, find }) => ({ find, within: bytes.subarray(0, end + length - 1), at: -2 }));
  return (from) => {
    let first = -1;
    for (const place of places) {
      if (place.at !== -1 && place.at < from) place.at = place.find(place.within, from);
      if (place.at !== -1 && (first === -1 || place.at < first)) first = place.at;
    }
    return first;
  };
}

/** It belongs to the line end. */
function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
