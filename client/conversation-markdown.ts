import { threadMarkdown } from "../server/protocol/thread-markdown.ts";
import type { Turn } from "./conversation.ts";

/** The turns with an answer, as `citewell threads export` writes them, with permanent links; undefined without any. */
export function conversationMarkdown(turns: readonly Turn[]): string | undefined {
  const answered = turns.filter(({ answer }) => answer.text !== "");
  const [first] = answered;
  if (first === undefined) return undefined;
  const exported = answered.map(({ question, askedAt, answer, status, cited }) => ({
    ...answer,
    question,
    askedAt,
    cited: [...(cited ?? [])],
    ended: status === "cancelled" || status === "failed" ? status : undefined,
  }));
  return threadMarkdown({ title: first.question.split("\n")[0] ?? "", turns: exported });
}
