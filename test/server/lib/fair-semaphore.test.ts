import { expect, test } from "vitest";
import { createFairSemaphore } from "../../../server/lib/fair-semaphore.ts";

/** Callers named after their group, `a1` of `a`, in the order in which they get a permit. */
function takers(count: number) {
  const semaphore = createFairSemaphore(count);
  const taken: string[] = [];
  return {
    taken,
    take: (...names: string[]) => {
      for (const name of names) void semaphore.acquire(groupOf(name)).then(() => taken.push(name));
      return settled();
    },
    end: (name: string) => {
      semaphore.release(groupOf(name));
      return settled();
    },
  };
}

const groupOf = (name: string) => name.slice(0, 1);
/** Waits until every promise that can be fulfilled is. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("one group uses all permits, in order, while no other waits", async () => {
  const { taken, take, end } = takers(2);
  await take("a1", "a2", "a3", "a4");
  expect(taken).toEqual(["a1", "a2"]);
  await end("a1");
  await end("a2");
  expect(taken).toEqual(["a1", "a2", "a3", "a4"]);
});

test("the next permit goes to the group that waits for its first", async () => {
  const { taken, take, end } = takers(2);
  await take("a1", "a2", "a3", "a4", "b1");
  await end("a2");
  expect(taken).toEqual(["a1", "a2", "b1"]);
});

test("a group does not take a second permit while another waits, however often that one returns", async () => {
  const { taken, take, end } = takers(2);
  await take("a1", "a2", "a3", "a4", "b1", "b2", "b3");
  await end("a1");
  await end("b1");
  await end("b2");
  expect(taken).toEqual(["a1", "a2", "b1", "b2", "b3"]);
  await end("a2");
  await end("b3");
  expect(taken).toEqual(["a1", "a2", "b1", "b2", "b3", "a3", "a4"]);
});

test("groups that hold equally many take turns", async () => {
  const { taken, take, end } = takers(1);
  await take("a1", "a2", "a3", "b1", "b2", "c1");
  for (const name of ["a1", "a2", "b1", "c1", "a3"]) await end(name);
  expect(taken).toEqual(["a1", "a2", "b1", "c1", "a3", "b2"]);
});

test("a group that asks again and again waits behind those that wait already", async () => {
  const { taken, take, end } = takers(1);
  await take("a1", "b1");
  await take("a2");
  await end("a1");
  await take("c1");
  await end("b1");
  expect(taken).toEqual(["a1", "b1", "a2"]);
});

test("a permit that was released is not lost or given twice", async () => {
  const { taken, take, end } = takers(1);
  await take("a1");
  await end("a1");
  await take("b1", "a2");
  expect(taken).toEqual(["a1", "b1"]);
  await end("b1");
  expect(taken).toEqual(["a1", "b1", "a2"]);
});
