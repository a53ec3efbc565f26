import type { PartRange } from "../text-parts.ts";
import type { MatchingLines } from "./pattern.ts";

/** Finds the lines of a text that contain one of a few literals: counts all, returns the first `limit`. */
export type LineFinder = (
  bytes: Buffer,
  options: {
    limit: number;
    /** Where a literal may begin, in bytes. */
    ranges: readonly PartRange[];
  },
) => MatchingLines;

const lineEnd = 10;

/** The literals are ASCII and not empty. */
export function createLineFinder(literals: readonly string[]): LineFinder {
  const needles = literals.map((text) => Buffer.from(text));
  return (bytes, { limit, ranges }) => {
    const found: MatchingLines = { count: 0, numbers: [], starts: [], ends: [] };
    let searched = 0;
    let counted = 0;
    let number = 1;
    for (const range of ranges) {
      const next = createSearch(bytes, needles, range.end);
      if (range.start > counted) {
        counted = range.start;
        number = 1 + range.lineEnds;
      }
      for (let at = next(Math.max(searched, range.start)); at !== -1; at = next(searched)) {
        const end = endOfLine(bytes, at);
        searched = end + 1;
        if (found.count++ >= limit) continue;
        number += countLineEnds(bytes, counted, at);
        counted = at;
        found.numbers.push(number);
        found.starts.push(startOfLine(bytes, at));
        found.ends.push(end);
      }
    }
    return found;
  };
}

/** The first offset of any needle from an offset on and before `end`, or -1. Call it with ascending offsets. */
function createSearch(bytes: Buffer, needles: readonly Buffer[], end: number): (from: number) => number {
  const searches = needles.map((needle) => ({ needle, within: bytes.subarray(0, end + needle.length - 1), at: -2 }));
  return (from) => {
    let first = -1;
    for (const search of searches) {
      if (search.at !== -1 && search.at < from) search.at = search.within.indexOf(search.needle, from);
      if (search.at !== -1 && (first === -1 || search.at < first)) first = search.at;
    }
    return first;
  };
}

/** Most lines are shorter. A loop over so few bytes is faster than a call into Node. */
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

function countLineEnds(bytes: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at++) if (bytes[at] === lineEnd) count++;
  return count;
}
