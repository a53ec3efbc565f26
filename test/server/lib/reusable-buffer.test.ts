import { expect, test } from "vitest";
import { createReusableBuffer } from "../../../server/lib/reusable-buffer.ts";

test("a result is as long as asked for and shares its memory with the next, unless it is large", () => {
  const allocate = createReusableBuffer();
  const first = allocate(10).fill(1);
  expect(allocate(4).equals(first.subarray(0, 4))).toBe(true);
  const large = allocate(2 * 1024 * 1024);
  large.fill(2);
  expect(large).toHaveLength(2 * 1024 * 1024);
  expect([...allocate(3)]).toEqual([1, 1, 1]);
});
