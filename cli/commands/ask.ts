import { CitewellError, toCitewellError } from "../../server/errors.ts";
import type { Answer } from "../../server/protocol/ask.ts";
import { isProved } from "../../server/protocol/citation.ts";
import { askQuestion, readMentions } from "../ask-question.ts";
import { type AnswerViewOptions, createAnswerView } from "../output/answer-view.ts";
import type { ServerOptions } from "../definitions/global-options.ts";
import { exitCodes } from "../output/exit-codes.ts";
import { exitCodeOf } from "../output/exit.ts";
import { findThread, lastReferences, newestThread } from "../input/find-thread.ts";
import { connectApp, openApp, openLog } from "../app/open-app.ts";
import { readQuestion, requireWords } from "../input/question.ts";
import { toAbsoluteReference } from "../input/references.ts";
import type { Terminal } from "../terminal.ts";

export interface AskOptions extends AnswerViewOptions, ServerOptions {
  question?: string;
  /** Text must be piped in beside the question. */
  stdin?: boolean;
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
  const thread = await chooseThread(options, terminal);
  await using app = await connectApp(terminal, options);
  const view = createAnswerView(options, terminal);
  for (const note of notes) view.note(note);
  const mentioned = await readMentions(app, text, terminal);
  const question = requireWords(mentioned.question, mentioned);
  const named = [...options.resource.map((name) => toAbsoluteReference(name, terminal)), ...mentioned.resources];
  const resources = named.length > 0 ? [...new Set(named)] : [...(thread?.references ?? [])];
  const request = { question, resources, ...(thread === undefined ? {} : { thread: thread.id }) };
  const { answer, failure } = await askQuestion(app, request, { view, signal });
  if (failure?.isTold === true && !signal.aborted) return exitCodeOf(toCitewellError(failure.error));
  if (failure !== undefined) throw failure.error;
  for (const { name, version, reference } of answer.offers ?? []) {
    const included = [...answer.resources, reference].map((resource) => `-r ${resource}`).join(" ");
    view.note(`${name} ${version} is installed here; to ask about it as well: ${included}`);
  }
  if (answer.thread !== undefined) view.note(`thread ${answer.thread}; to go on: citewell ask --continue -q "…"`);
  if (answer.evidence === "none") view.note("No evidence: nothing that was read proves this answer.");
  return exitCodeFor(answer, options);
}

/** The thread that the question goes on with, and what is asked where the question names nothing. */
async function chooseThread(
  options: AskOptions,
  terminal: Terminal,
): Promise<{ id: string; references: readonly string[] } | undefined> {
  const { thread, continue: isContinued, server } = options;
  if (thread === undefined && isContinued !== true) return undefined;
  if (thread !== undefined && isContinued === true) {
    throw new CitewellError("InvalidUsage", "--thread and --continue exclude each other");
  }
  // A server does not list its threads; what `new` is needs no list.
  if (thread !== undefined && (thread === "new" || server !== undefined)) return { id: thread, references: [] };
  if (server !== undefined)
    throw new CitewellError("InvalidUsage", "--continue is not for a server: name the --thread");
  await using app = openApp(terminal, { log: openLog(terminal, options), quiet: options.quiet });
  const { id } = thread === undefined ? await newestThread(app) : await findThread(app, thread);
  return { id, references: await lastReferences(app, id) };
}

function exitCodeFor({ stopped, citations, evidence }: Answer, { strict }: AskOptions): number {
  if (stopped !== undefined) return stopped.reason === "empty" ? exitCodes.failure : exitCodes.limitReached;
  if (strict === true && !citations.every(isProved)) return exitCodes.citationsFailed;
  return evidence === "none" ? exitCodes.notFound : exitCodes.ok;
}
