import { followUpTargets, fromThread } from "../../client/conversation.ts";
import { targetsOf } from "../../client/targets.ts";
import { CitewellError, toCitewellError } from "../../server/errors.ts";
import { type Answer, type AskRequest, emptyAnswer, foldAnswer } from "../../server/protocol/ask.ts";
import { isProved } from "../../server/protocol/citation.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import { type ConnectedApp, connectApp } from "../app/open-app.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { findThread, newestThread } from "../input/find-thread.ts";
import { readMentions } from "../input/mentions.ts";
import { wordingOf } from "../input/option-names.ts";
import { type QuestionOptions, readQuestion, requireWords } from "../input/question.ts";
import { explainMissingFolder, toAbsoluteReference } from "../input/references.ts";
import { type AnswerView, type AnswerViewOptions, createAnswerView } from "../output/answer-view.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { exitCodeOf } from "../output/exit.ts";
import type { Terminal } from "../terminal.ts";

/** Options of `citewell ask`. */
export interface AskOptions extends AnswerViewOptions, ServerOptions, QuestionOptions {
  resource: string[];
  strict?: boolean;
  /** An id, or `new`. */
  thread?: string;
  continue?: boolean;
  provider?: string;
  model?: string;
}

/** One question: the answer streams to standard output, everything else to standard error. */
export async function ask(options: AskOptions, terminal: Terminal): Promise<number> {
  const { signal } = terminal;
  const { text, notes } = await readQuestion(options, terminal);
  checkThreadOptions(options);
  await using app = await connectApp(terminal, options);
  const { previous, ...continued } = await chooseThread(options, app);
  const view = createAnswerView(options, terminal);
  for (const note of notes) view.note(note);
  const mentioned = await readMentions(app, text, terminal);
  for (const note of mentioned.notes) view.note(note);
  const question = requireWords(mentioned.question, mentioned);
  const flags = options.resource.map((name) => toAbsoluteReference(name, terminal));
  const { resources } = targetsOf({ named: [...flags, ...mentioned.resources], previous });
  const request = { question, resources: [...resources], ...continued };
  const explain = (error: unknown) => explainMissingFolder(error, options.resource, terminal);
  const { answer, failure } = await showAnswer(app, request, { view, explain, signal });
  if (failure?.isReported === true && !signal.aborted) return exitCodeOf(toCitewellError(failure.error));
  if (failure !== undefined) throw failure.error;
  for (const { name, version, reference } of answer.offers ?? []) {
    const included = [...answer.resources, reference].map((resource) => `-r ${resource}`).join(" ");
    view.note(`${name} ${version} is installed here; to ask about it as well: ${included}`);
  }
  if (answer.thread !== undefined) view.note(`thread ${answer.thread}; to go on: citewell ask --continue -q "…"`);
  if (answer.evidence === "none") view.note("No evidence: nothing that was read proves this answer.");
  return exitCodeFor(answer, options);
}

/** Shows the answer as it comes. Never throws: `isReported` says that the view has shown the error, as the JSON forms do. */
async function showAnswer(
  app: ConnectedApp,
  request: AskRequest,
  { view, explain, signal }: { view: AnswerView; explain: (error: unknown) => unknown; signal: AbortSignal },
): Promise<{ answer: Answer; failure?: { error: unknown; isReported: boolean } }> {
  let answer = emptyAnswer;
  try {
    for await (const event of callOperation(app, "ask", { ...request, progress: true }, { signal }, wordingOf("ask"))) {
      answer = foldAnswer(answer, event);
      await view.event(event);
    }
  } catch (thrown) {
    const error = explain(thrown);
    return { answer, failure: { error, isReported: await view.failed(answer, error) } };
  }
  await view.finished(answer);
  return { answer };
}

function checkThreadOptions({ thread, continue: isContinued, server }: AskOptions): void {
  if (isContinued !== true) return;
  if (thread !== undefined) throw new CitewellError("InvalidUsage", "--thread and --continue cannot be used together");
  if (server !== undefined)
    throw new CitewellError("InvalidUsage", "--continue cannot be used with --server: name a --thread");
}

/**
 * The thread to continue, and what the question is about if it names nothing; `scope` leaves it to the thread's own
 * project.
 */
async function chooseThread(
  { thread, continue: isContinued }: AskOptions,
  app: ConnectedApp,
): Promise<Pick<AskRequest, "thread" | "scope"> & { previous: readonly string[] }> {
  const { threads } = app;
  if (thread === "new") return { thread, previous: [] };
  if (thread === undefined && isContinued !== true) return { previous: [] };
  // A server elsewhere does not list its threads: an id is whole there.
  const { id } =
    threads === undefined
      ? { id: thread }
      : await (thread === undefined ? newestThread(threads) : findThread(threads, thread));
  if (id === undefined) return { previous: [] };
  const previous = followUpTargets(fromThread(await app.getThread({ id })));
  return { thread: id, scope: "project", previous };
}

function exitCodeFor({ stopped, citations, evidence }: Answer, { strict }: AskOptions): number {
  if (stopped !== undefined) return stopped.reason === "empty" ? exitCodes.failure : exitCodes.limitReached;
  if (strict === true && !citations.every(isProved)) return exitCodes.citationsFailed;
  return evidence === "none" ? exitCodes.notFound : exitCodes.ok;
}
