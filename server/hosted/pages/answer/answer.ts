import { makingOf } from "../../../../client/answer/making.ts";
import { activitiesOf, noteAfter, notesBefore } from "../../../../client/answer/notes.ts";
import { originOf, sourcesOf } from "../../../../client/answer/sources.ts";
import { stepOf, summarizeSteps } from "../../../../client/answer/steps.ts";
import type { ShownTurn, Turn } from "../../../../client/conversation.ts";
import { blockMarkup } from "../../../../client/markdown/markup.ts";
import { createMarkdownReader } from "../../../../client/markdown/reader.ts";
import type { BlockNode } from "../../../../client/markdown/tree.ts";
import { conversationMarkdown } from "../../../../client/thread-markdown.ts";
import { answerWords, english } from "../../../protocol/answer-words.ts";
import type { Answer, ToolTrace } from "../../../protocol/ask.ts";
import { type Citation, citationStateWords, formatCited, isLinked } from "../../../protocol/citation.ts";
import { showInvisible, showInvisibleInLine } from "../../../protocol/invisible.ts";
import { explainVerified, tallyCitations } from "../../../protocol/tally.ts";
import { copyButton } from "../copyable.ts";
import { actionButton } from "../forms.ts";
import { type Html, html, markedUp, toMarkup } from "../html.ts";
import { describeFailure } from "../resource-states.ts";
import { sentence } from "../respond.ts";
import { renderCitation, renderMark, sourcePath } from "./citation.ts";
import { lineNumbersOf } from "./line-numbers.ts";
import { type Drawing, renderMarkup } from "./markup.ts";
import type { OutdatedResource } from "./run-question.ts";

/** Short lists are rendered as one list; a long one that is still arriving would be rendered too often. */
const openItems = 8;

/** Renders the text of an answer as it grows, block by block. A block that is settled is rendered once. */
export function createAnswerText(base: string): (answer: Pick<Answer, "text" | "citations">) => string[] {
  const reader = createMarkdownReader({ openItems });
  const rendered = new WeakMap<BlockNode, string>();
  return ({ text, citations }) =>
    reader.read(text, citations).map(({ node }) => {
      const markup = rendered.get(node) ?? renderBlock(node, { base, lineNumbersOf: () => undefined });
      rendered.set(node, markup);
      return markup;
    });
}

/** The blocks of an answer that has ended; cited code has line numbers if it is stored what was cited. */
export function renderAnswerText({ answer, cited = [] }: Pick<Turn, "answer" | "cited">, base: string): string[] {
  const { text, citations } = answer;
  return createMarkdownReader({ openItems })
    .read(text, citations)
    .map(({ node }) => renderBlock(node, { base, lineNumbersOf: (code) => lineNumbersOf(code, { citations, cited }) }));
}

function renderBlock(
  node: BlockNode,
  { base, lineNumbersOf: numbersOf }: Pick<Drawing, "lineNumbersOf"> & { base: string },
): string {
  const drawing = { drawCitation: (citation: Citation) => renderCitation(citation, base), lineNumbersOf: numbersOf };
  return toMarkup(html`<div>${renderMarkup(blockMarkup(node, { language: english, top: 3 }), drawing)}</div>`);
}

/** A question and its answer, of a conversation. `blocks` are of `createAnswerText` or `renderAnswerText`. */
export function renderTurn({
  turn,
  notes,
  blocks,
  end,
  isLatest = false,
}: {
  turn: Pick<ShownTurn, "id" | "question">;
  notes?: Html | undefined;
  blocks: readonly string[];
  end?: Html;
  isLatest?: boolean;
}): Html {
  const id = `turn-${turn.id}`;
  return html`<article class="turn" aria-labelledby="${id}">
    ${isLatest && html`<span id="latest"></span>`}
    <h2 id="${id}" class="question" dir="auto" tabindex="-1">${showInvisible(turn.question)}</h2>
    <div data-part="notes">${notes}</div>
    <div data-part="blocks" class="answer">${blocks.map(markedUp)}</div>
    <div data-part="end">${end}</div>
  </article>`;
}

/** Which resources are answered from their last snapshot, since when and why. */
export function renderOutdated(resources: readonly OutdatedResource[]): Html {
  const notes = resources.map(
    ({ name, fetch }) =>
      html`<p class="doubtful">
        Answered from the last snapshot of ${showInvisibleInLine(name)}, because it cannot be fetched:
        ${describeFailure(fetch)}
      </p>`,
  );
  return html`${notes}`;
}

/** What goes on while an answer is made, in one line. */
export function activityOf(turn: ShownTurn): string {
  return showInvisibleInLine(activitiesOf(turn)[0]?.text ?? "");
}

/** What follows the text of an answer: what is wrong with it, its sources, how it was made. */
export function renderAnswerEnd(turn: Turn, { base, partial }: { base: string; partial?: string | undefined }): Html {
  const { answer, error } = turn;
  const { snapshots, warnings = [], unavailable = [], tools } = answer;
  const note = noteAfter(turn);
  const notes = [
    ...(partial === undefined ? [] : [sentence(partial)]),
    ...(note === undefined ? [] : [note]),
    ...notesBefore({ snapshots, warnings }).map(({ title, text }) => `${title} ${text}`),
  ];
  const making = showInvisibleInLine(makingOf(answer).join(" · "));
  return html`${notes.map((text) => html`<p class="doubtful">${showInvisible(text)}</p>`)}
  ${unavailable.length > 0 && renderUnavailable(turn, base)}
  ${error !== undefined && html`<p class="error" role="alert">${sentence(showInvisible(error.error))}${error.hint !== undefined && ` ${sentence(error.hint)}`}</p>`}
  ${answer.text.trim() !== "" && renderSources(answer, base)} ${tools.length > 0 && renderTools(tools)}
  ${making !== "" && html`<p class="muted making">${making}</p>`} ${renderCopy(turn)}`;
}

/** What the owner of a conversation can do with an answer that is stored. */
export function renderAnswerActions(
  { askedAt, question, cited }: Turn,
  { base, thread }: { base: string; thread: string | undefined },
): Html | undefined {
  if (thread === undefined || cited === undefined) return undefined;
  const of = showInvisibleInLine(question).slice(0, 80);
  return html`<div class="copy actions">
    ${actionButton({ action: `${base}/ask/share`, label: "Share this answer", of, fields: { thread, askedAt } })}
    ${actionButton({
      action: `${base}/ask#latest`,
      label: "Ask again",
      of,
      fields: { thread, again: askedAt },
      warning: "The new answer replaces this one and those after it. What you shared of them is no longer shown.",
    })}
  </div>`;
}

/** They are in one line, because the same resources are usually missing in many answers. */
function renderUnavailable({ answer: { snapshots, unavailable = [] } }: Turn, base: string): Html {
  const all = snapshots.length + unavailable.length;
  const items = notesBefore({ snapshots: [], unavailable }).map(
    ({ title, text }) => html`<li>${showInvisibleInLine(`${title} ${text}`)}</li>`,
  );
  return html`<details class="doubtful">
    <summary>Answered without ${unavailable.length} of ${all} resources, which could not be opened</summary>
    <ul>
      ${items}
    </ul>
    <p><a href="${base}/resources">Resources</a> shows their state.</p>
  </details>`;
}

/** A button where script is on; it copies what the terminal's `/copy` does. */
function renderCopy(turn: Turn): Html | undefined {
  const markdown = turn.answer.text === "" ? undefined : conversationMarkdown({ turns: [turn] });
  if (markdown === undefined) return undefined;
  const id = `markdown-${turn.id}`;
  return html`<template id="${id}">${markdown}</template> ${copyButton({ id, what: "the answer" })}`;
}

function renderSources({ citations, snapshots }: Answer, base: string): Html {
  const tally = html`<p class="muted">${tallyCitations(citations)}</p>`;
  if (citations.length === 0) return tally;
  const items = sourcesOf(citations).map(({ citation, count }) => {
    const name = showInvisibleInLine(formatCited(citation));
    const place = isLinked(citation)
      ? html`<a href="${sourcePath(citation, base)}"><bdi>${name}</bdi></a>`
      : html`<bdi>${name}</bdi>`;
    const times = count > 1 ? ` ×${count}` : "";
    const reason = citation.reason === undefined ? "" : `; ${citation.reason}`;
    const origin = showInvisibleInLine(`${originOf(citation, snapshots)}${reason}`);
    return html`<li>
      ${renderMark(citation)}
      <span>${place}</span>
      <span class="muted">${citationStateWords[citation.state]}${times} · ${origin}</span>
    </li>`;
  });
  const meaning = explainVerified(citations);
  return html`<section class="sources">
    <h3>${answerWords.sources}</h3>
    ${tally}
    <ol>
      ${items}
    </ol>
    ${meaning !== undefined && html`<p class="hint">${meaning}</p>`}
  </section>`;
}

function renderTools(tools: readonly ToolTrace[]): Html {
  const items = tools.map((trace) => {
    const { title, result, fault } = stepOf(trace);
    const found = [result, fault].filter((part) => part !== undefined && part !== "").join(": ");
    return html`<li>
      ${showInvisibleInLine(title)} ${found !== "" && html`<span class="muted">${showInvisibleInLine(found)}</span>`}
    </li>`;
  });
  return html`<details>
    <summary>${summarizeSteps(tools)}</summary>
    <ol>
      ${items}
    </ol>
  </details>`;
}
