import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { debounce } from "../../../server/lib/debounce.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("runs once after the last call, and again after the next call", () => {
  const run = vi.fn<() => void>();
  const restart = debounce(1000, run);
  vi.advanceTimersByTime(5000);
  expect(run).toHaveBeenCalledTimes(0);
  for (let count = 0; count < 3; count++) {
    restart();
    vi.advanceTimersByTime(900);
  }
  expect(run).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(100);
  expect(run).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(5000);
  restart();
  vi.advanceTimersByTime(1000);
  expect(run).toHaveBeenCalledTimes(2);
});
