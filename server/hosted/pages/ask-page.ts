import { outcomeOf } from "../../../client/answer/notes.ts";
import { type Conversation, followUpTargets } from "../../../client/conversation.ts";
import type { FetchState } from "../../protocol/hosted.ts";
import { showInvisibleInLine } from "../../protocol/invisible.ts";
import type { ThreadRecheck, ThreadSummary } from "../../protocol/threads.ts";
import { groupWith } from "../projects/registered.ts";
import type { Group } from "../tenants/groups.ts";
import { threadDays } from "../tenants/account-threads.ts";
import type { Share } from "../tenants/shares.ts";
import { renderAnswerActions, renderAnswerEnd, renderAnswerText, renderOutdated, renderTurn } from "./answer/answer.ts";
import { renderRecheck } from "./answer/recheck.ts";
import type { EndedQuestion, OutdatedResource } from "./answer/run-question.ts";
import { actionButton, type Form, formErrors } from "./forms.ts";
import { filterField, tickedUpTo } from "./filter.ts";
import { type Html, html } from "./html.ts";
import { layout } from "./layout.ts";
import { asRead, byGreatest, byText, listForm, listRows, type Orders, type Shown, wholeList } from "./listing.ts";
import { sortByName } from "./resource-states.ts";
import { describeThread } from "./threads.ts";
import { timeOf } from "./time.ts";
import type { Visitor } from "./visitors.ts";

/** What the page to ask shows. */
export interface AskPageOptions {
  visitor: Visitor;
  resources: readonly { name: string; fetch: FetchState }[];
  groups: readonly Group[];
  form: Form;
  /** The names that are chosen; by default those of the question before. */
  chosen?: readonly string[];
  /** The earlier turns, and the id of their thread. */
  conversation: Conversation;
  /** The newest turn, if it was asked by this request. */
  ended?: EndedQuestion & { outdated: readonly OutdatedResource[] };
  /** Listed where no conversation is open. */
  threads?: readonly ThreadSummary[];
  /** What is wanted of them. */
  shown?: Shown;
  /** What is shared of the open conversation. */
  shares?: readonly Share[];
  recheck?: ThreadRecheck | undefined;
  notice?: string | undefined;
}

/** The page to ask: the conversation, the form for the next question, and the conversations before. */
export function askPage(options: AskPageOptions): Html {
  const { visitor, resources, conversation, ended, threads, shown = wholeList, shares = [], recheck, notice } = options;
  const { account, membership } = visitor;
  const base = `/p/${membership.project.name}`;
  const thread = ended?.thread ?? conversation.thread?.id;
  const hasTurns = conversation.turns.length > 0 || ended !== undefined;
  const main = html`<h1>Ask</h1>
    ${resources.length === 0 && html`<p class="doubtful">The project has no resources yet: <a href="${base}/resources">add one</a>.</p>`}
    ${recheck !== undefined && renderRecheck(recheck, base)}
    <div id="turns">${renderTurns(options, base)}</div>
    <div id="progress">
      <p id="status" class="${ended === undefined ? "muted" : "hidden"}" role="status">
        ${ended !== undefined && showInvisibleInLine(outcomeOf(ended.turn) ?? "")}
      </p>
      <button id="stop" type="button" class="quiet" hidden>Stop</button>
    </div>
    ${questionForm(options, { path: `${base}/ask`, base, thread, hasTurns })}
    <div id="open-conversation" class="actions" ${thread === undefined && html` hidden`}>
      <p><a href="${base}/ask">New conversation</a></p>
      ${actionButton({ action: `${base}/ask/share`, label: "Share this conversation", fields: { thread: thread ?? "" } })}
      ${queryButton({ action: `${base}/ask/check`, label: "Still true?", thread })}
      ${queryButton({ action: `${base}/ask/markdown`, label: "Export as Markdown", thread })}
      ${actionButton({
        action: `${base}/ask/delete`,
        label: "Delete this conversation",
        fields: { thread: thread ?? "" },
        warning: deletionWarning,
      })}
    </div>
    ${shares.length > 0 && renderShares(shares, base)}
    ${threads !== undefined && renderThreads(threads, { shown, base })}
    <dialog id="source" aria-label="Cited lines">
      <form method="dialog" class="actions">
        <strong id="source-name"></strong>
        <a id="source-page" href="${base}/ask">Open as a page</a>
        <button class="quiet" autofocus>Close</button>
      </form>
      <div id="source-content"></div>
    </dialog>`;
  const { title } = conversation.thread ?? {};
  return layout({
    title: title === undefined ? "Ask" : `${title} · Ask`,
    main,
    account,
    membership,
    current: `${base}/ask`,
    notice,
    script: "ask.js",
  });
}

/** A button that opens another page of the conversation; the script keeps the id of a new one in it. */
function queryButton({ action, label, thread }: { action: string; label: string; thread: string | undefined }): Html {
  return html`<form method="get" action="${action}">
    <input type="hidden" name="thread" value="${thread ?? ""}" /><button class="quiet">${label}</button>
  </form>`;
}

function renderShares(shares: readonly Share[], base: string): Html {
  const items = shares.map(
    ({ id, turns, createdAt }) =>
      html`<li>
        <div>
          <a href="${base}/shared/${id}">${turns === 1 ? "1 answer" : `${turns} answers`}</a>
          <p class="hint">shared ${timeOf(createdAt, "")}</p>
        </div>
        ${actionButton({ action: `${base}/ask/unshare`, label: "Stop sharing", fields: { share: id } })}
      </li>`,
  );
  return html`<section aria-labelledby="shares-title">
    <h2 id="shares-title">Shared with the members of this project</h2>
    <p class="hint">Questions that you ask from now on are not shared.</p>
    <ul class="conversations">
      ${items}
    </ul>
  </section>`;
}

const deletionWarning = "Its questions and answers are lost.";

function renderTurns({ conversation, ended }: AskPageOptions, base: string): Html[] {
  const thread = ended?.thread ?? conversation.thread?.id;
  const earlier = conversation.turns.map((turn, index) =>
    renderTurn({
      turn,
      blocks: renderAnswerText(turn, base),
      end: html`${renderAnswerEnd(turn, { base })} ${renderAnswerActions(turn, { base, thread })}`,
      isLatest: ended === undefined && index === conversation.turns.length - 1,
    }),
  );
  if (ended === undefined) return earlier;
  const { turn, partial, outdated } = ended;
  return [
    ...earlier,
    renderTurn({
      turn,
      notes: renderOutdated(outdated),
      blocks: renderAnswerText(turn, base),
      end: html`${renderAnswerEnd(turn, { base, partial })} ${renderAnswerActions(turn, { base, thread })}`,
      isLatest: true,
    }),
  ];
}

/** What the question is about: groups and resources to tick, or to type. */
function aboutFields(
  { resources, groups, conversation, chosen: given }: AskPageOptions,
  base: string,
): Html | undefined {
  if (resources.length < 2) return undefined;
  const chosen = given ?? chosenBefore(conversation, groups);
  const groupNames = groups.map(({ name }) => `@${name}`);
  const isGroup = (name: string) => groupNames.some((one) => one === name || one === `@${name}`);
  const choice = (name: string, label: Html | string) =>
    html`<label
      ><input
        type="checkbox"
        name="resources"
        value="${name}"
        ${(chosen.includes(name) || chosen.includes(name.replace(/^@/, ""))) && html` checked`}
      />
      <span>${label}</span></label
    >`;
  const ofGroups = groups.map(({ name, resources: { length } }) => choice(`@${name}`, `@${name} (${length})`));
  if (resources.length > tickedUpTo) {
    const typed = chosen.filter((name) => !isGroup(name)).join(" ");
    return html`<fieldset>
      <legend>About (nothing chosen: all ${resources.length} resources)</legend>
      ${ofGroups.length > 0 && html`<div class="choices">${ofGroups}</div>`}
      <label for="about">Resources</label>
      <p class="hint" id="about-hint">
        Their names, as on the page <a href="${base}/resources">Resources</a>, with spaces between. Or write @name in
        the question.
      </p>
      <input id="about" name="about" value="${typed}" autocomplete="off" aria-describedby="about-hint" />
    </fieldset>`;
  }
  const choices = sortByName(resources).map(({ name, fetch }) =>
    choice(
      name,
      html`${name}${fetch.state === "failed" && html` <span class="doubtful">(cannot be fetched now)</span>`}`,
    ),
  );
  return html`<fieldset>
    <legend>About (none ticked: all)</legend>
    ${filterField({ list: "choices", label: "Filter the resources" }, choices.length)}
    <div class="choices" id="choices">${ofGroups}${choices}</div>
  </fieldset>`;
}

/**
 * What the question before was about. The stored turn of a question about a group names nothing: its resources are those of a
 * group then, and not all of the project.
 */
export function chosenBefore(conversation: Conversation, groups: readonly Group[]): readonly string[] {
  const named = followUpTargets(conversation);
  const last = conversation.turns.findLast(({ answer }) => answer.resources.length > 0)?.answer;
  if (named.length > 0 || last === undefined) return named;
  const about = [...last.resources, ...(last.unavailable ?? []).map(({ resource }) => resource)];
  const group = groupWith(about, groups);
  return group === undefined ? [] : [group];
}

function questionForm(
  options: AskPageOptions,
  { path, base, thread, hasTurns }: { path: string; base: string; thread: string | undefined; hasTurns: boolean },
): Html {
  const { form, ended } = options;
  const error = form.errors["question"];
  // An answered question is above; one that is refused stays to be changed.
  const text = ended === undefined ? (form.values["question"] ?? "") : "";
  return html`<form method="post" action="${path}#latest" id="ask" data-stream="${path}/stream">
    <input type="hidden" name="thread" value="${thread ?? ""}" />
    ${formErrors(form)}
    <div class="field">
      <label for="question">${hasTurns ? "Follow-up question" : "Question"}</label>
      <textarea
        id="question"
        name="question"
        required${error !== undefined && html` aria-describedby="question-error" aria-invalid="true"`}
      >
${text}</textarea>
      ${error !== undefined && html`<p class="error" id="question-error">${error}</p>`}
    </div>
    ${aboutFields(options, base)}
    <div class="actions">
      <button id="send">Ask</button>
    </div>
  </form>`;
}

const orders: Orders<ThreadSummary> = {
  newest: asRead("Newest"),
  title: { label: "Title", compare: byText(({ title }) => title) },
  questions: { label: "Most questions", compare: byGreatest(({ turnCount }) => turnCount) },
};

function renderThreads(threads: readonly ThreadSummary[], { shown, base }: { shown: Shown; base: string }): Html {
  const textOf = ({ title, resources }: ThreadSummary) => [title, ...resources].join(" ");
  const listed = listRows(threads, { shown, textOf, orders });
  const items = listed.rows.map((thread) => {
    const { id } = thread;
    const name = showInvisibleInLine(thread.title);
    return html`<li>
      <div>
        <a href="${base}/ask/${id}"><bdi>${name}</bdi></a>
        <p class="hint">${describeThread(thread)}</p>
      </div>
      ${actionButton({ action: `${base}/ask/delete`, label: "Delete", of: name, fields: { thread: id }, warning: deletionWarning })}
    </li>`;
  });
  return html`<section id="conversations" aria-labelledby="conversations-title">
    <h2 id="conversations-title">Your conversations</h2>
    <p class="hint">
      Only you can open them, unless you share them. Each is deleted ${threadDays} days after its last question.
    </p>
    ${
      threads.length === 0
        ? html`<p>There are none yet.</p>`
        : html`${listForm(listed, { path: `${base}/ask#conversations`, label: "Find conversations" })}
            <ul class="conversations">
              ${items}
            </ul>`
    }
  </section>`;
}
