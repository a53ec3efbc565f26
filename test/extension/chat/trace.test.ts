import { expect, test } from "vitest";
import { startTrace, traceEvent, traceJson } from "../../../extension/features/chat/trace.ts";
import type { AskEvent } from "../../../server/protocol/ask.ts";

const text = (delta: string): AskEvent => ({ type: "text.delta", delta });
const tool: AskEvent = { type: "tool.updated", callID: "1", tool: "read", state: { status: "pending", input: {} } };

function trace(events: readonly AskEvent[]): string {
  const started = startTrace({ question: "Why?", thread: "new" }, "2026-01-02T03:04:05.000Z");
  for (const event of events) traceEvent(started, event);
  return traceJson(started);
}

test("a trace contains the request and its events, pieces of text joined", () => {
  expect(JSON.parse(trace([text("Bec"), text("ause."), tool]))).toEqual({
    askedAt: "2026-01-02T03:04:05.000Z",
    request: { question: "Why?", thread: "new" },
    events: [text("Because."), tool],
  });
});

test("a trace that gets too long is cut, and says so", () => {
  const json = trace(Array.from({ length: 3 }, () => text("x".repeat(900_000))));
  expect(json.length).toBeLessThan(2_100_000);
  expect(json).toContain('"note": "cut: ');
});
