import type { BlockNode, TableCell } from "../../client/markdown/tree.ts";
import { inlineSpans } from "./inline.ts";
import { type Look, longestWord, type Span, spansWidth, trimEnd, wrapSpans } from "./spans.ts";
import { glyphsOf, type Mark } from "./style.ts";

type Align = TableCell["align"];

/**
 * The lines of a table that fits `width`: cells are wrapped. Where not even their longest words fit beside each other
 * each row becomes a list of its cells, named by their column: nothing is cut.
 */
export function tableLines(table: BlockNode & { type: "table" }, look: Look, width: number): Span[][] {
  const spansOf = (cells: readonly TableCell[], marks: readonly Mark[]) =>
    cells.map(({ content }) => inlineSpans(content, look, { marks }));
  const header = spansOf(table.header, ["bold"]);
  const rows = table.rows.map((row) => spansOf(row, []));
  const widths = fitColumns([header, ...rows], width - 3 * (header.length - 1));
  if (widths === undefined) return recordLines(header, rows, width);
  const { bar, cross, rule } = glyphsOf(look);
  const between = dim(` ${bar} `);
  const line = dim(widths.map((column) => rule.repeat(column)).join(`${rule}${cross}${rule}`));
  const layOut = (row: Span[][]): Span[][] => {
    const cells = row.map((cell, index) => wrapSpans(cell, widths[index] ?? 0));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, at) => {
      const spans = cells.map((cell, index) =>
        alignCell(cell[at] ?? [], widths[index] ?? 0, table.header[index]?.align),
      );
      return trimEnd(spans.flatMap((cell, index) => (index === 0 ? cell : [between, ...cell])));
    });
  };
  return [...layOut(header), [line], ...rows.flatMap(layOut)];
}

/** As wide as they would be, else as narrow as their longest word and what is left shared by need. */
function fitColumns(rows: readonly Span[][][], width: number): number[] | undefined {
  const columns = rows[0]?.map((_, index) => rows.map((row) => row[index] ?? [])) ?? [];
  const widest = (measure: (cell: Span[]) => number) => columns.map((cells) => Math.max(1, ...cells.map(measure)));
  const natural = widest((cell) => Math.max(0, ...wrapSpans(cell, Infinity).map(spansWidth)));
  const least = widest(longestWord);
  if (sum(natural) <= width) return natural;
  const spare = width - sum(least);
  if (spare < 0) return undefined;
  const needs = natural.map((wanted, index) => wanted - (least[index] ?? 0));
  return least.map((minimum, index) => minimum + Math.floor((spare * (needs[index] ?? 0)) / Math.max(1, sum(needs))));
}

function recordLines(header: readonly Span[][], rows: readonly Span[][][], width: number): Span[][] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [[]]),
    ...row.flatMap((cell, column) => wrapSpans([...(header[column] ?? []), { text: ": ", marks: [] }, ...cell], width)),
  ]);
}

function alignCell(cell: readonly Span[], width: number, align: Align): Span[] {
  const space = Math.max(0, width - spansWidth(cell));
  const before = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
  return [blank(before), ...cell, blank(space - before)].filter(({ text }) => text !== "");
}

function blank(width: number): Span {
  return { text: " ".repeat(width), marks: [] };
}

function dim(text: string): Span {
  return { text, marks: ["dim"] };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
