import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { afterRest } from "../../../server/lib/after-rest.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("runs once after the last call, and again after the next call", () => {
  const run = vi.fn<() => void>();
  const heard = afterRest(1000, run);
  vi.advanceTimersByTime(5000);
  expect(run).toHaveBeenCalledTimes(0);
  for (let count = 0; count < 3; count++) {
    heard();
    vi.advanceTimersByTime(900);
  }
  expect(run).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(100);
  expect(run).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(5000);
  heard();
  vi.advanceTimersByTime(1000);
  expect(run).toHaveBeenCalledTimes(2);
});
