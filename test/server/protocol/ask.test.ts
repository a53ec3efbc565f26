import { describe, expect, test } from "vitest";
import { type AskEvent, AskRequest, emptyAnswer, foldAnswer, toQuestionReply } from "../../../server/protocol/ask.ts";
import type { Citation } from "../../../server/protocol/citation.ts";

const citation: Citation = {
  id: "c1",
  resource: "demo",
  path: "a.ts",
  startLine: 1,
  endLine: 2,
  state: "verified",
  revision: "1",
};
const running = { status: "running", input: { query: "x" }, time: { start: 1 } } as const;
const completed = { status: "completed", input: { query: "x" }, output: "y", time: { start: 1, end: 2 } } as const;
const events: AskEvent[] = [
  { type: "progress", resource: "demo", phase: "fetch", message: "fetching" },
  {
    type: "meta",
    model: { provider: "builtin", model: "extractive" },
    resources: ["demo"],
    collection: { key: "demo", path: "/data" },
    snapshots: [],
  },
  { type: "reasoning.delta", delta: "Think" },
  { type: "reasoning.delta", delta: "ing" },
  { type: "tool.updated", callID: "1", tool: "search", state: running },
  { type: "tool.updated", callID: "2", tool: "read", state: running },
  { type: "tool.updated", callID: "1", tool: "search", state: completed },
  { type: "text.delta", delta: "See " },
  { type: "text.delta", delta: "a.ts:1-2", citations: [citation] },
];

describe("foldAnswer", () => {
  const folded = events.reduce(foldAnswer, emptyAnswer);

  test("adds the deltas up and keeps the last state of each tool call, in the order of the calls", () => {
    expect(folded.reasoning).toBe("Thinking");
    expect(folded.text).toBe("See a.ts:1-2");
    expect(folded.tools.map(({ callID, state }) => [callID, state.status])).toEqual([
      ["1", "completed"],
      ["2", "running"],
    ]);
    expect(folded.citations).toEqual([citation]);
  });

  test("an error leaves what had arrived", () => {
    expect(foldAnswer(folded, { type: "error", tag: "Cancelled", message: "cancelled" })).toEqual(folded);
  });

  test("done has the last word", () => {
    const done = {
      type: "done",
      text: "T",
      reasoning: "R",
      tools: [],
      citations: [],
      usage: { inputTokens: 1 },
    } as const;
    const answer = foldAnswer(folded, { ...done, tools: [], citations: [] });
    expect(answer).toMatchObject({
      text: "T",
      reasoning: "R",
      tools: [],
      resources: ["demo"],
      usage: { inputTokens: 1 },
    });
    expect(toQuestionReply(answer)).toMatchObject({ answer: "T", collection: { key: "demo" }, citations: [] });
  });
});

describe("AskRequest", () => {
  const check = (name: string, request: unknown, isTaken: boolean) =>
    test(name, () => expect(AskRequest.safeParse(request).success).toBe(isTaken));

  check("a question alone is enough", { question: "Why?" }, true);
  check("100,000 characters are taken", { question: "x".repeat(100_000) }, true);
  check("100,001 characters are refused", { question: "x".repeat(100_001) }, false);
  check("white space is no question", { question: " \n" }, false);
  check("20 resources are taken", { question: "Why?", resources: Array.from({ length: 20 }, (_, i) => `r${i}`) }, true);
  check(
    "21 resources are refused",
    { question: "Why?", resources: Array.from({ length: 21 }, (_, i) => `r${i}`) },
    false,
  );
});
