import path from "node:path";
import { noteAfter, notesBefore } from "../../client/answer/notes.ts";
import { toErrorBody } from "../../server/errors.ts";
import type { Answer, AskEvent, AskEventOf } from "../../server/protocol/ask.ts";
import { type Citation, isProved } from "../../server/protocol/citation.ts";
import { tallyCitations } from "../../server/protocol/tally.ts";
import { errorLine } from "./error-line.ts";
import { jsonText } from "./json.ts";
import type { CommonOptions } from "../definitions/global-options.ts";
import { detectStyle } from "../render/capabilities.ts";
import { renderCitations } from "../render/citations.ts";
import { cleanLine } from "../render/clean.ts";
import { createMarkdownRenderer } from "../render/markdown.ts";
import { renderFooter, renderReasoning } from "../render/progress.ts";
import { paintSpans, wrapSpans } from "../render/spans.ts";
import { renderTool, toolSpans } from "../render/tools.ts";
import { createStatusLine } from "./status-line.ts";
import { nearPath } from "../input/near-path.ts";
import { OutputLost, type OutputStream, type Terminal, write } from "../terminal.ts";

/** Options of commands that show an answer. */
export interface AnswerViewOptions extends CommonOptions {
  thinking: boolean;
  tools: boolean;
  subAgent?: boolean;
  jsonl?: boolean;
  /** Writes for screen readers: what was written is never changed. */
  linear?: boolean;
}

/** Shows one question's events as they come. The answer goes to standard output, everything else to standard error. */
export interface AnswerView {
  note(text: string): void;
  event(event: AskEvent): Promise<void>;
  finished(answer: Answer): Promise<void>;
  /** Shows the partial answer. Returns whether it reported the error too, as the JSON forms do. */
  failed(answer: Answer, error: unknown): Promise<boolean>;
}

/** The view for the chosen output: text, one JSON document, or JSON Lines. */
export function createAnswerView(options: AnswerViewOptions, terminal: Terminal): AnswerView {
  const aside = createAside(options, terminal);
  if (options.jsonl === true) return createLinesView(terminal, aside);
  if (options.json === true) return createDocumentView(terminal, aside);
  return createTextView(options, terminal, aside);
}

/** Messages on standard error beside the answer. */
interface Aside {
  note: (text: string) => void;
  progress: (event: AskEventOf<"progress">) => void;
  reasoning: (delta: string) => void;
  tool: (event: AskEventOf<"tool.updated">) => void;
  /** Ends whatever is half-written, so that other text can follow. */
  settle: () => void;
}

function createAside(options: AnswerViewOptions, terminal: Terminal): Aside {
  const { stderr } = terminal;
  const style = styleOf(stderr, options, terminal);
  const status = createStatusLine(stderr, style);
  const isSilent = options.quiet === true || options.subAgent === true;
  const isJson = options.json === true || options.jsonl === true;
  let isMidLine = false;
  const toolLines = (event: AskEventOf<"tool.updated">) => {
    const lines = stderr.isTTY ? wrapSpans(toolSpans(event, style), style.width) : [toolSpans(event, style)];
    return lines.map((line) => paintSpans(line, style)).join("\n");
  };
  const settle = () => {
    status.clear();
    if (isMidLine) stderr.write("\n");
    isMidLine = false;
  };
  return {
    note(text) {
      if (isSilent) return;
      settle();
      stderr.write(`${cleanLine(text, style)}\n`);
    },
    progress(event) {
      if (!isSilent && !isMidLine) status.progress(event);
    },
    reasoning(delta) {
      if (isSilent || isJson || !options.thinking) return;
      status.clear();
      stderr.write(renderReasoning(delta, style));
      isMidLine = !delta.endsWith("\n");
    },
    tool(event) {
      if (isSilent || isJson || !options.tools) return;
      settle();
      const { status: state } = event.state;
      if (state === "running") status.show(renderTool(event, style));
      if (state === "completed" || state === "error") stderr.write(`${toolLines(event)}\n`);
    },
    settle,
  };
}

function createTextView(options: AnswerViewOptions, terminal: Terminal, aside: Aside): AnswerView {
  const { stdout, stderr, signal } = terminal;
  const style = styleOf(stdout, options, terminal);
  const markdown = createMarkdownRenderer(style);
  let hasBegun = false;
  const out = async (text: string) => {
    if (text === "") return;
    hasBegun = true;
    aside.settle();
    await write(stdout, text);
  };
  return {
    note: aside.note,
    async event(event) {
      switch (event.type) {
        case "progress":
          // A status line would overwrite the answer's last line.
          if (!hasBegun || !stdout.isTTY || !stderr.isTTY) aside.progress(event);
          else if (event.retry !== undefined) aside.note(`\n${event.resource}: ${event.message}`);
          return;
        case "meta":
          return introduce(event, aside);
        case "reasoning.delta":
          return aside.reasoning(event.delta);
        case "tool.updated":
          return aside.tool(event);
        case "text.delta":
          return out(markdown.push(event.delta, event.citations));
        case "done":
          return out(markdown.end());
        case "error":
      }
    },
    async finished(answer) {
      aside.settle();
      if (options.subAgent === true) return;
      const sources = { style, snapshots: answer.snapshots, locate: locator(answer, terminal) };
      if (stdout.isTTY) await out(`\n${renderCitations(answer.citations, sources)}`);
      else aside.note(summarizeFaults(answer));
      for (const { label } of answer.opened ?? []) aside.note(`opened by the model: ${label}`);
      aside.note(renderFooter(answer, styleOf(stderr, { ...options, color: false }, terminal)));
    },
    async failed(answer) {
      await out(markdown.end());
      aside.settle();
      const hasReader = !(signal.reason instanceof OutputLost);
      const note = noteAfter({ answer, status: signal.aborted ? "cancelled" : "failed" });
      if (hasReader && answer.text !== "") aside.note(`${note} ${summarizeFaults(answer)}`);
      return false;
    },
  };
}

/** One line per event of the stream, as in server-sent events; `progress` is none of its six types. */
function createLinesView({ stdout }: Terminal, aside: Aside): AnswerView {
  let hasBegun = false;
  return {
    note: aside.note,
    async event(event) {
      if (event.type === "progress") return aside.progress(event);
      aside.settle();
      hasBegun = true;
      await write(stdout, jsonText(event, { isLine: true }));
    },
    async finished() {},
    async failed(_answer, error) {
      aside.settle();
      if (!hasBegun) return false;
      await write(stdout, errorLine(error));
      return true;
    },
  };
}

function createDocumentView({ stdout }: Terminal, aside: Aside): AnswerView {
  return {
    note: aside.note,
    async event(event) {
      if (event.type === "progress") aside.progress(event);
    },
    async finished(answer) {
      aside.settle();
      await write(stdout, jsonText(answer));
    },
    async failed(answer, error) {
      aside.settle();
      const partial = answer.resources.length === 0 ? {} : { partial: answer };
      await write(stdout, jsonText({ ...toErrorBody(error), ...partial }));
      return true;
    },
  };
}

/** The revisions in use with their ages, and what is to be known about them. The configuration has had its warnings. */
function introduce({ snapshots, unavailable }: AskEventOf<"meta">, aside: Aside): void {
  for (const { label } of snapshots) aside.note(label);
  for (const { title, text } of notesBefore({ snapshots, unavailable })) aside.note(`${title} ${text}`);
}

/**
 * The path of a cited file that lies on this computer: relative within the working directory, so that it can be
 * clicked.
 */
function locator({ snapshots }: Answer, { cwd }: Terminal): (citation: Citation) => string | undefined {
  return ({ resource, path: file, commit }) => {
    if (commit !== undefined) return undefined;
    const directory = snapshots.find((snapshot) => snapshot.resource === resource)?.directory;
    if (directory === undefined) return undefined;
    return nearPath(path.join(directory, file), cwd);
  };
}

/** For a reader who sees the Markdown alone, in which bad citations are marked in place. */
function summarizeFaults({ citations }: Answer): string {
  const faults = citations.filter((citation) => !isProved(citation));
  const summary = tallyCitations(citations);
  return faults.length === 0 ? summary : `${summary} Those are marked in the text.`;
}

/** What this stream can show, judged on its own. */
export function styleOf(
  stream: OutputStream,
  { color, linear }: { color: boolean; linear?: boolean },
  { env, platform }: Terminal,
) {
  return detectStyle({ isTTY: stream.isTTY, columns: stream.columns, env, platform, flags: { color, linear } });
}
