import type * as vscode from "vscode";
import * as z from "zod";
import { type Conversation, newTurn, type Turn } from "../../../client/conversation.ts";
import type { Thread } from "../../../server/protocol/threads.ts";
import { Attachment } from "../../../server/protocol/attachment.ts";

/** The questions that ended before the server stored them, so that the next window shows them too. */
export interface UnstoredTurns {
  remember(conversation: Conversation): void;
  /** Those that follow the thread, as stopped turns. */
  after(thread: Thread | undefined): Turn[];
}

const key = "citewell.chat.unstored";
const turnLimit = 5;

const Remembered = z
  .array(z.object({ question: z.string(), askedAt: z.string(), attachments: z.array(Attachment).optional() }))
  .catch([]);

export function createUnstoredTurns(memory: Pick<vscode.Memento, "get" | "update">): UnstoredTurns {
  const read = () => Remembered.parse(memory.get(key));
  return {
    remember({ turns }) {
      // The server stores a turn from its first event on, which names the model.
      const last = turns.findLastIndex(({ answer }) => answer.model.model !== "");
      const unstored = turns
        .slice(last + 1)
        .slice(-turnLimit)
        .map(({ question, askedAt, attachments }) => ({ question, askedAt, attachments }));
      if (unstored.length > 0 || read().length > 0) void memory.update(key, unstored);
    },
    after(thread) {
      const last = thread?.turns.at(-1);
      return read()
        .filter(({ question }) => last?.ended !== "cancelled" || last.question !== question)
        .map((asked, index) => ({ ...newTurn({ ...asked, id: `unstored-${index + 1}` }), status: "cancelled" }));
    },
  };
}
