import { groupCitations } from "../../../../client/citations/group.ts";
import { countStates } from "../../../../client/citations/summary.ts";
import { conversationMarkdown } from "../../../../client/conversation-markdown.ts";
import type { ShownTurn, Turn } from "../../../../client/conversation.ts";
import { createMarkdownReader } from "../../../../client/markdown/reader.ts";
import type { Answer, SnapshotInfo, ToolTrace } from "../../../protocol/ask.ts";
import { type Citation, citationStateWords, formatPlace, isLinked } from "../../../protocol/citation.ts";
import { showInvisible, showInvisibleInLine } from "../../../protocol/invisible.ts";
import { copyButton } from "../copyable.ts";
import { type Html, html, markedUp, toMarkup } from "../html.ts";
import { describeFailure } from "../resource-states.ts";
import { sentence } from "../respond.ts";
import { renderCitation, renderMark, sourcePath } from "./citation.ts";
import { renderBlock } from "./markdown.ts";
import type { OutdatedResource } from "./run-question.ts";

/** Short lists are rendered as one list; a long one that is still arriving would be rendered too often. */
const openItems = 8;

/** Renders the text of an answer as it grows, block by block. A block that is settled is rendered once. */
export function createAnswerText(base: string): (answer: Pick<Answer, "text" | "citations">) => string[] {
  const reader = createMarkdownReader({ openItems });
  const rendered = new WeakMap<object, { markup: string; headingLevel: number }>();
  return ({ text, citations }) => {
    let headingLevel = 2;
    return reader.read(text, citations).map(({ token }) => {
      const known = rendered.get(token);
      if (known !== undefined) {
        ({ headingLevel } = known);
        return known.markup;
      }
      const context = { headingLevel, citation: (citation: Citation) => renderCitation(citation, base) };
      const markup = toMarkup(html`<div>${renderBlock(token, context)}</div>`);
      ({ headingLevel } = context);
      rendered.set(token, { markup, headingLevel });
      return markup;
    });
  };
}

/** A question and its answer, of a conversation. `blocks` are of `createAnswerText`. */
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
export function activityOf({ answer, arriving = {} }: ShownTurn): string {
  const [arrival] = Object.values(arriving);
  if (arrival !== undefined) return showInvisibleInLine(`${arrival.resource}: ${arrival.message}`);
  const tool = answer.tools.findLast(({ state }) => state.status === "running" || state.status === "pending");
  if (tool !== undefined) return titleOfTool(tool);
  return answer.text === "" ? "Thinking…" : "Writing…";
}

/** How an answer ended, in one line for screen readers. */
export function outcomeOf({ status, answer }: ShownTurn): string {
  if (status === "failed") return "The question failed.";
  if (status === "cancelled") return "Stopped.";
  return `Done. ${answer.citations.length === 0 ? "No citations." : countStates(answer.citations)}`;
}

/** What follows the text of an answer: what is wrong with it, its sources, how it was made. */
export function renderAnswerEnd(turn: Turn, { base, partial }: { base: string; partial?: string | undefined }): Html {
  const { answer, status, error } = turn;
  const { stopped, warnings = [], unavailable = [], tools } = answer;
  const notes = [
    ...(partial === undefined ? [] : [partial]),
    ...(stopped === undefined ? [] : [stopped.message]),
    ...(status === "cancelled" ? ["Stopped. The partial answer is kept."] : []),
    ...(status === "done" && answer.text.trim() === "" ? ["The model wrote nothing."] : []),
    ...warnings,
  ];
  return html`${notes.map((note) => html`<p class="doubtful">${sentence(showInvisible(note))}</p>`)}
  ${unavailable.length > 0 && renderUnavailable(turn, base)}
  ${error !== undefined && html`<p class="error" role="alert">${sentence(showInvisible(error.error))}${error.hint !== undefined && ` ${sentence(error.hint)}`}</p>`}
  ${answer.text.trim() !== "" && renderSources(answer, base)} ${tools.length > 0 && renderTools(tools)}
  ${answer.model.model !== "" && html`<p class="muted making">${describeMaking(answer)}</p>`} ${renderCopy(turn)}`;
}

/** In one line, because the same resources are usually missing in many answers. */
function renderUnavailable({ answer: { snapshots, unavailable = [] } }: Turn, base: string): Html {
  const all = snapshots.length + unavailable.length;
  const items = unavailable.map(
    ({ resource, error }) =>
      html`<li><bdi>${showInvisibleInLine(resource)}</bdi>: ${sentence(showInvisible(error))}</li>`,
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
  const markdown = conversationMarkdown([turn]);
  if (markdown === undefined) return undefined;
  const id = `markdown-${turn.id}`;
  return html`<template id="${id}">${markdown}</template> ${copyButton({ id, what: "the answer" })}`;
}

function renderSources({ citations, snapshots }: Answer, base: string): Html {
  if (citations.length === 0)
    return html`<p class="muted">No citations: nothing in this answer was checked against a source.</p>`;
  const items = groupCitations(citations).map(({ citation, count }) => {
    const name = showInvisibleInLine(formatPlace(citation.path, citation));
    const place = isLinked(citation)
      ? html`<a href="${sourcePath(citation, base)}"><bdi>${name}</bdi></a>`
      : html`<bdi>${name}</bdi>`;
    const times = count > 1 ? ` ×${count}` : "";
    const reason = citation.reason === undefined ? "" : `; ${showInvisibleInLine(citation.reason)}`;
    return html`<li>
      ${renderMark(citation)}
      <span>${place}</span>
      <span class="muted"
        >${citationStateWords[citation.state]}${times} · ${describeOrigin(citation, snapshots)}${reason}</span
      >
    </li>`;
  });
  return html`<section class="sources">
    <h3>Sources</h3>
    <p class="muted">${countStates(citations)}</p>
    <ol>
      ${items}
    </ol>
    <p class="hint">Verified means that the text is there and was read in this run, not that the claim is true.</p>
  </section>`;
}

function describeOrigin({ resource, revision }: Citation, snapshots: readonly SnapshotInfo[]): string {
  const label = snapshots.find((info) => info.resource === resource && info.revision === revision)?.label;
  if (label === undefined) return showInvisibleInLine(resource);
  return showInvisibleInLine(label.startsWith(resource) ? label : `${resource} · ${label}`);
}

function renderTools(tools: readonly ToolTrace[]): Html {
  const count = tools.length === 1 ? "1 step" : `${tools.length} steps`;
  const items = tools.map(
    (trace) => html`<li>${titleOfTool(trace)}${trace.state.status === "error" && " (failed)"}</li>`,
  );
  return html`<details>
    <summary>How it was found: ${count}</summary>
    <ol>
      ${items}
    </ol>
  </details>`;
}

function titleOfTool({ tool, state }: ToolTrace): string {
  const { query, pattern, path } = state.input;
  const [about = ""] = [query, pattern, path].filter((value) => typeof value === "string");
  const title = "title" in state ? state.title : undefined;
  return showInvisibleInLine(title ?? `${tool} ${about}`.trim());
}

/** The model, the time, the tokens and the cost. */
function describeMaking({ model, metrics, usage }: Answer): string {
  const seconds = metrics?.timing === undefined ? undefined : `${(metrics.timing.totalMs / 1000).toFixed(1)} s`;
  const cost = metrics?.pricing === undefined ? undefined : `US$ ${metrics.pricing.costUsd.total.toFixed(4)}`;
  const { inputTokens, outputTokens, cacheReadTokens } = usage ?? {};
  const cached = cacheReadTokens === undefined ? "" : ` (${cacheReadTokens.toLocaleString("en")} cached)`;
  const tokens =
    inputTokens === undefined || outputTokens === undefined
      ? undefined
      : `${inputTokens.toLocaleString("en")} tokens in${cached}, ${outputTokens.toLocaleString("en")} out`;
  const parts = [showInvisibleInLine(`${model.provider}/${model.model}`), seconds, tokens, cost];
  return parts.filter((part) => part !== undefined).join(" · ");
}
