import type { Tokens } from "marked";
import { type InlineContext, inlineSpans } from "./inline.ts";
import { longestWord, paintSpans, type Span, spansWidth, wrapSpans } from "./spans.ts";
import { glyphsOf, type Mark, paint } from "./style.ts";

type Align = Tokens.Table["align"][number];

/**
 * The lines of a table that fits `width`: cells are wrapped. Where not even their longest words fit beside each other
 * each row becomes a list of its cells, named by their column: nothing is cut.
 */
export function tableLines(table: Tokens.Table, context: InlineContext, width: number): string[] {
  const spansOf = (cells: readonly Tokens.TableCell[], marks: readonly Mark[]) =>
    cells.map(({ tokens }) => inlineSpans(tokens, context, { marks }));
  const header = spansOf(table.header, ["bold"]);
  const rows = table.rows.map((row) => spansOf(row, []));
  const widths = fitColumns([header, ...rows], width - 3 * (header.length - 1));
  if (widths === undefined) return recordLines(header, rows, { context, width });
  const { style } = context;
  const { bar, cross, rule } = glyphsOf(style);
  const between = paint(` ${bar} `, ["dim"], style);
  const line = paint(widths.map((column) => rule.repeat(column)).join(`${rule}${cross}${rule}`), ["dim"], style);
  const layOut = (row: Span[][]): string[] => {
    const cells = row.map((cell, index) => wrapSpans(cell, widths[index] ?? 0));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, at) =>
      cells
        .map((cell, index) => alignCell(cell[at] ?? [], widths[index] ?? 0, table.align[index] ?? null, context))
        .join(between)
        .trimEnd(),
    );
  };
  return [...layOut(header), line, ...rows.flatMap(layOut)];
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

function recordLines(
  header: readonly Span[][],
  rows: readonly Span[][][],
  { context, width }: { context: InlineContext; width: number },
): string[] {
  return rows.flatMap((row, index) => [
    ...(index === 0 ? [] : [""]),
    ...row.flatMap((cell, column) => {
      const name: Span[] = [...(header[column] ?? []), { text: ": ", marks: [] }];
      return wrapSpans([...name, ...cell], width).map((line) => paintSpans(line, context.style));
    }),
  ]);
}

function alignCell(cell: readonly Span[], width: number, align: Align, { style }: InlineContext): string {
  const space = Math.max(0, width - spansWidth(cell));
  const before = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
  return " ".repeat(before) + paintSpans(cell, style) + " ".repeat(space - before);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
