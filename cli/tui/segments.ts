import { activitiesOf, noteAfter, notesBefore } from "../../client/answer/notes.ts";
import { originOf, sourceKey, sourcesOf } from "../../client/answer/sources.ts";
import { runningStep, summarizeSteps } from "../../client/answer/steps.ts";
import type { Turn } from "../../client/conversation.ts";
import { type Citation, citationStateWords, formatCited } from "../../server/protocol/citation.ts";
import { tallyCitations } from "../../server/protocol/tally.ts";
import { looksOf } from "../render/citations.ts";
import { clean, cleanLine } from "../render/clean.ts";
import { type BlockView, createMarkdownView } from "../render/markdown.ts";
import { footerText } from "../render/progress.ts";
import { type Span, spansWidth, wrapSpans } from "../render/spans.ts";
import type { Mark, Style } from "../render/style.ts";
import { toolSpans } from "../render/tools.ts";
import { foldLine, type Row, toRow } from "./grid.ts";

/** A part of the transcript that is laid out by itself. */
export interface Segment {
  /** Stays while the text grows and the width changes. */
  key: string;
  isTight: boolean;
  /** Whether it stays as it is while the answer goes on. */
  isSettled: boolean;
  /** The lines without the blank line before the segment. */
  lines(width: number): readonly (readonly Span[])[];
}

/** Which parts of an answer are unfolded. */
export interface Unfolded {
  reasoning: boolean;
  tools: boolean;
}

/** Makes segments of turns; those of a finished turn are made once. */
export function createSegmentMaker(style: Style): (turn: Turn, unfolded: Unfolded) => readonly Segment[] {
  const views = new Map<string, TurnView>();
  const finished = new WeakMap<Turn, { unfolded: Unfolded; segments: readonly Segment[] }>();
  return (turn, unfolded) => {
    const known = finished.get(turn);
    const isKnown = known?.unfolded.reasoning === unfolded.reasoning && known.unfolded.tools === unfolded.tools;
    if (known !== undefined && isKnown) return known.segments;
    const view = views.get(turn.id) ?? createTurnView(style);
    views.set(turn.id, view);
    const segments = segmentsOf(turn, { unfolded, view, style });
    if (turn.status === "running") return segments;
    const settled = segments.map((segment) => ({ ...segment, isSettled: true }));
    finished.set(turn, { unfolded, segments: settled });
    return settled;
  };
}

interface TurnView {
  /** The blocks of the text so far; a settled one stays the same object. */
  blocks(turn: Turn): readonly Segment[];
  /** Numbers the citations as `sources` does. */
  number(citations: readonly Citation[]): void;
}

function createTurnView(style: Style): TurnView {
  let numbers = new Map<Citation, number>();
  let numbered: readonly Citation[] = [];
  const markdown = createMarkdownView({
    ...style,
    noteCitation(citation) {
      const { icon, mark } = looksOf(citation.state, style);
      return [{ text: ` [${numbers.get(citation) ?? "?"}${icon}]`, marks: [mark] }];
    },
  });
  const segments = new WeakMap<BlockView, Segment>();
  const toSegment = (id: string, block: BlockView): Segment => {
    const { key, isTight, isSettled, lines } = block;
    const known = segments.get(block) ?? { key: `${id}:${key}`, isTight: isTight && key > 0, isSettled, lines };
    segments.set(block, known);
    return known;
  };
  return {
    blocks: ({ id, answer: { text, citations } }) =>
      markdown.blocks(text, citations).map((block) => toSegment(id, block)),
    number(citations) {
      if (citations === numbered) return;
      numbered = citations;
      numbers = numberCitations(citations);
    },
  };
}

/** The number of each citation's source, from 1. */
export function numberCitations(citations: readonly Citation[]): Map<Citation, number> {
  const keys = sourcesOf(citations).map(({ citation }) => sourceKey(citation));
  return new Map(citations.map((citation) => [citation, keys.indexOf(sourceKey(citation)) + 1]));
}

function segmentsOf(
  turn: Turn,
  { unfolded, view, style }: { unfolded: Unfolded; view: TurnView; style: Style },
): Segment[] {
  const { id, answer, status } = turn;
  const notes = endNotes(turn);
  view.number(answer.citations);
  const segment = (name: string, lines: (width: number) => Span[][], isSettled = false): Segment => ({
    key: `${id}:${name}`,
    isTight: false,
    isSettled,
    lines: once(lines),
  });
  return [
    segment("question", (width) => questionLines(turn, width, style), true),
    ...optional(answer.reasoning !== "", () =>
      segment("reasoning", (width) => reasoningLines(answer.reasoning, { width, style, isOpen: unfolded.reasoning })),
    ),
    ...optional(answer.tools.length > 0, () =>
      segment("tools", (width) => toolLines(turn, { width, style, isOpen: unfolded.tools })),
    ),
    ...view.blocks(turn),
    ...optional(status === "running", () => segment("progress", (width) => progressLines(turn, width, style))),
    ...optional(notes.length > 0, () =>
      segment("end", (width) =>
        notes.flatMap(({ text, marks }) => wrapSpans([{ text: cleanLine(text, style), marks }], width)),
      ),
    ),
    ...optional(status !== "running" && answer.text !== "", () =>
      segment("sources", (width) => sourceLines(turn, width, style)),
    ),
  ];
}

/**
 * Reasoning and lookups after the text of the answer: they settle last, and what is printed in the normal screen cannot
 * be inserted above it.
 */
export function asidesLast(segments: readonly Segment[]): Segment[] {
  const isAside = ({ key }: Segment) => /:(?:reasoning|tools)$/.test(key);
  const isAfter = ({ key }: Segment) => /:(?:progress|end|sources)$/.test(key);
  const [asides, others] = [segments.filter(isAside), segments.filter((one) => !isAside(one))];
  return [...others.filter((one) => !isAfter(one)), ...asides, ...others.filter(isAfter)];
}

function optional<Value>(isThere: boolean, make: () => Value): Value[] {
  return isThere ? [make()] : [];
}

function once(lines: (width: number) => Span[][]): (width: number) => Span[][] {
  let kept: { width: number; lines: Span[][] } | undefined;
  return (width) => {
    if (kept?.width !== width) kept = { width, lines: lines(width) };
    return kept.lines;
  };
}

function questionLines({ question, attachments = [] }: Turn, width: number, style: Style): Span[][] {
  const text =
    attachments.length === 0 ? question : `${question} (${attachments.map(({ label }) => label).join(", ")})`;
  return clean(text, style)
    .split("\n")
    .flatMap((line) => wrapSpans([{ text: `> ${line}`, marks: ["bold"] }], width));
}

interface FoldableOptions {
  width: number;
  style: Style;
  isOpen: boolean;
}

function reasoningLines(reasoning: string, { width, style, isOpen }: FoldableOptions): Span[][] {
  const lines = clean(reasoning, style).trim().split("\n");
  if (!isOpen) return [[dim(cleanLine(lines.findLast((line) => line.trim() !== "") ?? "", style, width))]];
  return lines.flatMap((line) => wrapSpans([dim(line)], width));
}

function toolLines({ answer: { tools }, status }: Turn, { width, style, isOpen }: FoldableOptions): Span[][] {
  if (isOpen) return tools.flatMap((trace) => wrapSpans(toolSpans(trace, style), width));
  const last = runningStep(tools) === undefined ? tools.at(-1) : undefined;
  if (status === "running" && last !== undefined) return wrapSpans(toolSpans(last, style), width);
  return [[dim(summarizeSteps(tools))]];
}

function progressLines(turn: Turn, width: number, style: Style): Span[][] {
  return activitiesOf(turn).map(({ text, fraction }) => {
    const percent = fraction === undefined ? "" : ` ${Math.floor(fraction * 100)} %`;
    return [dim(cleanLine(`${text}${percent}`, style, width))];
  });
}

/** What a reader should know about an answer that has ended, and why it is not whole. */
function endNotes(turn: Turn): Pick<Span, "text" | "marks">[] {
  const { answer, status, error } = turn;
  if (status === "running") return [];
  const note = noteAfter(turn);
  return [
    ...notesBefore(answer).map(({ title, text }) => ({ text: `${title} ${text}`, marks: ["warning" as const] })),
    ...(error === undefined ? [] : [{ text: `${error.error}.`, marks: ["bad" as const] }]),
    ...(error?.hint === undefined ? [] : [dim(error.hint)]),
    ...(note === undefined ? [] : [{ text: note, marks: ["warning" as const] }]),
  ];
}

/** The numbered sources, their counts, and what the answer took. */
function sourceLines({ answer }: Turn, width: number, style: Style): Span[][] {
  const { citations, snapshots } = answer;
  const sources = sourcesOf(citations).map(({ citation }, index): Span[] => {
    const { state, reason } = citation;
    const { icon, mark } = looksOf(state, style);
    const origin = originOf(citation, snapshots);
    const why = state === "verified" || reason === undefined ? "" : `: ${reason}`;
    const spans: Span[] = [
      { text: `${String(index + 1).padStart(3)} `, marks: [], citation },
      { text: `${icon} ${citationStateWords[state]}`, marks: [mark], citation },
      { text: `  ${cleanLine(formatCited(citation), style)}`, marks: [], citation },
    ];
    const room = width - spansWidth(spans) - 2;
    const rest = room < 8 ? "" : `  ${cleanLine(`${origin}${why}`, style, room)}`;
    return [...spans, { text: rest, marks: ["dim"], citation }];
  });
  return [
    ...sources,
    ...wrapSpans([dim(tallyCitations(citations))], width),
    ...wrapSpans([dim(footerText(answer, style))], width),
  ];
}

function dim(text: string): Span {
  return { text, marks: ["dim"] };
}

/** The rows of segments at a width, kept as the same objects, so that a frame can tell which have moved. */
export interface RowMaker {
  /** Adds the blank line before the segment, unless it is the first or tight. */
  rows(segment: Segment, options: RowOptions): readonly Row[];
}

/** How a segment is laid out. */
export interface RowOptions {
  width: number;
  isFirst?: boolean;
  /** The source whose citations are set off. */
  selected: string | undefined;
}

/** Creates a cache of rows by segment. */
export function createRowMaker(): RowMaker {
  const kept = new WeakMap<object, RowOptions & { rows: readonly Row[] }>();
  return {
    rows(segment, { width, selected, isFirst = false }) {
      const lines = segment.lines(width);
      const known = kept.get(lines);
      if (known?.width === width && known.selected === selected && known.isFirst === isFirst) return known.rows;
      const isJoined = isFirst || segment.isTight || lines.length === 0;
      const rows = (isJoined ? lines : [[], ...lines]).flatMap((line) =>
        foldLine(line, width).map((part) =>
          toRow(
            part.map((span) => setOff(span, selected)),
            width,
          ),
        ),
      );
      kept.set(lines, { width, selected, isFirst, rows });
      return rows;
    },
  };
}

function setOff(span: Span, selected: string | undefined): Span {
  if (selected === undefined || span.citation === undefined || sourceKey(span.citation) !== selected) return span;
  const marks: Mark[] = ["inverse"];
  return { ...span, marks };
}
