import type { GrepHit, MatchesInFile } from "../retrieval.ts";
import type { TextMatches } from "./text-search.ts";

type ShownMatches = Pick<TextMatches, "matchLines" | "text">;

/** Matching lines from the `first` to the `last` of a text, with those around them. */
export function pageOf(
  matches: ShownMatches,
  { contextLines, first, last }: { contextLines: number; first: number; last: number },
): ShownMatches {
  const { matchLines, text } = matches;
  if (first <= 0 && last >= matchLines.length) return matches;
  const start = Math.max(0, first);
  const shown = matchLines.slice(start, Math.max(0, last));
  const groups = groupLines(shown, contextLines);
  const skipped = linesBefore(groups[0]?.startLine ?? 0, groupLines(matchLines.slice(0, start), contextLines));
  const lines = splitEnded(text).slice(skipped, skipped + linesBefore(Infinity, groups));
  return { matchLines: shown, text: Buffer.from(lines.map((line) => `${line}\n`).join("")) };
}

export function hitsIn({ resource, path, matchLines, text }: MatchesInFile, contextLines: number): GrepHit[] {
  const lines = splitEnded(text);
  let at = 0;
  return groupLines(matchLines, contextLines).map(({ startLine, endLine, matchLines }) => {
    const found = lines.slice(at, (at += endLine - startLine + 1));
    // The text may end before its context does.
    return { resource, path, startLine, endLine: startLine + found.length - 1, lines: found, matchLines };
  });
}

interface LineGroup {
  startLine: number;
  endLine: number;
  matchLines: number[];
}

function groupLines(matchLines: readonly number[], contextLines: number): LineGroup[] {
  const groups: LineGroup[] = [];
  for (const line of matchLines) {
    const startLine = Math.max(1, line - contextLines);
    const endLine = line + contextLines;
    const last = groups.at(-1);
    if (last !== undefined && startLine <= last.endLine + 1) {
      last.endLine = endLine;
      last.matchLines.push(line);
    } else groups.push({ startLine, endLine, matchLines: [line] });
  }
  return groups;
}

function linesBefore(line: number, groups: readonly LineGroup[]): number {
  const lengths = groups.map(({ startLine, endLine }) => Math.max(0, Math.min(endLine + 1, line) - startLine));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** The lines of a text in which every line ends with `\n`. */
function splitEnded(text: Buffer): string[] {
  return text.toString().split("\n").slice(0, -1);
}
