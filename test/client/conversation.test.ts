import { expect, test } from "vitest";
import {
  type Conversation,
  emptyConversation,
  endTurn,
  fromThread,
  newTurn,
  receiveEvent,
  startTurn,
  turnsBefore,
} from "../../client/conversation.ts";
import { type AskEvent, emptyAnswer } from "../../server/protocol/ask.ts";

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

function ask(id: string, events: readonly AskEvent[], conversation = emptyConversation): Conversation {
  const started = startTurn(conversation, newTurn({ id, question: `Why ${id}?`, askedAt }));
  return events.reduce<Conversation>(receiveEvent, started);
}

test("events add up to the answer of the running turn", () => {
  const conversation = ask("a", [meta, text("It "), text("is 1.")]);
  const answer = { ...emptyAnswer, ...start, text: "It is 1." };
  expect(conversation.turns).toMatchObject([{ id: "a", question: "Why a?", status: "running", answer }]);
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

const fetching: AskEvent = { type: "progress", resource: "demo", phase: "fetch", message: "fetching demo" };

test("progress is shown until every resource is open", () => {
  expect(ask("a", [fetching]).turns[0]?.arriving).toEqual({ demo: fetching });
  expect(ask("a", [fetching, meta]).turns[0]?.arriving).toBeUndefined();
});

test("a retry is shown until the model answers; other progress stays", () => {
  const retry: AskEvent = {
    type: "progress",
    resource: "openai/m",
    phase: "fetch",
    message: "too many requests (HTTP 429); retry 1 of 2 in 6 s",
    retry: { reason: "too many requests (HTTP 429)", attempt: 1, limit: 2, delayMs: 6000 },
  };
  const arrivingAfter = (...events: AskEvent[]) => Object.keys(ask("a", events).turns[0]?.arriving ?? {});
  expect(arrivingAfter(fetching, retry)).toEqual(["demo", "openai/m"]);
  expect(arrivingAfter(fetching, retry, text("It"))).toEqual(["demo"]);
});

test("an error is kept beside the partial answer", () => {
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
    state: { status: "completed", input: {}, output: "1|x", time: { start: 0, end: 1 } },
  };
  let conversation = emptyConversation;
  for (let index = 0; index < 21; index++) {
    conversation = endTurn(ask(`${index}`, [meta, tool], conversation), { status: "done" });
  }
  const outputs = conversation.turns.map(({ answer }) =>
    answer.tools.map(({ state }) => "output" in state && state.output),
  );
  expect(outputs.slice(0, 2)).toEqual([[""], ["1|x"]]);
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
  expect(conversation.turns).toMatchObject([
    { question: "Why?", status: "done", answer: { text: "It " } },
    { question: "And then?", attachments: [{ label: "a.ts:1" }], status: "cancelled" },
  ]);
  expect(conversation.turns[1]?.named).toEqual(["demo"]);
});
