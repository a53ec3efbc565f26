import { expect, test } from "vitest";
import { createSemaphore } from "../../../server/lib/semaphore.ts";

/** Callers in the order in which they get a permit. */
function takers(count: number) {
  const semaphore = createSemaphore(count);
  const taken: string[] = [];
  return { semaphore, taken, take: (name: string) => semaphore.acquire().then(() => taken.push(name)) };
}

test("permits are limited, and waiting callers get them in order", async () => {
  const { semaphore, taken, take } = takers(2);
  await Promise.all([take("a"), take("b")]);
  const others = [take("c"), take("d")];
  semaphore.release();
  await others[0];
  expect(taken).toEqual(["a", "b", "c"]);
  semaphore.release();
  await others[1];
  expect(taken).toEqual(["a", "b", "c", "d"]);
});

test("a caller that arrives while another wakes does not get its permit", async () => {
  const { semaphore, taken, take } = takers(1);
  await take("a");
  const waiting = take("b");
  semaphore.release();
  const late = take("c");
  await waiting;
  // Long enough for a free permit.
  await Promise.resolve();
  expect(taken).toEqual(["a", "b"]);
  semaphore.release();
  await late;
  expect(taken).toEqual(["a", "b", "c"]);
});
