import { type Request, Router } from "express";
import { type Conversation, emptyConversation, fromThread, turnsBefore } from "../../../client/conversation.ts";
import { CitewellError, toCitewellError } from "../../errors.ts";
import { AskRequest } from "../../protocol/ask.ts";
import type { Thread, ThreadRecheck } from "../../protocol/threads.ts";
import { requireQuestionRate } from "../limits/rate.ts";
import type { Group } from "../tenants/groups.ts";
import { listShares } from "../tenants/shares.ts";
import { type AskedQuestion, type OutdatedResource, runQuestion } from "./answer/run-question.ts";
import { askPage, type AskPageOptions, chosenBefore } from "./ask-page.ts";
import { createAnswerStream } from "./ask-stream.ts";
import { emptyForm, fieldOf, parseForm, requireFields, valuesOf } from "./forms.ts";
import { shownBy } from "./listing.ts";
import type { PageCall, PageServices } from "./pages.ts";
import { noticeOf, redirect, sendHtml } from "./respond.ts";

const Question = AskRequest.pick({ question: true });
/** Forms below the path of the page. */
const formNames: ReadonlySet<string> = new Set(["delete", "stream", "share", "unshare"]);
const notices = { deleted: "The conversation is deleted.", unshared: "It is no longer shared." };
/** How long a streamed answer may take, at least: its reader sees it grow. */
const streamedMs = 600_000;
const goneNotice = "The conversation before was deleted or has expired. This question began a new one.";

/** The page to ask and to ask on: whole without script, streamed with it. */
export function askPages({ store, visitors, callFor, rateLimit }: PageServices): Router {
  const router = Router();
  router.get("/p/:project/ask", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const call = callFor(visitor, response);
    const { threads } = await call.app.listThreads({}, { signal: call.signal });
    const notice = noticeOf(request, notices);
    sendHtml(
      response,
      askPage({
        visitor,
        ...(await choicesOf(call)),
        threads,
        conversation: emptyConversation,
        form: emptyForm,
        shown: shownBy(request),
        notice,
      }),
    );
  });

  router.get("/p/:project/ask/:thread", async (request, response) => {
    // The addresses of forms, from the address bar.
    const { project, thread: id } = request.params;
    if (formNames.has(id)) return redirect(response, `/p/${project}/ask`);
    const visitor = await visitors.requireMember(request, "member");
    const call = callFor(visitor, response);
    const thread = await call.app.getThread({ id }, { signal: call.signal });
    const { membership, account } = visitor;
    const shares = await listShares(store, { project: membership.project.id, account: account.id }, id);
    let recheck: ThreadRecheck | undefined;
    if (request.query["check"] !== undefined) {
      await requireQuestionRate(store, account, rateLimit);
      recheck = await call.app.recheckThread({ id }, { signal: call.signal });
    }
    const conversation = fromThread(thread);
    return sendHtml(
      response,
      askPage({ visitor, ...(await choicesOf(call)), conversation, shares, recheck, form: emptyForm }),
    );
  });

  router.post("/p/:project/ask", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const call = callFor(visitor, response);
    const choices = await choicesOf(call);
    const named = fieldOf(request, "thread");
    const thread = await findThread(named, call);
    const before = thread === undefined ? emptyConversation : fromThread(thread);
    const again = readAgain(request, { conversation: before, groups: choices.groups });
    const { data, form } = again === undefined ? parseForm(Question, request) : { data: again, form: emptyForm };
    const { conversation = before, resources: chosen = chosenIn(request) } = again ?? {};
    const shown = { visitor, ...choices, form, chosen, conversation };
    if (data === undefined) return sendHtml(response, askPage(shown), 400);
    await requireQuestionRate(store, visitor.account, rateLimit);
    let outdated: readonly OutdatedResource[] = [];
    const onOutdated = (found: readonly OutdatedResource[]) => {
      outdated = found;
    };
    const ended = await runQuestion({ resources: chosen, ...data, thread }, { ...call, onOutdated });
    const notice = named !== "" && thread === undefined ? goneNotice : undefined;
    return sendHtml(response, askPage({ ...shown, ended: { ...ended, outdated }, notice }));
  });

  router.post("/p/:project/ask/delete", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const { app, signal } = callFor(visitor, response);
    await app.deleteThread({ id: fieldOf(request, "thread") }, { signal });
    redirect(response, `/p/${visitor.membership.project.name}/ask?done=deleted`);
  });

  router.post("/p/:project/ask/stream", async (request, response) => {
    const visitor = await visitors.requireMember(request, "member");
    const call = callFor(visitor, response);
    const thread = await findThread(fieldOf(request, "thread"), call);
    const again = readAgain(request, {
      conversation: thread === undefined ? emptyConversation : fromThread(thread),
      groups: await call.groups(),
    });
    const asked = again ?? { ...requireFields(Question, request), resources: chosenIn(request) };
    const { question } = asked;
    await requireQuestionRate(store, visitor.account, rateLimit);
    const base = `/p/${visitor.membership.project.name}`;
    const stream = createAnswerStream(response, { base, question, id: crypto.randomUUID() });
    using _stream = stream;
    const ended = await runQuestion(
      { ...asked, thread },
      {
        ...call,
        deadlineMs: Math.max(call.deadlineMs, streamedMs),
        onChange: stream.show,
        onOutdated: stream.showOutdated,
      },
    );
    stream.end(ended);
  });

  return router;
}

/** The resources and groups that a question can be about. */
async function choicesOf({ fetches, groups }: PageCall): Promise<Pick<AskPageOptions, "resources" | "groups">> {
  const [states, named] = await Promise.all([fetches.states(), groups()]);
  return { resources: [...states].map(([name, fetch]) => ({ name, fetch })), groups: named };
}

/** A question that is asked again, and the conversation before it. */
interface AskedAgain extends Required<Pick<AskedQuestion, "question" | "resources" | "again">> {
  conversation: Conversation;
}

/** The stored question that the form names with what it was about; undefined if the form has one. @throws ThreadNotFound */
function readAgain(
  request: Request,
  { conversation, groups }: { conversation: Conversation; groups: readonly Group[] },
): AskedAgain | undefined {
  const again = fieldOf(request, "again");
  if (again === "") return undefined;
  const index = conversation.turns.findIndex(({ askedAt }) => askedAt === again);
  const turn = conversation.turns[index];
  if (turn === undefined)
    throw new CitewellError("ThreadNotFound", "this answer is no longer stored", { hint: "ask the question anew" });
  const upToIt = { ...conversation, turns: conversation.turns.slice(0, index + 1) };
  return {
    question: turn.question,
    resources: [...chosenBefore(upToIt, groups)],
    again,
    conversation: turnsBefore(conversation, turn.id),
  };
}

/** What is ticked, and what is typed. */
function chosenIn(request: Request): string[] {
  const typed = fieldOf(request, "about").split(/[\s,]+/);
  return [...valuesOf(request, "resources"), ...typed.filter((name) => name !== "")];
}

/** Undefined without an id, and for a conversation that is gone: the question begins a new one. */
async function findThread(id: string, { app, signal }: PageCall): Promise<Thread | undefined> {
  if (id === "") return undefined;
  try {
    return await app.getThread({ id }, { signal });
  } catch (error) {
    if (toCitewellError(error).tag === "ThreadNotFound") return undefined;
    throw error;
  }
}
