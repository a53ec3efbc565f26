import { type ExportedTurn, threadMarkdown } from "../../../server/protocol/thread-markdown.ts";
import type { Thread } from "../../../server/protocol/threads.ts";
import type { Turn, Conversation } from "../../../client/conversation.ts";
import { joinQuestion } from "../../../server/protocol/attachment.ts";

/** What the chat shows, as a Markdown file; the cited lines are taken from the kept thread, where there is one. */
export function conversationMarkdown(
  { thread, turns }: Conversation,
  { kept, untitled }: { kept: Thread | undefined; untitled: string },
): string {
  const title = thread?.title ?? turns[0]?.question.split("\n", 1)[0] ?? untitled;
  return threadMarkdown({ title, turns: turns.map((turn) => toExported(turn, kept)) });
}

function toExported(turn: Turn, kept: Thread | undefined): ExportedTurn {
  const { question, attachments = [], askedAt, answer, status } = turn;
  const { text, model, snapshots, citations } = answer;
  const isSame = (other: Thread["turns"][number]) => other.text === text && other.citations.length > 0;
  const cited = turn.cited ?? kept?.turns.find(isSame)?.cited ?? [];
  return {
    question: joinQuestion(question, attachments),
    askedAt,
    text,
    model,
    snapshots,
    citations,
    cited: [...cited],
    ended: status === "failed" || status === "cancelled" ? status : undefined,
  };
}
