import { expect, test } from "vitest";
import { type Conversation, emptyConversation } from "../../client/conversation.ts";
import { conversationMarkdown } from "../../client/thread-markdown.ts";
import { emptyAnswer } from "../../server/protocol/ask.ts";
import type { Citation } from "../../server/protocol/citation.ts";
import type { Thread } from "../../server/protocol/threads.ts";
import { threadTurn } from "../support/thread-turn.ts";

const citation: Citation = {
  id: "c1",
  resource: "demo",
  path: "src/retry.ts",
  startLine: 2,
  endLine: 2,
  state: "verified",
  revision: "abc123",
  url: "https://host.test/demo/blob/abc123/src/retry.ts#L2",
};
const answer = {
  ...emptyAnswer,
  text: "After [2 s](…).",
  model: { provider: "builtin", model: "extractive" },
  citations: [citation],
};
const turn = {
  id: "a",
  question: "How long?",
  askedAt: "2026-01-02T03:04:05.000Z",
  named: [],
  answer,
  status: "done",
} as const;

const check = (conversation: Conversation, expected: string, stored?: Thread) =>
  expect(conversationMarkdown(conversation, { stored })).toBe(expected);

test("a conversation comes with its sources and their revisions", () =>
  check(
    { thread: { id: "0123456789ab", title: "How long?" }, replacedSince: undefined, turns: [turn] },
    [
      "# How long?",
      "> How long?",
      "*2026-01-02, builtin/extractive*",
      "After [2 s](…).",
      "**Sources**",
      "1. [`src/retry.ts:2`](https://host.test/demo/blob/abc123/src/retry.ts#L2) (demo · abc123): verified\n",
    ].join("\n\n"),
  ));

test("with the cited lines, where the thread is kept", () => {
  const cited = [
    { citation: "c1", file: "0".repeat(64), text: "0".repeat(64), length: 16, lines: ["const delay = 2;"] },
  ];
  const turns = [threadTurn({ question: "How long?", text: answer.text, citations: [citation], cited })];
  const stored = { id: "0123456789ab", title: "", createdAt: turn.askedAt, updatedAt: turn.askedAt, turns };
  const markdown = conversationMarkdown({ ...emptyConversation, turns: [turn] }, { stored });
  expect(markdown).toContain("verified\n\n   ```ts\n   const delay = 2;\n   ```\n");
});

test("an answer that never began and one that was stopped say so", () => {
  const nothing = { ...turn, attachments: [{ label: "a.ts:1", path: "a.ts", text: "x" }], answer: emptyAnswer };
  check(
    { ...emptyConversation, turns: [{ ...nothing, status: "failed" }] },
    "# How long?\n\n> How long?\n>\n> Attached from `a.ts` (a.ts:1):\n>\n> ```ts\n> x\n> ```\n\n*2026-01-02*\n\n*The question failed before an answer arrived.*\n",
  );
});

test("characters that cannot be seen are shown", () => {
  const markdown = conversationMarkdown({ thread: { id: "0", title: "a\u202Eb" }, turns: [turn] });
  expect(markdown).toContain("# a‹U+202E›b\n\n");
});

test("without a thread, the first question is the title", () =>
  expect(conversationMarkdown({ turns: [turn, { ...turn, question: "And then?" }] })).toMatch(/^# How long\?\n/));

test("before an answer has begun there is nothing to export", () => {
  expect(conversationMarkdown(emptyConversation)).toBeUndefined();
  expect(conversationMarkdown({ turns: [{ ...turn, answer: emptyAnswer, status: "running" }] })).toBeUndefined();
});
