import { linkEnd, linkStart, type Mark, sgrOf, type Style } from "../render/style.ts";
import type { Cell, Frame, Row } from "./grid.ts";

const csi = "\u001B[";

/**
 * The one write that turns the shown frame into the next: only cells that differ, without clearing, within a
 * synchronized update (https://gist.github.com/christianparpart/d8a62cc1ab659194337d73e399004036). The cursor is placed
 * in the same update. Without a shown frame every cell is drawn.
 */
export function drawFrame(shown: Frame | undefined, next: Frame, style: Pick<Style, "color" | "links">): string {
  const known = shown?.columns === next.columns && shown.rows.length === next.rows.length ? shown : undefined;
  const { moved, rows } = scrollRows(known?.rows, next.rows);
  const changes = next.rows.map((row, index) => drawRow(rows?.[index], row, { index, style })).join("");
  const { cursor } = next;
  const placed = cursor === undefined ? "" : `${csi}${cursor.row + 1};${cursor.column + 1}H${csi}?25h`;
  const isSame = cursor?.row === known?.cursor?.row && cursor?.column === known?.cursor?.column;
  if (moved === "" && changes === "" && isSame && known !== undefined) return "";
  return `${csi}?2026h${csi}?25l${moved}${changes}${placed}${csi}?2026l`;
}

/** A row as text that is printed where the cursor is, without the blanks at its end. */
export function rowText(row: Row, style: Pick<Style, "color" | "links">): string {
  const pen = createPen(style);
  const shown = row.slice(0, row.findLastIndex((one) => !isBlank(one)) + 1);
  return `${shown.map((cell) => pen.turnTo(cell) + cell.text).join("")}${pen.rest()}`;
}

/** Escape sequences between cells that look different or link elsewhere. */
function createPen(style: Pick<Style, "color" | "links">) {
  let looks = "";
  let linked: string | undefined;
  let link = "";
  return {
    turnTo({ marks, href }: Cell): string {
      const sgr = sgrOf(marks, style);
      const turns = sgr === looks ? "" : `${csi}0${sgr === "" ? "" : `;${sgr}`}m`;
      looks = sgr;
      return href === linked ? turns : turns + turnLink(href);
    },
    rest: () => (link === "" ? "" : linkEnd) + (looks === "" ? "" : `${csi}0m`),
  };

  function turnLink(href: string | undefined): string {
    const end = link === "" ? "" : linkEnd;
    linked = href;
    link = href === undefined ? "" : linkStart(href, style);
    return link === "" ? end : link;
  }
}

/** Rows that moved together are moved by the terminal, within a scroll region, instead of drawn again. */
function scrollRows(
  shown: readonly Row[] | undefined,
  next: readonly Row[],
): { moved: string; rows: readonly Row[] | undefined } {
  if (shown === undefined) return { moved: "", rows: undefined };
  const move = findMove(shown, next);
  if (move === undefined) return { moved: "", rows: shown };
  const { top, bottom, by } = move;
  const moved = `${csi}${top + 1};${bottom}r${csi}${Math.abs(by)}${by > 0 ? "S" : "T"}${csi}r`;
  const rows = shown.map((row, index) => {
    if (index < top || index >= bottom) return row;
    const from = index + by;
    return from >= top && from < bottom ? (shown[from] ?? row) : emptied(row);
  });
  return { moved, rows };
}

interface Move {
  /** The region: from `top` up to, not including, `bottom`. */
  top: number;
  bottom: number;
  /** Up by so many rows; negative is down. */
  by: number;
}

const farthestMove = 8;

/** The largest run of rows that are the same row objects as others nearby were. */
function findMove(shown: readonly Row[], next: readonly Row[]): Move | undefined {
  let best: Move | undefined;
  let most = 2;
  for (let by = -farthestMove; by <= farthestMove; by++) {
    if (by === 0) continue;
    const isMoved = (index: number) => next[index] !== undefined && next[index] === shown[index + by];
    for (let start = 0; start < next.length; start++) {
      let end = start;
      while (end < next.length && isMoved(end)) end++;
      const stays = next.slice(start, end).filter((row, index) => row === shown[start + index]).length;
      if (end - start - stays > most) {
        most = end - start - stays;
        best = { top: Math.min(start, start + by), bottom: Math.max(end, end + by), by };
      }
      start = end;
    }
  }
  return best;
}

const scrolledIn: Cell = { text: " ", marks: [] };

function emptied(row: Row): Row {
  return row.map(() => scrolledIn);
}

function drawRow(
  shown: Row | undefined,
  next: Row,
  { index, style }: { index: number; style: Pick<Style, "color" | "links"> },
): string {
  if (shown === next) return "";
  let output = "";
  let column = -1;
  const pen = createPen(style);
  const end = next.findLastIndex((cell) => !isBlank(cell)) + 1;
  for (let at = 0; at < end; at++) {
    const cell = next[at];
    if (cell === undefined || cell.text === "" || isSame(shown, next, at)) continue;
    if (column !== at) output += `${csi}${index + 1};${at + 1}H`;
    output += pen.turnTo(cell) + cell.text;
    // Terminals disagree about widths: only after ASCII is it certain where the cursor is.
    column = /^[\u0020-\u007E]$/.test(cell.text) ? at + 1 : -1;
  }
  const isTailShown = shown?.slice(end).every(isBlank) === true;
  output += pen.rest();
  if (end < next.length && !isTailShown) output += `${csi}${index + 1};${end + 1}H${csi}0m${csi}K`;
  return output === "" ? "" : `${output}${csi}0m`;
}

/** A wide character is drawn again where either of its columns differs. */
function isSame(shown: Row | undefined, next: Row, at: number): boolean {
  if (shown === undefined || !isSameCell(shown[at], next[at])) return false;
  return next[at + 1]?.text !== "" || isSameCell(shown[at + 1], next[at + 1]);
}

function isSameCell(a: Cell | undefined, b: Cell | undefined): boolean {
  return a?.text === b?.text && a?.href === b?.href && sameMarks(a?.marks, b?.marks);
}

function sameMarks(a: readonly Mark[] = [], b: readonly Mark[] = []): boolean {
  return a === b || (a.length === b.length && a.every((mark, index) => mark === b[index]));
}

function isBlank({ text, marks }: Cell): boolean {
  return text === " " && !marks.includes("inverse");
}
