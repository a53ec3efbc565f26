import { splitLines } from "../lib/source-text.ts";
import type { LinePattern } from "./pattern.ts";

/**
 * The lines that begin at `starts` and those around them, each once, in order. They are cut out of the text or its bytes,
 * which is not split as a whole for a few of its lines.
 */
export function shownLines(
  text: string | Buffer,
  starts: readonly number[],
  {
    contextLines,
    pattern,
    decode,
  }: { contextLines: number; pattern: LinePattern; decode: (from: number, until: number) => string },
): string[] {
  const lines: string[] = [];
  let shownUntil = 0;
  for (const start of starts) {
    let from = start;
    for (let before = 0; before < contextLines && from > shownUntil; before++) {
      from = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
    }
    let until = start;
    for (let after = 0; after <= contextLines && until < text.length; after++) {
      const end = text.indexOf("\n", until);
      until = end === -1 ? text.length : end + 1;
    }
    const shown = decode(Math.max(from, shownUntil), until);
    for (const line of splitLines(shown)) lines.push(clip(line, pattern));
    shownUntil = Math.max(shownUntil, until);
  }
  return lines;
}

/** Of a longer line, the part around its first match is shown. */
const shownLineLength = 900;

/** The pattern runs once more here, on a line that it got through before. */
function clip(line: string, pattern: LinePattern): string {
  if (line.length <= shownLineLength) return line;
  const start = Math.max(0, Math.min(pattern.indexIn(line) - 100, line.length - shownLineLength));
  const end = start + shownLineLength;
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
