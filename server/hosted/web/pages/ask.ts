import { type Response, Router } from "express";
import type { Turn } from "../../../../client/conversation.ts";
import { CitewellError } from "../../../errors.ts";
import { AskRequest } from "../../../protocol/ask.ts";
import type { ResourceListing } from "../../../protocol/resource.ts";
import { formatEvent } from "../../../transports/http/events.ts";
import { countCall } from "../../limits/rate.ts";
import { activityOf, createAnswerText, outcomeOf, renderAnswerEnd } from "./answer/answer.ts";
import { runQuestion } from "./answer/run-question.ts";
import { emptyForm, type Form, formErrors, parseForm, requireFields, valuesOf } from "./forms.ts";
import { type Html, html, markedUp, toMarkup } from "./html.ts";
import { layout } from "./layout.ts";
import type { PageServices } from "./pages.ts";
import { sendHtml } from "./respond.ts";
import type { Visitor } from "./visitors.ts";

const Question = AskRequest.pick({ question: true });
const keepAliveMs = 15_000;

/** The page to ask: whole without script, streamed with it. */
export function askPages({ store, visitors, callFor, rateLimit }: PageServices): Router {
  const router = Router();
  const requireRate = async ({ account }: Visitor) => {
    const { isAllowed, retryAfterSeconds } = await countCall(store, `calls:account:${account.id}`, rateLimit);
    if (isAllowed) return;
    const message = `the limit of ${rateLimit.perMinute} questions per minute for an account is reached`;
    throw new CitewellError("LimitReached", message, { hint: `the next one is allowed in ${retryAfterSeconds} s` });
  };

  router.get("/p/:project/ask", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { app, signal } = callFor(visitor, response);
    const { resources } = await app.listResources({}, { signal });
    sendHtml(response, askPage({ visitor, resources, form: emptyForm, chosen: [] }));
  });

  router.post("/p/:project/ask", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const call = callFor(visitor, response);
    const { resources } = await call.app.listResources({}, { signal: call.signal });
    const chosen = valuesOf(request, "resources");
    const { data, form } = parseForm(Question, request);
    const shown = { visitor, resources, form, chosen };
    if (data === undefined) return sendHtml(response, askPage(shown), 400);
    await requireRate(visitor);
    const { turn, partial } = await runQuestion({ ...data, resources: chosen }, call);
    const base = `/p/${visitor.membership.project.name}`;
    const blocks = createAnswerText(base)(turn.answer).map(markedUp);
    return sendHtml(
      response,
      askPage({ ...shown, answer: { blocks, end: renderAnswerEnd(turn, { base, partial }), status: outcomeOf(turn) } }),
    );
  });

  router.post("/p/:project/ask/stream", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const call = callFor(visitor, response);
    const question = requireFields(Question, request);
    await requireRate(visitor);
    const base = `/p/${visitor.membership.project.name}`;
    const stream = createAnswerStream(response, base);
    using _stream = stream;
    const asked = { ...question, resources: valuesOf(request, "resources") };
    const { turn, partial } = await runQuestion(asked, { ...call, deadlineMs: undefined, onChange: stream.show });
    stream.end(turn, renderAnswerEnd(turn, { base, partial }));
  });

  return router;
}

/** Sends an answer as it grows: `status` is a line of text, `blocks` says how many blocks stay and which follow them. */
function createAnswerStream(
  response: Response,
  base: string,
): Disposable & { show(turn: Turn): void; end(turn: Turn, end: Html): void } {
  response.writeHead(200, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  const keepAlive = setInterval(() => {
    if (!response.writableNeedDrain) response.write(": keep-alive\n\n");
  }, keepAliveMs);
  const render = createAnswerText(base);
  let sent: string[] = [];
  let status = "";
  const send = (turn: Turn, line: string) => {
    const blocks = render(turn.answer);
    const keep = blocks.findIndex((block, index) => block !== sent[index]);
    const kept = keep === -1 ? blocks.length : keep;
    if (line !== status) response.write(formatEvent({ type: "status", text: line }));
    if (kept < blocks.length || sent.length > blocks.length) {
      response.write(formatEvent({ type: "blocks", keep: kept, blocks: blocks.slice(kept) }));
    }
    [sent, status] = [blocks, line];
  };
  return {
    // A slow reader gets fewer states; each is whole.
    show: (turn) => response.writableNeedDrain || response.destroyed || send(turn, activityOf(turn)),
    end(turn, end) {
      if (response.destroyed) return;
      send(turn, outcomeOf(turn));
      response.end(formatEvent({ type: "end", markup: toMarkup(end) }));
    },
    [Symbol.dispose]: () => clearInterval(keepAlive),
  };
}

interface AskPageOptions {
  visitor: Visitor;
  resources: readonly ResourceListing[];
  form: Form;
  /** The names that are ticked. */
  chosen: readonly string[];
  answer?: { blocks: Html[]; end: Html; status: string };
}

function askPage({ visitor: { account, membership }, resources, form, chosen, answer }: AskPageOptions): Html {
  const path = `/p/${membership.project.name}/ask`;
  const choices = resources.map(
    ({ name }) =>
      html`<label
        ><input type="checkbox" name="resources" value="${name}" ${chosen.includes(name) && html` checked`} />
        ${name}</label
      >`,
  );
  const error = form.errors["question"];
  const main = html`<h1>Ask</h1>
    ${resources.length === 0 && html`<p class="doubtful">The project has no resources yet: <a href="/p/${membership.project.name}/resources">add one</a>.</p>`}
    <form method="post" action="${path}" id="ask" data-stream="${path}/stream">
      ${formErrors(form)}
      <div class="field">
        <label for="question">Question</label>
        <textarea
          id="question"
          name="question"
          required${error !== undefined && html` aria-describedby="question-error" aria-invalid="true"`}
        >
${form.values["question"] ?? ""}</textarea>
        ${error !== undefined && html`<p class="error" id="question-error">${error}</p>`}
      </div>
      ${
        choices.length > 1 &&
        html`<fieldset>
          <legend>About (none ticked: all)</legend>
          ${choices}
        </fieldset>`
      }
      <div class="actions">
        <button id="send">Ask</button>
        <button id="stop" type="button" class="quiet" hidden>Stop</button>
      </div>
    </form>
    <section id="answer" aria-labelledby="answer-title" ${answer === undefined && html` hidden`}>
      <h2 id="answer-title">Answer</h2>
      <p id="status" class="muted" role="status">${answer?.status}</p>
      <div id="blocks" class="answer">${answer?.blocks}</div>
      <div id="end">${answer?.end}</div>
    </section>`;
  return layout({ title: "Ask", main, account, membership, current: path, script: "ask.js" });
}
