import { type Fence, fenceAfter } from "../lib/markdown-fence.ts";
import type { LineRange } from "../protocol/citation.ts";

/** Consecutive lines of a file. */
export interface Stretch extends LineRange {
  lines: readonly string[];
  /** Whether it is prose. */
  isDocument: boolean;
}

/** Consecutive rows of a table or items of a list. */
export interface Series extends LineRange {
  /** The head of a table. */
  head: LineRange | undefined;
  rows: LineRange[];
}

/**
 * Splits lines into paragraphs of prose and code, whole fenced blocks, and the paragraphs of a long comment. Blocks
 * longer than `limit` are cut where something new begins.
 */
export function blocksOf(stretch: Stretch, { limit }: { limit: number }): LineRange[] {
  const blocks: LineRange[] = [];
  let fence: Fence | undefined;
  let start: number | undefined;
  for (const [index, text] of stretch.lines.entries()) {
    const line = stretch.startLine + index;
    const isBetween = fence === undefined && separates(text, stretch);
    if (stretch.isDocument) fence = fenceAfter(text, fence);
    if (!isBetween) start ??= line;
    else if (start !== undefined) {
      blocks.push({ startLine: start, endLine: line - 1 });
      start = undefined;
    }
  }
  if (start !== undefined) blocks.push({ startLine: start, endLine: stretch.endLine });
  return blocks.flatMap((block) => cut(block, { stretch, limit }));
}

/** The tables and lists of a document. */
export function seriesOf(stretch: Stretch): Series[] {
  if (!stretch.isDocument) return [];
  const found: Series[] = [];
  let fence: Fence | undefined;
  let open: Series | undefined;
  for (const [index, text] of stretch.lines.entries()) {
    const line = stretch.startLine + index;
    fence = fenceAfter(text, fence);
    const isRow = fence === undefined && rowStart.test(text);
    if (isRow && open !== undefined) {
      open.rows.push({ startLine: line, endLine: line });
      open.endLine = line;
    } else if (isRow) {
      open = { startLine: line, endLine: line, head: undefined, rows: [{ startLine: line, endLine: line }] };
      found.push(open);
    } else if (open !== undefined && text.trim() !== "" && (fence !== undefined || /^\s/.test(text))) {
      const last = open.rows.at(-1);
      if (last !== undefined) last.endLine = line;
      open.endLine = line;
    } else if (text.trim() !== "" || !rowStart.test(stretch.lines[index + 1] ?? "")) open = undefined;
  }
  return found.map((series) => withHead(series, stretch));
}

/** Blank lines, and lines that only delimit a comment or are empty in it, separate blocks. */
export function separates(text: string, { isDocument }: Pick<Stretch, "isDocument">): boolean {
  return isDocument ? /^\s*(?:<[^>]*>\s*)*$/.test(text) : /^\s*(?:\*|\/\/[/!]?|#|--)?\s*$/.test(text);
}

/** A row of a table or an item of a list, also within another. */
const rowStart = /^(?:\||\s*(?:[-*+]|\d{1,3}[.)])\s)/;
const rule = /^\|?[\s:|-]*-[\s:|-]*$/;

function withHead(series: Series, { lines, startLine }: Stretch): Series {
  const [first, second, ...rows] = series.rows;
  const isTable = second !== undefined && rule.test(lines[second.startLine - startLine] ?? "");
  if (!isTable || first === undefined) return series;
  return { ...series, head: { startLine: first.startLine, endLine: second.endLine }, rows };
}

/** Cuts at the least indented lines that begin something, else after a fixed number of lines. */
function cut(block: LineRange, { stretch, limit }: { stretch: Stretch; limit: number }): LineRange[] {
  if (block.endLine - block.startLine < limit) return [block];
  const textOf = (line: number) => stretch.lines[line - stretch.startLine] ?? "";
  const numbers = Array.from({ length: block.endLine - block.startLine + 1 }, (_, index) => block.startLine + index);
  const least = Math.min(...numbers.slice(1).map((line) => indentOf(textOf(line))));
  const parts: LineRange[] = [];
  for (const line of numbers) {
    const open = parts.at(-1);
    const begins = indentOf(textOf(line)) <= least && !/^\s*(?:[)}\]*]|end\b)/.test(textOf(line));
    if (open === undefined || begins || line - open.startLine >= limit) parts.push({ startLine: line, endLine: line });
    else open.endLine = line;
  }
  return parts;
}

function indentOf(text: string): number {
  return /^[\t ]*/.exec(text)?.[0].replaceAll("\t", "    ").length ?? 0;
}
