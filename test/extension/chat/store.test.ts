import { describe, expect, test } from "vitest";
import { newTurn } from "../../../client/conversation.ts";
import { applyMessage, type ChatView, type ViewMessage } from "../../../extension/webview/store.ts";
import type { AskEvent } from "../../../server/protocol/ask.ts";
import { chatState, citation, fullTurn, turn } from "../../support/chat-states.ts";

const { text, reasoning, tools } = fullTurn.answer;
const cited = [citation({ id: "c1" })];
const delta: AskEvent = { type: "text.delta", delta: "It", citations: cited };
const done: AskEvent = { type: "done", text, reasoning, tools, citations: structuredClone(cited) };

function view(messages: readonly ViewMessage[], before: ChatView | undefined = chatState()): ChatView | undefined {
  return messages.reduce(applyMessage, before);
}

const asked = (id: string) => turn({ id, question: `Why ${id}?`, status: "running" });

describe("a question", () => {
  test("starts, streams and ends without the rest of the conversation being sent again", () => {
    const first = turn({ id: "a" });
    const after = view(
      [
        { type: "started", turn: asked("b") },
        { type: "event", event: delta },
        { type: "event", event: done },
        { type: "ended", outcome: { status: "done" } },
      ],
      chatState({ turns: [first] }),
    );
    expect(after?.turns[0]).toBe(first);
    expect(after?.turns[1]).toMatchObject({ id: "b", status: "done", answer: { text } });
  });

  test("that is asked again takes the place of a turn and those after it", () => {
    const before = chatState({ turns: ["a", "b", "c"].map((id) => turn({ id })) });
    const after = view([{ type: "started", turn: asked("d"), replaces: "b" }], before);
    expect(after?.turns.map(({ id }) => id)).toEqual(["a", "d"]);
  });

  test("that fails keeps its partial answer", () => {
    const error = { error: "no", tag: "ProviderFailed" };
    const ended: ViewMessage = { type: "ended", outcome: { status: "failed", error } };
    const after = view([{ type: "started", turn: asked("a") }, { type: "event", event: delta }, ended]);
    expect(after?.turns).toMatchObject([{ status: "failed", error, answer: { text: "It" } }]);
  });

  test("keeps its citation objects when `done` repeats them, so that the text is not drawn again", () => {
    const streamed = view([
      { type: "started", turn: asked("a") },
      { type: "event", event: delta },
    ]);
    const after = view([{ type: "event", event: done }], streamed);
    expect(after?.turns[0]?.answer.citations).toBe(streamed?.turns[0]?.answer.citations);
  });
});

test("the thread is the host's: a title from the first question, and none once it was deleted", () => {
  const model = { provider: "builtin", model: "extractive" };
  const meta: AskEvent = {
    type: "meta",
    model,
    resources: [],
    collection: { key: "", path: "" },
    snapshots: [],
    thread: "1",
  };
  const begun = view([
    { type: "started", turn: asked("a") },
    { type: "event", event: meta },
  ]);
  expect(begun?.thread).toEqual({ id: "1", title: "Why a?" });
  expect(view([{ type: "thread-deleted" }], begun)?.thread).toBeUndefined();
});

test("setup replaces everything but the conversation", () => {
  const attachments = [{ label: "a.ts", path: "a.ts" }];
  const { turns, ...setup } = chatState({ turns: [turn()], selected: [] });
  const after = view([{ type: "setup", setup }], chatState({ turns, attachments }));
  expect(after).toMatchObject({ turns, selected: [] });
  expect(after?.attachments).toEqual([]);
});

test("nothing is shown before the state has arrived", () => {
  const { id, question, answer, status } = newTurn({ id: "a", question: "Why?", askedAt: "" });
  expect(applyMessage(undefined, { type: "started", turn: { id, question, answer, status } })).toBeUndefined();
});
