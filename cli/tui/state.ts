import { version } from "../../package.json";
import type { Turn } from "../../client/conversation.ts";
import type { Citation } from "../../server/protocol/citation.ts";
import type { SourceFile } from "../../server/protocol/source.ts";
import type { Span } from "../render/spans.ts";
import { type Draft, emptyDraft } from "./draft.ts";
import type { Choice } from "../prompt/picker.ts";
import type { Notice } from "../prompt/prompt-context.ts";
import type { Unfolded } from "./segments.ts";
import type { Anchor } from "./transcript.ts";

/** All that the screen shows. */
export interface TuiState {
  turns: readonly Turn[];
  draft: Draft;
  /** Where keys go: the prompt, or the answer, whose keys are single letters. */
  focus: "prompt" | "answer";
  anchor: Anchor;
  unfolded: Unfolded;
  source: SourceView | undefined;
  /** Queued questions, oldest first. */
  queue: readonly string[];
  list: ListView | undefined;
  notice: Notice | undefined;
  /** The mouse selection in progress. */
  selection: Selection | undefined;
  /** Model and resources of the next question. */
  about: string;
  welcome: readonly string[];
}

/** The cited lines beside the answer. */
export interface SourceView {
  citation: Citation;
  number: number;
  /** The resource and its revision. */
  origin: string;
  content: { type: "loading" } | SourceLines | { type: "failed"; message: string };
}

/** The cited lines with those around them. */
export interface SourceLines {
  type: "lines";
  file: SourceFile;
  /** Lines of `file`, clean and coloured. */
  lines: readonly (readonly Span[])[];
  /** The number of the first of them, 1-based. */
  first: number;
  /** The line of the file that is shown first, 1-based. */
  top: number;
}

/** A list above the prompt: completions of the prompt, or a picker with a query of its own. */
export interface ListView {
  title: string;
  /** Undefined: the prompt is the query. */
  query: Draft | undefined;
  choices: readonly Choice[];
  /** -1: none. */
  selected: number;
}

/** A cell, 0-based. */
export interface Place {
  column: number;
  row: number;
}

/** The selected cells, in either direction. */
export interface Selection {
  from: Place;
  to: Place;
  within: ColumnRange;
}

/** The columns that a selection stays in; `end` is not one of them. */
export interface ColumnRange {
  start: number;
  end: number;
}

/** The size of the terminal. */
export interface Size {
  columns: number;
  rows: number;
}

/** The state before anything was typed. */
export const firstState: TuiState = {
  turns: [],
  draft: emptyDraft,
  focus: "prompt",
  anchor: undefined,
  unfolded: { reasoning: false, tools: false },
  source: undefined,
  queue: [],
  list: undefined,
  notice: undefined,
  selection: undefined,
  about: "",
  welcome: [
    `Citewell ${version}`,
    "",
    "Ask about the code in front of you, a library or any repository.",
    "Every claim comes with a source that you can open.",
    "",
    "/ lists the commands, @ the resources, /help all keys.",
  ],
};
