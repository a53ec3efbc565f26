import { expect, test } from "vitest";
import { createEventBuffer } from "../../client/event-buffer.ts";
import { type AskEvent, emptyAnswer, foldAnswer } from "../../server/protocol/ask.ts";
import type { Citation } from "../../server/protocol/citation.ts";

const text = (delta: string, citations?: Citation[]): AskEvent => ({
  type: "text.delta",
  delta,
  ...(citations === undefined ? {} : { citations }),
});
const thought = (delta: string): AskEvent => ({ type: "reasoning.delta", delta });
const tool: AskEvent = { type: "tool.updated", callID: "1", tool: "read", state: { status: "pending", input: {} } };
const cited = (id: string): Citation => ({
  id,
  resource: "demo",
  path: "a.ts",
  startLine: 1,
  endLine: 1,
  state: "verified",
  revision: "1",
});

/** A buffer whose frames pass when the test says so. */
function withFrames() {
  const posted: AskEvent[] = [];
  let pending: (() => void) | undefined;
  const buffer = createEventBuffer((event) => posted.push(event), {
    schedule(action) {
      pending = action;
      return () => (pending = undefined);
    },
  });
  return {
    buffer,
    posted,
    hasFrame: () => pending !== undefined,
    frame() {
      const action = pending;
      pending = undefined;
      action?.();
    },
  };
}

test("the first event goes at once, the others with the next frame", () => {
  const { buffer, posted, frame } = withFrames();
  buffer.push(text("a"));
  buffer.push(text("b"));
  buffer.push(text("c"));
  expect(posted).toEqual([text("a")]);
  frame();
  expect(posted).toEqual([text("a"), text("bc")]);
});

test("the order is kept: a piece is joined only to the piece before it", () => {
  const { buffer, posted, frame } = withFrames();
  const events = [
    thought("x"),
    thought("y"),
    thought("z"),
    text("a"),
    tool,
    text("b", [cited("c1")]),
    text("c", [cited("c2")]),
  ];
  events.forEach((event) => buffer.push(event));
  frame();
  expect(posted).toEqual([thought("x"), thought("yz"), text("a"), tool, text("bc", [cited("c1"), cited("c2")])]);
  expect(posted.reduce(foldAnswer, emptyAnswer)).toEqual(events.reduce(foldAnswer, emptyAnswer));
});

test("no frame is asked for while nothing comes, and the next event goes at once again", () => {
  const { buffer, posted, frame, hasFrame } = withFrames();
  buffer.push(text("a"));
  frame();
  expect(hasFrame()).toBe(false);
  buffer.push(text("b"));
  expect(posted).toEqual([text("a"), text("b")]);
});

test("ten thousand pieces in a frame are one message", () => {
  const { buffer, posted, frame } = withFrames();
  for (let index = 0; index < 10_000; index++) buffer.push(text("x"));
  frame();
  expect(posted).toHaveLength(2);
  expect(posted.reduce(foldAnswer, emptyAnswer).text).toHaveLength(10_000);
});

test("what is flushed comes now, what is cleared never", () => {
  const { buffer, posted, frame, hasFrame } = withFrames();
  ["a", "b"].forEach((delta) => buffer.push(text(delta)));
  buffer.flush();
  expect(posted).toEqual([text("a"), text("b")]);
  ["c", "d"].forEach((delta) => buffer.push(text(delta)));
  buffer.clear();
  frame();
  expect(posted).toEqual([text("a"), text("b"), text("c")]);
  expect(hasFrame()).toBe(false);
});
