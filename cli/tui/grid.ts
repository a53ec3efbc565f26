import type { Citation } from "../../server/protocol/citation.ts";
import type { Span } from "../render/spans.ts";
import type { Mark } from "../render/style.ts";
import { graphemeWidth, splitGraphemes } from "../render/width.ts";

/** One column of the screen. The second column of a wide character has the text "". */
export interface Cell {
  text: string;
  marks: readonly Mark[];
  href?: string | undefined;
  /** The citation that is shown there, for clicks. */
  citation?: Citation | undefined;
}

/** The cells of a row, one per column. */
export type Row = readonly Cell[];

/** What the screen shows. */
export interface Frame {
  columns: number;
  rows: readonly Row[];
  /** The place where text is typed; undefined hides the cursor. */
  cursor?: { column: number; row: number } | undefined;
}

const none: readonly Mark[] = [];
/** A cell without text. */
const blank: Cell = { text: " ", marks: none };

/** A line as exactly `columns` cells; what does not fit is cut. */
export function toRow(spans: readonly Span[], columns: number): Row {
  const row: Cell[] = [];
  for (const { text, ...look } of spans) {
    for (const grapheme of drawable(text)) {
      const width = graphemeWidth(grapheme);
      if (row.length + width > columns) return padRow(row, columns);
      row.push({ text: grapheme, ...look });
      if (width === 2) row.push({ text: "", ...look });
    }
  }
  return padRow(row, columns);
}

/** Breaks lines into rows of at most `columns` cells, wherever they reach the edge. */
export function foldLine(line: readonly Span[], columns: number): Span[][] {
  const rows: Span[][] = [[]];
  let column = 0;
  for (const span of line) {
    let text = "";
    for (const grapheme of drawable(span.text)) {
      const width = graphemeWidth(grapheme);
      if (column + width > columns && column > 0) {
        if (text !== "") rows.at(-1)?.push({ ...span, text });
        rows.push([]);
        text = "";
        column = 0;
      }
      text += grapheme;
      column += width;
    }
    if (text !== "") rows.at(-1)?.push({ ...span, text });
  }
  return rows;
}

/** The graphemes that are drawn, each in one or two columns. */
function drawable(text: string): string[] {
  return drawnGraphemes(text).flatMap(({ drawn, width }) => (width === 0 ? [] : [drawn]));
}

/**
 * What is drawn for each grapheme of a text, and in how many columns. Terminals disagree about the width of emoji with
 * a skin tone or joined to others, so only the first of them is drawn.
 */
export function drawnGraphemes(text: string): { source: string; drawn: string; width: number }[] {
  return splitGraphemes(text).map((source, index, all) => {
    const width = all[index - 1] === joiner ? 0 : graphemeWidth(source);
    return { source, drawn: width === 0 ? "" : source.replace(/(?<=.)\p{Emoji_Modifier}/u, ""), width };
  });
}

const joiner = "\u200D";

function padRow(row: readonly Cell[], columns: number): Row {
  return row.length === columns ? row : [...row, ...Array.from({ length: columns - row.length }, () => blank)];
}
