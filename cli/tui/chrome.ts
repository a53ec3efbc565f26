import { clean, cleanLine } from "../render/clean.ts";
import { type Span, wrapSpans } from "../render/spans.ts";
import { glyphsOf, type Style } from "../render/style.ts";
import { displayWidth } from "../render/width.ts";
import { type Draft, shownCursor, shownText } from "./draft.ts";
import { drawnGraphemes, type Frame, type Row, toRow } from "./grid.ts";
import { firstState, type ListView, type Size, type TuiState } from "./state.ts";

const promptRows = 8;
const listRows = 8;
const queueRows = 3;
/** Less of the model's name says nothing. */
const leastAbout = 8;

/** The lines below the transcript, at the bottom of the screen. */
export interface Chrome {
  /** The rows that are left for the transcript. */
  height: number;
  /** The whole screen; `below` is how many lines of the transcript come after those shown. */
  frame(area: readonly Row[], below: number): Frame;
}

/** Lays out everything but the transcript. */
export function layOutChrome(state: TuiState, { columns, rows }: Size, style: Style): Chrome {
  const prompt = promptOf(state.draft, { columns, style, limit: Math.max(1, Math.min(promptRows, rows - 4)) });
  const list = state.list === undefined ? [] : listLines(state.list, { columns, style, room: rows - 4 });
  const queue = state.queue.slice(-queueRows).map((text) => [dim(`  next: ${cleanLine(text, style, columns - 9)}`)]);
  const above = [...queue, ...list, ...noticeLines(state, columns, style)];
  const height = Math.max(1, rows - prompt.lines.length - above.length - 2);
  return {
    height,
    frame(area, below) {
      const bottom = [
        ruleLine(state, { columns, below, style }),
        ...above,
        ...prompt.lines,
        statusLine(state, columns, style),
      ].map((line) => toRow(line, columns));
      const screen = [...area, ...bottom].slice(-rows);
      const promptRow = screen.length - 1 - prompt.lines.length;
      return { columns, rows: screen, cursor: cursorOf(promptRow) };
    },
  };

  /** The cursor is at the insertion point of the prompt or of a picker's query: input methods show their text there. */
  function cursorOf(promptRow: number): Frame["cursor"] {
    const query = state.list?.query;
    if (query === undefined && state.focus !== "prompt") return undefined;
    const { column, row } =
      query === undefined
        ? prompt.cursor
        : { column: queryColumn(state.list?.title ?? "", query), row: queue.length - above.length };
    return { column: Math.min(column, columns - 1), row: promptRow + row };
  }
}

function queryColumn(title: string, query: Draft): number {
  const before = `${title}: ${shownText(query).slice(0, shownCursor(query))}`;
  return drawnGraphemes(before).reduce((sum, { width }) => sum + width, 0);
}

/** The first screen, before anything else is loaded. */
export function firstFrame(size: Size, style: Style): Frame {
  const { height, frame } = layOutChrome(firstState, size, style);
  const lines = [...welcomeLines(firstState.welcome, size.columns, style), ...Array.from({ length: height }, () => [])];
  return frame(
    lines.slice(0, height).map((line) => toRow(line, size.columns)),
    0,
  );
}

/** The text of an empty conversation. */
export function welcomeLines(welcome: readonly string[], width: number, style: Style): Span[][] {
  return welcome.flatMap((line, index) =>
    wrapSpans([{ text: clean(line, style), marks: index === 0 ? ["bold"] : [] }], width),
  );
}

interface Prompt {
  lines: Span[][];
  cursor: { column: number; row: number };
}

/** The draft with its prompt mark; of a longer one the rows around the cursor. */
function promptOf(draft: Draft, { columns, style, limit }: { columns: number; style: Style; limit: number }): Prompt {
  const mark = style.unicode ? "❯ " : "> ";
  const shown = clean(shownText(draft), { unicode: true });
  const at = clean(shownText(draft).slice(0, shownCursor(draft)), { unicode: true }).length;
  const { rows, cursor } = foldDraft(shown, { at, width: columns - mark.length - 1 });
  const first = Math.max(0, Math.min(cursor.row - limit + 1, rows.length - limit));
  const lines = rows.slice(first, first + limit).map((text, index): Span[] => [
    { text: first + index === 0 ? mark : "  ", marks: ["bold"] },
    { text, marks: [] },
  ]);
  return { lines, cursor: { column: cursor.column + mark.length, row: cursor.row - first } };
}

/** The rows of a text that is cut at `width` columns, and where the offset `at` is in them. */
export function foldDraft(text: string, { at, width }: { at: number; width: number }) {
  const rows = [""];
  let cursor = { column: 0, row: 0 };
  let column = 0;
  let offset = 0;
  for (const { source, width: columns } of drawnGraphemes(text)) {
    if (column + columns > width && column > 0) {
      rows.push("");
      column = 0;
    }
    if (offset === at) cursor = { column, row: rows.length - 1 };
    offset += source.length;
    if (source === "\n") {
      rows.push("");
      column = 0;
    } else {
      rows[rows.length - 1] += source;
      column += columns;
    }
  }
  if (offset === at) cursor = { column, row: rows.length - 1 };
  return { rows, cursor };
}

function listLines(
  { title, query, choices, selected }: ListView,
  { columns, style, room }: { columns: number; style: Style; room: number },
): Span[][] {
  const limit = Math.max(1, Math.min(listRows, room - 2));
  const first = Math.max(0, Math.min(selected - limit + 1, choices.length - limit));
  // Details start in one column, unless a label is long.
  const labels = choices.map(({ label }) => displayWidth(label)).filter((width) => width <= columns / 2);
  const labelWidth = Math.max(0, ...labels);
  const rows = choices.slice(first, first + limit).map((choice, index): Span[] => {
    const isSelected = first + index === selected;
    const label = cleanLine(choice.label, style, columns - 4);
    const gap = " ".repeat(Math.max(2, labelWidth - displayWidth(label) + 2));
    const detail = cleanLine(choice.detail ?? "", style, Math.max(0, columns - displayWidth(label) - gap.length - 4));
    return [
      { text: isSelected ? (style.unicode ? "❯ " : "> ") : "  ", marks: ["bold"] },
      { text: label, marks: isSelected ? ["inverse"] : [] },
      { text: detail === "" ? "" : `${gap}${detail}`, marks: ["dim"] },
    ];
  });
  const head = query === undefined ? [] : [[dim(`${title}: `), { text: shownText(query), marks: ["bold" as const] }]];
  const none = choices.length === 0 ? [[dim("  no match")]] : [];
  return [...head, ...rows, ...none];
}

function noticeLines({ notice }: TuiState, columns: number, style: Style): Span[][] {
  if (notice === undefined) return [];
  return [[{ text: cleanLine(notice.text, style, columns - 1), marks: [notice.mark] }]];
}

/** The line between the transcript and the prompt; it says how much is below. */
function ruleLine(
  { anchor }: TuiState,
  { columns, below, style }: { columns: number; below: number; style: Style },
): Span[] {
  const { rule } = glyphsOf(style);
  const count = anchor === undefined || below === 0 ? "" : ` ${below} ${below === 1 ? "line" : "lines"} below, End `;
  return [dim(rule.repeat(Math.max(0, columns - displayWidth(count) - 2))), dim(count), dim(rule.repeat(2))];
}

function statusLine(state: TuiState, columns: number, style: Style): Span[] {
  const keys = fitKeys(keysOf(state), columns);
  const room = columns - displayWidth(keys) - 3;
  const about = room < leastAbout ? "" : cleanLine(state.about, style, room);
  const gap = " ".repeat(Math.max(1, columns - displayWidth(keys) - displayWidth(about)));
  return [dim(keys), dim(gap), dim(about)];
}

/** As many as fit, whole. */
function fitKeys(keys: readonly string[], columns: number): string {
  const fitting = keys.filter((_, index) => displayWidth(keys.slice(0, index + 1).join("  ")) <= columns);
  return fitting.join("  ");
}

/** The keys that matter now, the most important first. */
function keysOf({ focus, list, draft, turns, source }: TuiState): string[] {
  if (list !== undefined) {
    const { choices, selected } = list;
    const count = choices.length > listRows ? [`${Math.max(0, selected + 1)} of ${choices.length}`] : [];
    const keys = selected === -1 ? ["Tab completes", "Enter runs", "Esc closes"] : ["Enter chooses", "Esc closes"];
    return [...keys, ...count];
  }
  if (focus === "answer") {
    const [opens, ...scrolls] = source === undefined ? ["Enter opens"] : ["Enter editor", "J/K scroll lines"];
    return ["n/N citation", opens, "Esc prompt", ...scrolls, "/ search", "r reasoning", "t tools"];
  }
  if (turns.at(-1)?.status === "running") return [...(draft.text === "" ? [] : ["Enter asks next"]), "Esc Esc stops"];
  return turns.length === 0 ? ["/ commands", "@ resources"] : ["Tab citations", "/ commands", "@ resources"];
}

function dim(text: string): Span {
  return { text, marks: ["dim"] };
}
