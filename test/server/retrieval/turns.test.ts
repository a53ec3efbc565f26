import { expect, test } from "vitest";
import { createTurns } from "../../../server/retrieval/turns.ts";

/** Who takes a turn, in the order in which they get it. */
function takers(count: number) {
  const turns = createTurns(count);
  const taken: string[] = [];
  return { turns, taken, take: (name: string) => turns.take().then(() => taken.push(name)) };
}

test("so many have a turn at once, the others in the order in which they came", async () => {
  const { turns, taken, take } = takers(2);
  await Promise.all([take("a"), take("b")]);
  const others = [take("c"), take("d")];
  turns.giveBack();
  await others[0];
  expect(taken).toEqual(["a", "b", "c"]);
  turns.giveBack();
  await others[1];
  expect(taken).toEqual(["a", "b", "c", "d"]);
});

test("who arrives as another wakes does not get the same turn", async () => {
  const { turns, taken, take } = takers(1);
  await take("a");
  const waiting = take("b");
  turns.giveBack();
  const late = take("c");
  await waiting;
  // Long enough for a turn that is free.
  await Promise.resolve();
  expect(taken).toEqual(["a", "b"]);
  turns.giveBack();
  await late;
  expect(taken).toEqual(["a", "b", "c"]);
});
