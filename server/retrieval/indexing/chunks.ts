import type { Definition } from "../../source/definitions.ts";

/** Lines of a file that are scored together. 1-based, inclusive. */
export interface Chunk {
  startLine: number;
  endLine: number;
}

const shortestLines = 6;
const longestLines = 48;

/**
 * Cuts a file into chunks that begin where definitions begin. Definitions inside a short one stay with it; small
 * neighbours share a chunk, long stretches are cut at their emptiest line.
 */
export function cutChunks(lines: readonly string[], definitions: readonly Definition[]): Chunk[] {
  const chunks: Chunk[] = [];
  let start = 1;
  for (const cut of [...cutsAt(definitions), lines.length + 1]) {
    if (cut - start < shortestLines && cut <= lines.length) continue;
    while (cut - start > longestLines) {
      const end = quietLine(lines, start + longestLines / 2, start + longestLines - 1);
      chunks.push({ startLine: start, endLine: end });
      start = end + 1;
    }
    if (cut > start) chunks.push({ startLine: start, endLine: cut - 1 });
    start = cut;
  }
  return chunks;
}

/** The lines at which a definition begins, and those after one that is short enough to be a chunk. */
function cutsAt(definitions: readonly Definition[]): number[] {
  const cuts = new Set<number>();
  let shortEnd = 0;
  for (const { startLine, line, endLine } of definitions) {
    if (line <= shortEnd) continue;
    cuts.add(startLine);
    if (endLine - startLine >= longestLines) continue;
    shortEnd = endLine;
    cuts.add(endLine + 1);
  }
  return [...cuts].sort((a, b) => a - b);
}

/** The last blank line in the range, else the last one. */
function quietLine(lines: readonly string[], first: number, last: number): number {
  for (let line = last; line >= first; line--) if ((lines[line - 1] ?? "").trim() === "") return line;
  return last;
}
