import type { Cell, Frame, Row } from "./grid.ts";
import type { Place, Selection } from "./state.ts";

/** The frame with the selected cells set off. */
export function withSelection(frame: Frame, selection: Selection | undefined): Frame {
  if (selection === undefined) return frame;
  const rows = frame.rows.map((row, index): Row => {
    const [start, end] = columnsOf(selection, index);
    if (start >= end) return row;
    return row.map((cell, column): Cell => (column >= start && column < end ? { ...cell, marks: ["inverse"] } : cell));
  });
  return { ...frame, rows };
}

/** The selected text, without the blanks at the ends of its rows. */
export function selectedText({ rows }: Frame, selection: Selection): string {
  return rows
    .flatMap((row, index) => {
      const [start, end] = columnsOf(selection, index);
      if (start >= end) return [];
      const text = row.slice(start, end).map((cell) => cell.text);
      return [text.join("").trimEnd()];
    })
    .join("\n");
}

/** The selected columns of a row: from, and up to, not including. */
function columnsOf({ from, to, within }: Selection, row: number): [number, number] {
  const [first, last] = isBefore(from, to) ? [from, to] : [to, from];
  if (row < first.row || row > last.row) return [0, 0];
  const start = row === first.row ? Math.max(first.column, within.start) : within.start;
  return [start, row === last.row ? Math.min(last.column + 1, within.end) : within.end];
}

function isBefore(a: Place, b: Place): boolean {
  return a.row < b.row || (a.row === b.row && a.column <= b.column);
}
