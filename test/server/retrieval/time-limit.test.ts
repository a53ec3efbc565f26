import { expect, test } from "vitest";
import { createTimeLimit } from "../../../server/retrieval/time-limit.ts";

test("work that ends, ends", () => {
  let result = 0;
  expect(createTimeLimit()(() => (result = 1), { timeoutMs: 1000 })).toBe(true);
  expect(result).toBe(1);
});

test("an expression that backtracks for ever is stopped, and the next work runs", () => {
  const runWithin = createTimeLimit();
  const trap = `${"a".repeat(60)}!`;
  expect(runWithin(() => /(a+)+$/.test(trap), { timeoutMs: 20 })).toBe(false);
  expect(runWithin(() => {}, { timeoutMs: 1000 })).toBe(true);
});

test("time that the machine spends on other programs does not count", () => {
  let calls = 0;
  const pausedAtFirst = () => {
    if (++calls === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  expect(createTimeLimit()(pausedAtFirst, { timeoutMs: 100 })).toBe(true);
  expect(calls).toBe(2);
});

test("an expression that fills its stack is stopped, too", () => {
  const work = () => /^(([a-z])+.)+[A-Z]([a-z])+$/.test("a".repeat(8_000_000));
  expect(createTimeLimit()(work, { timeoutMs: 60_000 })).toBe(false);
});

test("what the work throws comes through", () => {
  const fail = () => {
    throw new TypeError("no");
  };
  expect(() => createTimeLimit()(fail, { timeoutMs: 1000 })).toThrow(TypeError);
});
