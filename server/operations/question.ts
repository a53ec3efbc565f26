import {
  type Answer,
  type AskRequest,
  emptyAnswer,
  foldAnswer,
  type QuestionReply,
  toQuestionReply,
} from "../protocol/ask.ts";
import { ask } from "./ask.ts";
import type { Call, Context } from "./context.ts";

/** `ask`, folded. @throws as `ask` */
export async function question(request: AskRequest, context: Context, call: Call): Promise<QuestionReply> {
  let answer: Answer = emptyAnswer;
  for await (const event of ask({ ...request, progress: false }, context, call)) answer = foldAnswer(answer, event);
  return toQuestionReply(answer);
}
