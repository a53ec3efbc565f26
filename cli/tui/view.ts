import { sourceKey } from "../../client/answer/sources.ts";
import type { Span } from "../render/spans.ts";
import { glyphsOf, type Style } from "../render/style.ts";
import { layOutChrome, welcomeLines } from "./chrome.ts";
import { type Frame, type Row, toRow } from "./grid.ts";
import { createRowMaker, createSegmentMaker, type Segment } from "./segments.ts";
import { withSelection } from "./selection.ts";
import { paneLines } from "./source-pane.ts";
import type { Size, TuiState } from "./state.ts";
import { createTranscript, type Transcript, type Viewport } from "./transcript.ts";

/** Draws states. Lays each part out once for a width. */
export interface View {
  draw(state: TuiState, size: Size): Frame;
  /** The transcript of a state, and where it and the cited lines are shown, for scrolling and the mouse. */
  transcript(
    state: TuiState,
    size: Size,
  ): { transcript: Transcript; viewport: Viewport; pane: Pane | undefined; segments: readonly Segment[] };
}

/** From this width on, cited lines are beside the answer, otherwise below it. */
const sideBySide = 120;
const paneShare = 0.45;
/** The bar between them, with a blank on each side. */
const paneGap = 3;
const paneRows = 14;

/** Creates the view of one terminal. */
export function createView(style: Style): View {
  const segmentsOfTurn = createSegmentMaker(style);
  const maker = createRowMaker();
  const welcomes = new WeakMap<object, Segment>();

  function segmentsOf({ turns, unfolded, welcome }: TuiState): readonly Segment[] {
    if (turns.length > 0) return turns.flatMap((turn) => segmentsOfTurn(turn, unfolded));
    const lines = (width: number) => welcomeLines(welcome, width, style);
    const known = welcomes.get(welcome) ?? { key: "welcome", isTight: true, isSettled: true, lines };
    welcomes.set(welcome, known);
    return [known];
  }

  return {
    transcript(state, size) {
      const segments = segmentsOf(state);
      const { height } = layOutChrome(state, size, style);
      return {
        transcript: createTranscript(segments, maker),
        ...divide(state, size, height),
        segments,
      };
    },
    draw(state, size) {
      const chrome = layOutChrome(state, size, style);
      const { viewport, pane } = divide(state, size, chrome.height);
      const shown = createTranscript(segmentsOf(state), maker).show(state.anchor, viewport);
      const area = padRows(shown.rows, viewport);
      const whole = pane === undefined ? area : withPane(area, { state, size, viewport, pane });
      return withSelection(chrome.frame(whole, shown.below), state.selection);
    },
  };

  function withPane(
    area: readonly Row[],
    { state, size: { columns }, viewport, pane }: { state: TuiState; size: Size; viewport: Viewport; pane: Pane },
  ): Row[] {
    const lines = state.source === undefined ? [] : paneLines(state.source, { ...pane, style });
    const { bar, rule } = glyphsOf(style);
    if (!pane.isBeside) {
      const rows = lines.map((line) => toRow(line, columns));
      return [...area, toRow([dim(rule.repeat(columns))], columns), ...padRows(rows, pane)];
    }
    const width = columns - viewport.width;
    return area.map((cells, index) => [...cells, ...toRow([dim(` ${bar} `), ...(lines[index] ?? [])], width)]);
  }
}

/** Where the cited lines are: below a rule, or beside the transcript. */
export interface Pane {
  isBeside: boolean;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** The part of the screen for the transcript, and for the cited lines where they are shown. */
function divide(
  { source }: TuiState,
  { columns }: Size,
  height: number,
): { viewport: Viewport; pane: Pane | undefined } {
  const isBeside = columns >= sideBySide;
  const width = isBeside ? Math.floor(columns * paneShare) : columns;
  const paneHeight = isBeside ? height : Math.min(paneRows, Math.floor(height / 2));
  if (source === undefined || paneHeight < 3)
    return { viewport: { width: columns, height, selected: undefined }, pane: undefined };
  const viewport = {
    width: isBeside ? columns - width - paneGap : columns,
    height: isBeside ? height : height - paneHeight - 1,
    selected: sourceKey(source.citation),
  };
  const place = isBeside ? { left: columns - width, top: 0 } : { left: 0, top: viewport.height + 1 };
  return { viewport, pane: { isBeside, ...place, width, height: paneHeight } };
}

function padRows(rows: readonly Row[], { width, height }: { width: number; height: number }): Row[] {
  const blank = toRow([], width);
  return [...rows, ...Array.from({ length: Math.max(0, height - rows.length) }, () => blank)].slice(0, height);
}

function dim(text: string): Span {
  return { text, marks: ["dim"] };
}
