import { toCitewellError } from "../../server/errors.ts";
import { type Answer, emptyAnswer, foldAnswer } from "../../server/protocol/ask.ts";
import { isProved } from "../../server/protocol/citation.ts";
import { extractMentions } from "../../server/protocol/mentions.ts";
import { callOperation } from "../../server/transports/call-operation.ts";
import { type AnswerViewOptions, createAnswerView } from "../answer-view.ts";
import { exitCodes } from "../exit-codes.ts";
import { exitCodeOf } from "../exit.ts";
import { openApp, openLog } from "../open-app.ts";
import { readQuestion } from "../question.ts";
import type { Terminal } from "../terminal.ts";

export interface AskOptions extends AnswerViewOptions {
  question?: string;
  resource: string[];
  strict?: boolean;
  provider?: string;
  model?: string;
}

/** One question: the answer streams to standard output, everything else to standard error. */
export async function ask(options: AskOptions, terminal: Terminal): Promise<number> {
  const { signal } = terminal;
  const { text, notes } = await readQuestion(options.question, terminal);
  const { provider, model } = options;
  await using app = openApp(terminal, { log: openLog(terminal, options), provider, model });
  const view = createAnswerView(options, terminal);
  for (const note of notes) view.note(note);
  const request = { ...(await withMentions(text)), progress: true };
  let answer = emptyAnswer;
  try {
    for await (const event of callOperation(app, "ask", request, { signal })) {
      answer = foldAnswer(answer, event);
      await view.event(event);
    }
  } catch (error) {
    const isTold = await view.failed(answer, error);
    if (isTold && !signal.aborted) return exitCodeOf(toCitewellError(error));
    throw error;
  }
  await view.finished(answer);
  return exitCodeFor(answer, options);

  async function withMentions(question: string): Promise<{ question: string; resources: string[] }> {
    if (!question.includes("@")) return { question, resources: options.resource };
    const { resources } = await app.listResources({}, { signal });
    const mentioned = extractMentions(
      question,
      resources.map(({ name }) => name),
    );
    return { question: mentioned.question, resources: [...new Set([...options.resource, ...mentioned.resources])] };
  }
}

function exitCodeFor({ stopped, citations }: Answer, { strict }: AskOptions): number {
  if (stopped !== undefined) return stopped.reason === "empty" ? exitCodes.failure : exitCodes.limitReached;
  if (strict !== true) return exitCodes.ok;
  if (citations.length === 0) return exitCodes.notFound;
  return citations.every(isProved) ? exitCodes.ok : exitCodes.citationsFailed;
}
