import { citationStateWords, formatLines } from "../../server/protocol/citation.ts";
import { runningTurn } from "../../client/conversation.ts";
import { looksOf } from "../render/citations.ts";
import { clean, cleanLine } from "../render/clean.ts";
import type { Span } from "../render/spans.ts";
import { glyphsOf, type Style } from "../render/style.ts";
import { displayWidth, graphemeWidth, splitGraphemes } from "../render/width.ts";
import { type Draft, shownCursor, shownText } from "./draft.ts";
import { type Frame, type Row, toRow } from "./grid.ts";
import { createRowMaker, createSegmentMaker, type Segment, sourceKey } from "./segments.ts";
import type { ListView, Size, SourceView, TuiState } from "./state.ts";
import { createTranscript, type Transcript, type Viewport } from "./transcript.ts";

/** Draws states. Lays each part out once for a width. */
export interface View {
  draw(state: TuiState, size: Size): Frame;
  /** The transcript of a state and where it is shown, for scrolling. */
  transcript(state: TuiState, size: Size): { transcript: Transcript; viewport: Viewport; segments: readonly Segment[] };
}

const promptRows = 8;
const listRows = 8;
const queueRows = 3;
/** From this width on, cited lines are beside the answer, otherwise below it. */
const sideBySide = 120;

export function createView(style: Style): View {
  const segmentsOfTurn = createSegmentMaker(style);
  const maker = createRowMaker();
  const welcomes = new WeakMap<object, Segment>();

  function segmentsOf({ turns, unfolded, welcome }: TuiState): readonly Segment[] {
    if (turns.length > 0) return turns.flatMap((turn) => segmentsOfTurn(turn, unfolded));
    const known = welcomes.get(welcome) ?? welcomeSegment(welcome, style);
    welcomes.set(welcome, known);
    return [known];
  }

  function place(state: TuiState, { columns, rows }: Size) {
    const prompt = promptOf(state.draft, { columns, style, limit: Math.max(1, Math.min(promptRows, rows - 4)) });
    const list = state.list === undefined ? [] : listLines(state.list, { columns, style, room: rows - 4 });
    const queue = state.queue.slice(-queueRows).map((text) => [dim(`  next: ${cleanLine(text, style, columns - 9)}`)]);
    const below = [...queue, ...list, ...noticeLines(state, columns, style)];
    const height = Math.max(1, rows - prompt.lines.length - below.length - 2);
    const isBeside = columns >= sideBySide;
    const paneWidth = isBeside ? Math.floor(columns * 0.45) : columns;
    const paneHeight = isBeside ? height : Math.min(14, Math.floor(height / 2));
    const hasPane = state.source !== undefined && paneHeight > 2;
    const viewport: Viewport = {
      width: hasPane && isBeside ? columns - paneWidth - 3 : columns,
      height: hasPane && !isBeside ? height - paneHeight - 1 : height,
      selected: state.source === undefined ? undefined : sourceKey(state.source.citation),
    };
    return {
      prompt,
      below,
      height,
      viewport,
      pane: hasPane ? { isBeside, width: paneWidth, height: paneHeight } : undefined,
    };
  }

  return {
    transcript(state, size) {
      const segments = segmentsOf(state);
      return { transcript: createTranscript(segments, maker), viewport: place(state, size).viewport, segments };
    },
    draw(state, size) {
      const { columns } = size;
      const { prompt, below, height, viewport, pane } = place(state, size);
      const transcript = createTranscript(segmentsOf(state), maker);
      const shown = transcript.show(state.anchor, viewport);
      const row = (spans: readonly Span[]) => toRow(spans, columns);
      let area: Row[] = [...shown.rows];
      while (area.length < viewport.height) area.push(row([]));
      if (pane !== undefined && state.source !== undefined) {
        const lines = paneLines(state.source, { ...pane, style });
        area = pane.isBeside
          ? area.map((cells, index) => [
              ...cells,
              ...toRow([dim(` ${glyphsOf(style).bar} `), ...(lines[index] ?? [])], columns - viewport.width),
            ])
          : [...area, row([dim(glyphsOf(style).rule.repeat(columns))]), ...padded(lines, pane.height).map(row)];
      }
      const rows = [
        ...area.slice(0, height),
        row(ruleLine(state, { columns, below: shown.below, style })),
        ...below.map(row),
        ...prompt.lines.map(row),
        row(statusLine(state, columns, style)),
      ];
      const top = size.rows - 1 - prompt.lines.length;
      const cursor =
        state.focus === "prompt" && state.list?.query === undefined
          ? { column: Math.min(prompt.cursor.column, columns - 1), row: top + prompt.cursor.row }
          : undefined;
      return { columns, rows: rows.slice(-size.rows), cursor };
    },
  };
}

function welcomeSegment(welcome: readonly string[], style: Style): Segment {
  const lines = welcome.map((line, index): Span[] => [
    { text: clean(line, style), marks: index === 0 ? ["bold"] : [] },
  ]);
  return { key: "welcome", isTight: true, lines: () => lines };
}

interface Prompt {
  lines: Span[][];
  cursor: { column: number; row: number };
}

/** The draft with its prompt mark; of a longer one the rows around the cursor. */
function promptOf(draft: Draft, { columns, style, limit }: { columns: number; style: Style; limit: number }): Prompt {
  const mark = style.unicode ? "❯ " : "> ";
  const { rows, cursor } = foldDraft(shownText(draft), { at: shownCursor(draft), width: columns - mark.length - 1 });
  const first = Math.max(0, Math.min(cursor.row - limit + 1, rows.length - limit));
  const lines = rows.slice(first, first + limit).map((text, index): Span[] => [
    { text: first + index === 0 ? mark : "  ", marks: ["bold"] },
    { text: clean(text, { unicode: true }), marks: [] },
  ]);
  return { lines, cursor: { column: cursor.column + mark.length, row: cursor.row - first } };
}

/** The rows of a text that is cut at `width` columns, and where the offset `at` is in them. */
export function foldDraft(text: string, { at, width }: { at: number; width: number }) {
  const rows = [""];
  let cursor = { column: 0, row: 0 };
  let column = 0;
  let offset = 0;
  for (const grapheme of splitGraphemes(text)) {
    const columns = grapheme === "\n" ? 0 : graphemeWidth(grapheme);
    if (column + columns > width && column > 0) {
      rows.push("");
      column = 0;
    }
    if (offset === at) cursor = { column, row: rows.length - 1 };
    offset += grapheme.length;
    if (grapheme === "\n") {
      rows.push("");
      column = 0;
    } else {
      rows[rows.length - 1] += grapheme;
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
  const rows = choices.slice(first, first + limit).map((choice, index): Span[] => {
    const isSelected = first + index === selected;
    const label = cleanLine(choice.label, style, columns - 4);
    const detail = cleanLine(choice.detail ?? "", style, Math.max(0, columns - displayWidth(label) - 6));
    return [
      { text: isSelected ? (style.unicode ? "❯ " : "> ") : "  ", marks: ["bold"] },
      { text: label, marks: isSelected ? ["inverse"] : [] },
      { text: detail === "" ? "" : `  ${detail}`, marks: ["dim"] },
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

/** Between the transcript and the prompt; it says how much is below. */
function ruleLine(
  { anchor }: TuiState,
  { columns, below, style }: { columns: number; below: number; style: Style },
): Span[] {
  const { rule } = glyphsOf(style);
  const count = anchor === undefined || below === 0 ? "" : ` ${below} ${below === 1 ? "line" : "lines"} below, End `;
  return [dim(rule.repeat(Math.max(0, columns - displayWidth(count) - 2))), dim(count), dim(rule.repeat(2))];
}

function statusLine(state: TuiState, columns: number, style: Style): Span[] {
  const keys = keysOf(state);
  const about = cleanLine(state.about, style, Math.max(0, columns - displayWidth(keys) - 3));
  const gap = " ".repeat(Math.max(1, columns - displayWidth(keys) - displayWidth(about)));
  return [dim(keys), dim(gap), dim(about)];
}

/** The keys that matter now. */
function keysOf({ focus, list, draft, turns }: TuiState): string {
  if (list !== undefined) return "Enter chooses  Esc closes";
  if (focus === "answer") return "n/N citation  Enter opens  r reasoning  t tools  / search  Esc prompt";
  if (runningTurn({ turns }) !== undefined)
    return draft.text === "" ? "Esc Esc stops" : "Enter asks next  Esc Esc stops";
  return turns.length === 0 ? "/ commands  @ resources" : "Tab citations  / commands  @ resources";
}

/** The cited file's lines, the cited ones marked. */
function paneLines(
  { citation, number, content }: SourceView,
  { width, height, style }: { width: number; height: number; style: Style },
): Span[][] {
  const { icon, mark } = looksOf(citation.state, style);
  const place = `${citation.path}:${formatLines(citation)}`;
  const head: Span[][] = [
    [
      { text: `[${number}] ${icon} ${citationStateWords[citation.state]}`, marks: [mark] },
      { text: `  ${cleanLine(place, style)}`, marks: ["bold"] },
    ],
    [dim(cleanLine(`${citation.resource} at ${citation.revision.slice(0, 20)}`, style))],
  ];
  if (content.type === "loading") return [...head, [dim("Reading…")]];
  if (content.type === "failed") return [...head, [{ text: cleanLine(content.message, style), marks: ["warning"] }]];
  const { file } = content;
  const digits = String(file.endLine).length;
  const note = file.hasChanged === true ? [[{ text: "The file has changed since.", marks: ["warning" as const] }]] : [];
  const lines = file.text.split("\n").map((text, index): Span[] => {
    const line = file.startLine + index;
    const isCited = line >= citation.startLine && line <= citation.endLine;
    const bar = isCited ? (style.unicode ? "▌" : ">") : " ";
    const shown = clean(text, style).slice(0, Math.max(0, width - digits - 3));
    return [
      { text: `${String(line).padStart(digits)} `, marks: ["dim"] },
      { text: bar, marks: [mark] },
      { text: shown, marks: isCited ? ["bold"] : ["dim"] },
    ];
  });
  return [...head, ...note, ...lines].slice(0, height);
}

function padded(lines: readonly Span[][], height: number): readonly Span[][] {
  return [...lines, ...Array.from({ length: Math.max(0, height - lines.length) }, (): Span[] => [])].slice(0, height);
}

function dim(text: string): Span {
  return { text, marks: ["dim"] };
}
