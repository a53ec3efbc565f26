import type { Style } from "../render/style.ts";
import type { Terminal } from "../terminal.ts";
import { layOutChrome } from "./chrome.ts";
import { rowText } from "./draw.ts";
import { type Frame, type Row, toRow } from "./grid.ts";
import { type Painter, throttle } from "./painter.ts";
import { asidesLast, createRowMaker, createSegmentMaker, type Segment } from "./segments.ts";
import { paneLines } from "./source-pane.ts";
import type { Size, TuiState } from "./state.ts";

const csi = "\u001B[";
/** Rows of the unfinished answer, and of cited lines, above the prompt. */
const tailRows = 6;
const paneRows = 14;

/**
 * Prints what is settled into the normal screen, once, and draws the rest below it again: the terminal keeps its own
 * scrollback and selection.
 */
export function createInlinePainter(
  { stdout }: Pick<Terminal, "stdout">,
  { style, state, size }: { style: Style; state: () => TuiState; size: () => Size },
): Painter {
  const segmentsOfTurn = createSegmentMaker(style);
  const maker = createRowMaker();
  const printed = new Set<string>();
  let region: Frame | undefined;
  let last = "";

  const isPrinted = ({ key }: Segment) => printed.has(key);
  const segmentsOf = ({ turns, unfolded }: TuiState) =>
    turns.flatMap((turn) => asidesLast(segmentsOfTurn(turn, unfolded)));
  const rowsOf = (segment: Segment, { columns }: Size) =>
    maker.rows(segment, { width: columns, selected: undefined, isFirst: printed.size === 0 });

  function takeSettled(segments: readonly Segment[], shown: Size): Row[] {
    return segments
      .filter((segment) => segment.isSettled && !isPrinted(segment))
      .flatMap((segment) => {
        const rows = rowsOf(segment, shown);
        printed.add(segment.key);
        return rows;
      });
  }

  function liveFrame(segments: readonly Segment[], shown: Size): Frame {
    const now = state();
    const chrome = layOutChrome(now, { ...shown, rows: Math.min(shown.rows, tailRows + paneRows + 8) }, style);
    const room = Math.max(1, chrome.height - 1);
    const pane =
      now.source === undefined ? [] : paneLines(now.source, { width: shown.columns, height: paneRows, style });
    const tail = segments.filter((segment) => !isPrinted(segment)).flatMap((segment) => rowsOf(segment, shown));
    const rows = [...tail.slice(-tailRows), ...pane.map((line) => toRow(line, shown.columns))];
    return chrome.frame(rows.slice(-room), 0);
  }

  function paint(): void {
    const shown = size();
    const segments = segmentsOf(state());
    const settled = takeSettled(segments, shown);
    const next = liveFrame(segments, shown);
    const lines = next.rows.map((row) => rowText(row, style));
    const { cursor } = next;
    const place =
      cursor === undefined
        ? ""
        : `${moveUp(lines.length - 1 - cursor.row)}\r${cursor.column === 0 ? "" : `${csi}${cursor.column}C`}${csi}?25h`;
    const drawn = `${lines.join("\r\n")}${place}`;
    if (settled.length === 0 && drawn === last) return;
    const text = settled.map((row) => `${rowText(row, style)}\r\n`).join("");
    stdout.write(`${csi}?2026h${csi}?25l${toRegionStart(shown)}${text}${drawn}${csi}?2026l`);
    region = next;
    last = drawn;
  }

  /** Back to the first row of what was drawn, which the terminal may have wrapped anew, and blank from there. */
  function toRegionStart({ columns }: Size): string {
    if (region === undefined) return "";
    const { cursor = { row: region.rows.length - 1, column: 0 } } = region;
    const above = region.rows.slice(0, cursor.row).reduce((count, row) => count + heightAt(row, columns), 0);
    return `${moveUp(above + Math.floor(cursor.column / columns))}\r${csi}J`;
  }

  const clock = throttle({ stdout }, paint);
  return {
    ...clock,
    pause() {
      clock.pause();
      // What the other program prints begins where the region did, and stays.
      stdout.write(toRegionStart(size()));
      region = undefined;
      last = "";
    },
    stop() {
      clock.stop();
      const shown = size();
      const rest = takeSettled(segmentsOf(state()), shown);
      stdout.write(`${toRegionStart(shown)}${rest.map((row) => `${rowText(row, style)}\r\n`).join("")}${csi}?25h`);
      region = undefined;
    },
    redraw() {
      last = "";
      clock.now();
    },
  };
}

function moveUp(rows: number): string {
  return rows > 0 ? `${csi}${rows}A` : "";
}

function heightAt(row: Row, columns: number): number {
  const width = row.findLastIndex(({ text, marks }) => text !== " " || marks.length > 0) + 1;
  return Math.max(1, Math.ceil(width / columns));
}
