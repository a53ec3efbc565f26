import { expect, test, vi } from "vitest";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { createTextStore, restMs } from "../../../server/retrieval/text-store.ts";
import { fixture } from "../../support/fixture.ts";

/** Reads in turn with room for ten characters, an empty path being a rest; which of them reached the snapshot. */
async function check(paths: string[], expected: string[]): Promise<void> {
  const demo = fixture("//- a\n1234\n//- b\n1234\n//- c\n1234\n//- long\n12345678901234567890\n");
  const reached: string[] = [];
  const snapshot: Snapshot = {
    ...demo,
    read(path, options) {
      reached.push(path);
      return demo.read(path, options);
    },
  };
  const texts = createTextStore({ limit: 10 });
  for (const path of paths) {
    if (path === "") vi.advanceTimersByTime(restMs);
    else await texts.read(snapshot, path, { signal: undefined });
  }
  expect(reached).toEqual(expected);
}

test("a text is read once", () => check(["a", "b", "a", "b"], ["a", "b"]));

test("the one not used for longest makes room", () => check(["a", "b", "a", "c", "a", "b"], ["a", "b", "c", "b"]));

test("a text that is too large is not kept", () => check(["long", "long"], ["long", "long"]));

test("drops its contents after a while without requests", async () => {
  vi.useFakeTimers();
  try {
    await check(["a", "a", "", "a", "a"], ["a", "a"]);
  } finally {
    vi.useRealTimers();
  }
});

test("what cannot be read says why", async () => {
  const texts = createTextStore({ limit: 10 });
  expect(await texts.read(fixture(""), "nowhere", { signal: undefined })).toEqual({
    fault: 'no file "nowhere" in demo',
  });
});
