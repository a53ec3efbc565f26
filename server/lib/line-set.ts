import type { LineRange } from "../protocol/citation.ts";

/** A set of line numbers as sorted, disjoint ranges (1-based, inclusive). */
export type LineSet = readonly LineRange[];

/** Adds a range and merges it with overlapping and adjacent ones. */
export function addLines(set: LineSet, added: LineRange): LineSet {
  const before = set.filter(({ endLine }) => endLine < added.startLine - 1);
  const after = set.filter(({ startLine }) => startLine > added.endLine + 1);
  const touching = set.slice(before.length, set.length - after.length);
  const merged = {
    startLine: Math.min(added.startLine, touching[0]?.startLine ?? added.startLine),
    endLine: Math.max(added.endLine, touching.at(-1)?.endLine ?? added.endLine),
  };
  return [...before, merged, ...after];
}

/** Whether the set contains every line of the range. */
export function hasLines(set: LineSet, range: LineRange): boolean {
  return set.some(({ startLine, endLine }) => startLine <= range.startLine && range.endLine <= endLine);
}

/** The first subrange of `asked` that is missing from `set`. */
export function missingLines(set: LineSet, range: LineRange): LineRange | undefined {
  let next = range.startLine;
  for (const { startLine, endLine } of set) {
    if (endLine < next) continue;
    if (startLine > next) return { startLine: next, endLine: Math.min(startLine - 1, range.endLine) };
    next = endLine + 1;
    if (next > range.endLine) return undefined;
  }
  return next > range.endLine ? undefined : { startLine: next, endLine: range.endLine };
}
