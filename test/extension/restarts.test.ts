import { expect, test } from "vitest";
import { createRestarts } from "../../extension/restarts.ts";

const second = 1000;

function check(ends: readonly number[], expected: readonly (number | undefined)[]): void {
  const restarts = createRestarts();
  expect(ends.map((end) => restarts.next(end))).toEqual(expected);
}

test("each start after an end waits longer, and the fourth end within three minutes is the last", () => {
  check([0, 10 * second, 20 * second, 30 * second], [second, 3 * second, 9 * second, undefined]);
});

test("exits that are far apart each count as the first", () => {
  check([0, 200 * second, 400 * second, 600 * second], [second, second, second, second]);
});

test("only exits within three minutes count", () => {
  check([0, 100 * second, 190 * second, 200 * second], [second, 3 * second, 3 * second, 9 * second]);
});

test("who asks for a start begins anew", () => {
  const restarts = createRestarts();
  for (const end of [1, 2, 3, 4]) restarts.next(end);
  restarts.forgive();
  expect(restarts.next(5)).toBe(second);
});
