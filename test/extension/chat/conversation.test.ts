import { expect, test } from "vitest";
import {
  emptyConversation,
  endTurn,
  fromThread,
  receiveEvent,
  startTurn,
  toTurn,
  turnsBefore,
} from "../../../extension/features/chat/conversation.ts";
import { type AskEvent, emptyAnswer } from "../../../server/protocol/ask.ts";

const askedAt = "2026-01-02T03:04:05.000Z";
const meta: AskEvent = {
  type: "meta",
  model: { provider: "builtin", model: "extractive" },
  resources: ["demo"],
  collection: { key: "demo", path: "" },
  snapshots: [],
  thread: "0123456789ab",
};
const text = (delta: string): AskEvent => ({ type: "text.delta", delta });
const { type: _, ...start } = meta;
const done: AskEvent = {
  type: "done",
  text: "It is 1.",
  reasoning: "",
  tools: [],
  citations: [],
  thread: "0123456789ab",
};

function ask(id: string, events: readonly AskEvent[], conversation = emptyConversation) {
  const started = startTurn(conversation, { id, question: `Why ${id}?`, attachment: undefined, askedAt });
  return events.reduce(receiveEvent, started);
}

test("events add up to the answer of the running turn", () => {
  const conversation = ask("a", [meta, text("It "), text("is 1.")]);
  expect(conversation.turns.map(toTurn)).toEqual([
    { id: "a", question: "Why a?", status: "running", answer: { ...emptyAnswer, ...start, text: "It is 1." } },
  ]);
});

test("the thread is known from the first event on", () => {
  expect(ask("a", [meta]).thread).toEqual({ id: "0123456789ab", title: "Why a?" });
});

test("a first answer that was not kept leaves no thread", () => {
  const { thread: _thread, ...unkept } = done;
  expect(ask("a", [meta, unkept]).thread).toBeUndefined();
});

test("a later answer that was not kept leaves the thread as it was", () => {
  const { thread: _thread, ...unkept } = done;
  const first = endTurn(ask("a", [meta, done]), { status: "done" });
  expect(ask("b", [meta, unkept], first).thread).toEqual({ id: "0123456789ab", title: "Why a?" });
});

test("progress is shown until everything has arrived", () => {
  const progress: AskEvent = { type: "progress", resource: "demo", phase: "fetch", message: "fetching demo" };
  expect(ask("a", [progress]).turns[0]?.progress).toBe("fetching demo");
  expect(ask("a", [progress, meta]).turns[0]?.progress).toBeUndefined();
});

test("an error stands beside what had arrived", () => {
  const error = { error: "the server is gone", tag: "ServerFailed" };
  const [turn] = endTurn(ask("a", [meta, text("It ")]), { status: "failed", error }).turns;
  expect(turn).toMatchObject({ status: "failed", error, answer: { text: "It " } });
});

test("what comes after the end changes nothing", () => {
  const cancelled = endTurn(ask("a", [meta]), { status: "cancelled" });
  expect(receiveEvent(cancelled, text("late"))).toBe(cancelled);
  expect(endTurn(cancelled, { status: "done" })).toBe(cancelled);
});

test("a turn that is asked again makes room with those after it", () => {
  const first = endTurn(ask("a", [meta, done]), { status: "done" });
  const both = endTurn(ask("b", [meta, done], first), { status: "done" });
  expect(turnsBefore(both, "b").turns.map(({ id }) => id)).toEqual(["a"]);
  expect(turnsBefore(both, "a")).toEqual({ thread: both.thread, replacedSince: first.turns[0]?.askedAt, turns: [] });
  expect(turnsBefore(both, "c")).toBe(both);
});

test("of two turns asked again the earlier one counts, until the next is kept", () => {
  const error = { error: "no", tag: "ProviderFailed" };
  const first = endTurn(ask("a", [meta, done]), { status: "done" });
  const again = endTurn(ask("c", [], turnsBefore(first, "a")), { status: "failed", error });
  expect(turnsBefore(again, "c").replacedSince).toBe(first.turns[0]?.askedAt);
  expect(ask("d", [meta], turnsBefore(again, "c"))).toMatchObject({
    replacedSince: undefined,
    thread: { title: "Why d?" },
  });
});

test("what tools put out is kept of the last twenty turns", () => {
  const tool: AskEvent = {
    type: "tool.updated",
    callID: "1",
    tool: "read",
    state: { status: "completed", input: {}, output: "1 | x", time: { start: 0, end: 1 } },
  };
  let conversation = emptyConversation;
  for (let index = 0; index < 21; index++) {
    conversation = endTurn(ask(`${index}`, [meta, tool], conversation), { status: "done" });
  }
  const outputs = conversation.turns.map(({ answer }) =>
    answer.tools.map(({ state }) => "output" in state && state.output),
  );
  expect(outputs.slice(0, 2)).toEqual([[""], ["1 | x"]]);
});

test("at most 200 turns are held", () => {
  let conversation = emptyConversation;
  for (let index = 0; index < 205; index++)
    conversation = endTurn(ask(`${index}`, [], conversation), { status: "done" });
  expect(conversation.turns).toHaveLength(200);
  expect(conversation.turns[0]?.id).toBe("5");
});

test("a kept thread comes back, with its partial answers said to be partial", () => {
  const reply = { text: "It ", ...start, citations: [], cited: [], references: ["demo"], askedAt };
  const conversation = fromThread({
    id: "0123456789ab",
    title: "Why?",
    createdAt: askedAt,
    updatedAt: askedAt,
    turns: [
      { ...reply, question: "Why?" },
      { ...reply, question: "And then?\n\nAttached from `a.ts` (a.ts:1):\n\n```ts\nx\n```", ended: "cancelled" },
    ],
  });
  expect(conversation.turns.map(toTurn)).toMatchObject([
    { question: "Why?", status: "done", answer: { text: "It " } },
    { question: "And then?", attachment: { label: "a.ts:1" }, status: "cancelled" },
  ]);
  expect(conversation.turns[1]?.named).toEqual(["demo"]);
});
