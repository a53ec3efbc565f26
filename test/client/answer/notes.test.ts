import { expect, test } from "vitest";
import { activitiesOf, noteAfter, outcomeOf } from "../../../client/answer/notes.ts";
import type { ShownTurn } from "../../../client/conversation.ts";
import { type Answer, emptyAnswer, type ToolTrace } from "../../../server/protocol/ask.ts";

const running: ToolTrace = {
  callID: "1",
  tool: "grep",
  state: { status: "running", input: { pattern: "retry" }, time: { start: 1 } },
};
const finished: ToolTrace = {
  callID: "1",
  tool: "grep",
  state: { status: "completed", input: {}, output: "", time: { start: 1, end: 2 } },
};
const error = { error: "the provider closed the connection", tag: "ProviderFailed" };

test.each<[string, Partial<Answer>, string]>([
  ["before anything arrives", {}, "Working…"],
  ["while the model reasons", { reasoning: "So" }, "Thinking…"],
  ["while a tool without a title works", { reasoning: "So", tools: [running] }, "grep retry"],
  ["after a tool", { tools: [finished] }, "Working…"],
  ["while text arrives", { reasoning: "So", text: "It" }, "Writing…"],
])("%s, one line says what goes on", (_, answer, text) =>
  expect(activitiesOf({ answer: { ...emptyAnswer, ...answer } })).toEqual([{ text }]),
);

test("while resources arrive, each has a line", () => {
  const arriving = {
    a: { type: "progress", resource: "a", phase: "fetch", message: "cloning", fraction: 0.5 },
    b: { type: "progress", resource: "b", phase: "index", message: "reading files" },
  } as const;
  expect(activitiesOf({ answer: { ...emptyAnswer, tools: [running] }, arriving })).toEqual([
    { text: "a: cloning", fraction: 0.5 },
    { text: "b: reading files", fraction: undefined },
  ]);
});

test.each<[string, Pick<ShownTurn, "status" | "error">, string, string | undefined]>([
  ["a running one", { status: "running" }, "", undefined],
  ["a complete one", { status: "done" }, "It.", undefined],
  ["one without text", { status: "done" }, " \n", "The model gave no answer."],
  ["a stopped one", { status: "cancelled" }, "It", "Stopped. The answer is partial; its citations were checked."],
  ["one stopped early", { status: "cancelled" }, "", "Stopped before an answer arrived."],
  ["a failed one", { status: "failed", error }, "It", "The answer is partial; its citations were checked."],
  ["one whose error is shown", { status: "failed", error }, "", undefined],
  ["a stored one without its error", { status: "failed" }, "", "The question failed before an answer arrived."],
])("the note after an answer: %s", (_, turn, text, expected) =>
  expect(noteAfter({ ...turn, answer: { text } })).toBe(expected),
);

test.each<[Pick<ShownTurn, "status" | "error">, string | undefined]>([
  [{ status: "running" }, undefined],
  [{ status: "done" }, "Answer complete. No citations: nothing in this answer was checked against a source."],
  [{ status: "cancelled" }, "Answer stopped."],
  [{ status: "failed", error }, "The answer failed: the provider closed the connection"],
])("a screen reader hears how %j ended", (turn, expected) =>
  expect(outcomeOf({ ...turn, answer: emptyAnswer })).toBe(expected),
);
