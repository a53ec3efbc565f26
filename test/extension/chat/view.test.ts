import { expect, test } from "vitest";
import { type ChatView, takeEvent } from "../../../extension/webview/store.ts";
import type { AskEvent } from "../../../server/protocol/ask.ts";
import { chatState, turn } from "../../support/chat-states.ts";

const retry: AskEvent = {
  type: "progress",
  resource: "openai/m",
  phase: "fetch",
  message: "too many requests (HTTP 429); retry 1 of 2 in 6 s",
  retry: { reason: "too many requests (HTTP 429)", attempt: 1, limit: 2, delayMs: 6000 },
};
const index: AskEvent = { type: "progress", resource: "demo", phase: "index", fraction: 0.5, message: "indexing" };

test("a retry is shown until the model answers; what else arrives stays", () => {
  const running = turn({ id: "t1", status: "running" });
  const after = (...events: AskEvent[]) => {
    let view: ChatView = chatState({ turns: [running] });
    for (const event of events) view = takeEvent(view, "t1", event);
    return Object.keys(view.turns[0]?.arriving ?? {});
  };
  expect(after(index, retry)).toEqual(["demo", "openai/m"]);
  expect(after(index, retry, { type: "text.delta", delta: "It" })).toEqual(["demo"]);
});
