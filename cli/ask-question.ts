import { type Answer, type AskRequest, emptyAnswer, foldAnswer } from "../server/protocol/ask.ts";
import { existsSync } from "node:fs";
import { toAbsolutePath } from "../server/lib/absolute-path.ts";
import { extractMentions, mentionableAmong } from "../server/protocol/mentions.ts";
import { callOperation } from "../server/transports/call-operation.ts";
import type { AnswerView } from "./output/answer-view.ts";
import type { ConnectedApp } from "./app/open-app.ts";
import { wordingOf } from "./input/option-names.ts";
import type { Terminal } from "./terminal.ts";

/** An answer as far as it came. `isTold` says that the view has told of the error, as the JSON forms do. */
export interface Asked {
  answer: Answer;
  failure?: { error: unknown; isTold: boolean };
}

/** Asks one question and shows it as it comes. Throws nothing: the caller knows how to go on. */
export async function askQuestion(
  app: ConnectedApp,
  request: AskRequest,
  { view, signal }: { view: AnswerView; signal: AbortSignal },
): Promise<Asked> {
  let answer = emptyAnswer;
  try {
    for await (const event of callOperation(app, "ask", { ...request, progress: true }, { signal }, wordingOf("ask"))) {
      answer = foldAnswer(answer, event);
      await view.event(event);
    }
  } catch (error) {
    return { answer, failure: { error, isTold: await view.failed(answer, error) } };
  }
  await view.finished(answer);
  return { answer };
}

/** Takes the `@mentions` out of a question. */
export async function readMentions(
  app: ConnectedApp,
  question: string,
  { signal, cwd, homeDirectory }: Pick<Terminal, "signal" | "cwd" | "homeDirectory">,
): Promise<{ question: string; resources: readonly string[] }> {
  if (!question.includes("@")) return { question, resources: [] };
  const { resources } = await app.listResources({}, { signal });
  const exists = (path: string) => existsSync(toAbsolutePath(path, { folder: cwd, homeDirectory }));
  return extractMentions(question, mentionableAmong(resources, { exists }));
}
