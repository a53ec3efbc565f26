import type { LineRange } from "../protocol/citation.ts";

/** Where lines of a file are in its committed version. */
export interface CommittedLines {
  /** Undefined if none of the lines is committed. */
  range: LineRange | undefined;
  /** How many of the lines are not committed. */
  uncommitted: number;
}

/**
 * Finds lines of a file with uncommitted edits in the committed version. Lines are the same if their text is, and if they
 * are at the start, at the end, unique in both versions, or next to such lines.
 */
export function findCommitted(
  now: readonly string[],
  committed: readonly string[],
  { startLine, endLine }: LineRange,
): CommittedLines {
  const matches = matchLines(now, committed);
  const found = matches.slice(startLine - 1, endLine).filter((line) => line !== undefined);
  const uncommitted = endLine - startLine + 1 - found.length;
  if (found.length === 0) return { range: undefined, uncommitted };
  return { range: { startLine: Math.min(...found) + 1, endLine: Math.max(...found) + 1 }, uncommitted };
}

/** For each line the index of the same line in the committed version. */
function matchLines(now: readonly string[], committed: readonly string[]): (number | undefined)[] {
  const matches: (number | undefined)[] = now.map(() => undefined);
  const unique = uniqueLines(committed);
  let last = -1;
  for (const [line, index] of uniqueLines(now)) {
    const other = unique.get(line);
    if (other === undefined || other <= last) continue;
    matches[index] = other;
    last = other;
  }
  const isSame = (index: number, other: number) => now[index] !== undefined && now[index] === committed[other];
  for (let index = 0; index < now.length; index++) {
    const before = index === 0 ? -1 : matches[index - 1];
    if (matches[index] === undefined && before !== undefined && isSame(index, before + 1)) matches[index] = before + 1;
  }
  for (let index = now.length - 1; index >= 0; index--) {
    const after = index === now.length - 1 ? committed.length : matches[index + 1];
    if (matches[index] === undefined && after !== undefined && isSame(index, after - 1)) matches[index] = after - 1;
  }
  return matches;
}

/** The lines that occur once, with their index, in order. */
function uniqueLines(lines: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  const repeated = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (found.has(line)) repeated.add(line);
    else found.set(line, index);
  }
  for (const line of repeated) found.delete(line);
  return found;
}
