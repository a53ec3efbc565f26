import { expect, test } from "vitest";
import { createUnstoredTurns } from "../../../extension/features/chat/unstored-turns.ts";
import { emptyConversation, newTurn, type Turn } from "../../../client/conversation.ts";
import { emptyAnswer } from "../../../server/protocol/ask.ts";
import type { Thread } from "../../../server/protocol/threads.ts";
import { threadTurn } from "../../support/thread-turn.ts";

function stage() {
  let stored: unknown;
  return createUnstoredTurns({ get: () => stored, update: async (_key, value) => void (stored = value) });
}

const asked = (question: string): Turn => newTurn({ id: question, question, askedAt: "2026-01-01T00:00:00.000Z" });
const answered: Turn = {
  ...asked("What?"),
  answer: { ...emptyAnswer, model: { provider: "p", model: "m" } },
  status: "done",
};
const thread = (...turns: Thread["turns"]): Thread => ({
  id: "1",
  title: "What?",
  createdAt: "",
  updatedAt: "",
  turns,
});

test("a question that was stopped before its first event is there again, with its attachments", () => {
  const unstored = stage();
  const attachments = [{ label: "a.ts", path: "src/a.ts", text: "1" }];
  unstored.remember({
    ...emptyConversation,
    turns: [answered, { ...asked("Why?"), attachments, status: "cancelled" }],
  });
  expect(unstored.after(thread(threadTurn({ question: "What?" })))).toMatchObject([
    { question: "Why?", attachments, status: "cancelled" },
  ]);
});

test("one that still waits when the window is closed is there as stopped", () => {
  const unstored = stage();
  unstored.remember({ ...emptyConversation, turns: [asked("Why?")] });
  expect(unstored.after(undefined)).toMatchObject([{ question: "Why?", status: "cancelled" }]);
});

test("nothing is repeated: neither what has got an answer since nor what the server stored all the same", () => {
  const unstored = stage();
  unstored.remember({ ...emptyConversation, turns: [asked("Why?")] });
  expect(unstored.after(thread(threadTurn({ question: "Why?", ended: "cancelled" })))).toEqual([]);
  unstored.remember({ ...emptyConversation, turns: [asked("Why?"), answered] });
  expect(unstored.after(undefined)).toEqual([]);
});
