import { type PartDecoder, partDecoder, utf16Of } from "../../lib/source-text.ts";
import { once } from "../once.ts";
import { clipLine, clipPart, type LinePlaces, linesAround, shownLineLength } from "../shown-lines.ts";
import type { PartRange } from "../text-parts.ts";
import { createLineCounter } from "./line-counter.ts";
import { createLiteralFinder, type LiteralFinder } from "./literal-finder.ts";
import type { LinePattern } from "./pattern.ts";
import type { TextMatches } from "./text-search.ts";
import { createTextRoom, noText } from "./text-room.ts";

/** Searches the bytes of a text, or only where `ranges` say; undefined where it has to be decoded first. */
export type ByteSearch = (
  bytes: Buffer,
  options: { limit: number; ranges: readonly PartRange[] | undefined },
) => TextMatches | undefined;

const lineEnd = 10;
const carriageReturn = 13;
const nothing: TextMatches = { count: 0, matchLines: [], text: noText };

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
  const lines = createTextRoom();

  return (bytes, { limit, ranges }) => {
    if (utf16Of(bytes) !== undefined) return undefined;
    // To know what they are takes a look at all of them.
    const decoder = once(() => partDecoder(bytes));
    const parts = ranges !== undefined && decoder().encoding === "utf-8" ? ranges : undefined;
    const first = parts === undefined ? 0 : decoder().first;
    const lineNumbers = createLineCounter(bytes);
    const matchLines: number[] = [];
    const places: LinePlaces = { starts: [], ends: [] };
    let count = 0;
    let searched = 0;
    for (const range of parts ?? [{ start: 0, end: bytes.length, lineEnds: 0 }]) {
      const next = literalsIn(bytes, literals, first + range.end);
      lineNumbers.skipTo(first + range.start, range.lineEnds);
      for (let at = next(Math.max(searched, first + range.start)); at !== -1; at = next(searched)) {
        const end = endOfLine(bytes, at);
        searched = end + 1;
        if (pattern.isLiteral && count >= limit) {
          count++;
          continue;
        }
        const start = startOfLine(bytes, at);
        if (!pattern.isLiteral && pattern.indexIn(withoutReturn(decoder().decodePart(start, end))) === -1) continue;
        if (count++ >= limit) continue;
        matchLines.push(lineNumbers.numberOf(start));
        places.starts.push(start);
        places.ends.push(end);
      }
    }
    if (count === 0) return nothing;
    if (matchLines.length === 0) return { count, matchLines, text: noText };
    return { count, matchLines, text: textOf(bytes, linesAround(bytes, places, contextLines), decoder()) };
  };

  function textOf(bytes: Buffer, { starts, ends }: LinePlaces, decoder: PartDecoder): Buffer {
    const { first, encoding, isByteText, decodePart } = decoder;
    const isCutAsBytes = isByteText && pattern.isLiteral;
    for (let index = 0; index < starts.length; index++) {
      const start = Math.max(first, starts[index] ?? 0);
      const end = ends[index] ?? 0;
      const shownEnd = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
      if (encoding === "utf-8" && shownEnd - start <= shownLineLength) lines.addBytes(bytes, start, shownEnd);
      else if (isCutAsBytes) lines.addLine(clipBytes(bytes.subarray(start, shownEnd)));
      else lines.addLine(clipLine(decodePart(start, end), pattern.indexIn));
    }
    return lines.take();
  }

  /** The line of a bundle is long, and little of it is shown. */
  function clipBytes(line: Buffer): string {
    return clipPart(
      line.length,
      () => literalsIn(line, literals, line.length)(0),
      (from, until) => line.toString("latin1", from, until),
    );
  }
}

/** Most lines are shorter: as many bytes are looked at one by one, which is sooner than a call that finds the end. */
const shortLineBytes = 120;

function startOfLine(bytes: Buffer, at: number): number {
  const least = Math.max(0, at - shortLineBytes);
  for (let start = at; start > least; start--) if (bytes[start - 1] === lineEnd) return start;
  return least === 0 ? 0 : bytes.lastIndexOf(lineEnd, least - 1) + 1;
}

function endOfLine(bytes: Buffer, at: number): number {
  const most = Math.min(bytes.length, at + shortLineBytes);
  for (let end = at; end < most; end++) if (bytes[end] === lineEnd) return end;
  const end = bytes.indexOf(lineEnd, most);
  return end === -1 ? bytes.length : end;
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
