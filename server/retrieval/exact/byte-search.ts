import { type PartDecoder, partDecoder, utf16Of } from "../../source/source-text.ts";
import { once } from "../once.ts";
import { clipLine, clipPart, type LinePlaces, linesAround, shownLineLength } from "../shown-lines.ts";
import type { PartRange } from "../text-parts.ts";
import { createLineFinder } from "./line-finder.ts";
import type { LinePattern, MatchingLines } from "./pattern.ts";
import { createTextBuffer, noText } from "./text-buffer.ts";
import type { TextMatches } from "./text-search.ts";

/** Searches the bytes of a text, or only its `ranges`; undefined if the text must be decoded first. */
export type ByteSearch = (
  bytes: Buffer,
  options: { limit: number; ranges: readonly PartRange[] | undefined },
) => TextMatches | undefined;

const carriageReturn = 13;
const nothing: TextMatches = { count: 0, matchLines: [], text: noText };

/**
 * Finds the literals of a pattern in bytes, and decodes only the lines that contain one. Undefined for a pattern
 * without ASCII literals: the bytes of other letters depend on the encoding.
 */
export function createByteSearch(
  pattern: LinePattern,
  { contextLines }: { contextLines: number },
): ByteSearch | undefined {
  const { literals } = pattern;
  if (literals === undefined || literals.some((text) => /\P{ASCII}/u.test(text))) return undefined;
  const findLines = createLineFinder(literals);
  const room = createTextBuffer();

  return (bytes, { limit, ranges }) => {
    if (utf16Of(bytes) !== undefined) return undefined;
    // Their encoding is only known after reading all of them.
    const decoder = once(() => partDecoder(bytes));
    const isInParts = ranges !== undefined && decoder().encoding === "utf-8";
    const parts = isInParts ? movedBy(ranges, decoder().first) : [{ start: 0, end: bytes.length, lineEnds: 0 }];
    const { count, numbers, ...places } = pattern.isLiteral
      ? findLines(bytes, { limit, ranges: parts })
      : onlyMatching(findLines(bytes, { limit: Infinity, ranges: parts }), { limit, decoder });
    if (count === 0) return nothing;
    if (numbers.length === 0) return { count, matchLines: numbers, text: noText };
    return { count, matchLines: numbers, text: textOf(bytes, linesAround(bytes, places, contextLines), decoder()) };
  };

  function onlyMatching(
    { numbers, starts, ends }: MatchingLines,
    { limit, decoder }: { limit: number; decoder: () => PartDecoder },
  ): MatchingLines {
    const matching: MatchingLines = { count: 0, numbers: [], starts: [], ends: [] };
    for (const [index, number] of numbers.entries()) {
      const start = starts[index] ?? 0;
      const end = ends[index] ?? 0;
      if (pattern.indexIn(withoutReturn(decoder().decodePart(start, end))) === -1) continue;
      if (matching.count++ >= limit) continue;
      matching.numbers.push(number);
      matching.starts.push(start);
      matching.ends.push(end);
    }
    return matching;
  }

  function textOf(bytes: Buffer, { starts, ends }: LinePlaces, decoder: PartDecoder): Buffer {
    const { first, encoding, isByteText, decodePart } = decoder;
    const isCutAsBytes = isByteText && pattern.isLiteral;
    room.begin();
    for (let index = 0; index < starts.length; index++) {
      const start = Math.max(first, starts[index] ?? 0);
      const end = ends[index] ?? 0;
      const shownEnd = end > start && bytes[end - 1] === carriageReturn ? end - 1 : end;
      if (encoding === "utf-8" && shownEnd - start <= shownLineLength) room.addBytes(bytes, start, shownEnd);
      else if (isCutAsBytes) room.addLine(clipBytes(bytes.subarray(start, shownEnd)));
      else room.addLine(clipLine(decodePart(start, end), pattern.indexIn));
    }
    return room.take();
  }

  /** Lines of bundles are long, and only a part is shown. */
  function clipBytes(line: Buffer): string {
    return clipPart(
      line.length,
      () => firstOf(line, pattern.literals ?? []),
      (from, until) => line.toString("latin1", from, until),
    );
  }
}

/** Moves ranges that follow a byte order mark. */
function movedBy(ranges: readonly PartRange[], bytes: number): readonly PartRange[] {
  if (bytes === 0) return ranges;
  return ranges.map(({ start, end, lineEnds }) => ({ start: start + bytes, end: end + bytes, lineEnds }));
}

/** Where one of the literals first begins, or -1. */
function firstOf(line: Buffer, literals: readonly string[]): number {
  const places = literals.map((text) => line.indexOf(text)).filter((at) => at !== -1);
  return places.length === 0 ? -1 : Math.min(...places);
}

/** It belongs to the line end. */
function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
