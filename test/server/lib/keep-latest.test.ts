import { expect, test } from "vitest";
import { keepLatest } from "../../../server/lib/keep-latest.ts";

function setUp() {
  const events: string[] = [];
  const kept = keepLatest({
    keyOf: (source: string) => source,
    async open(source) {
      events.push(`open ${source}`);
      if (source === "broken") throw new Error("broken");
      return {
        async [Symbol.asyncDispose]() {
          events.push(`dispose ${source}`);
        },
      };
    },
  });
  return { events, kept };
}

test("opens once for one key, also when asked twice at once, and disposes of all in the end", async () => {
  const { events, kept } = setUp();
  const [first, second] = await Promise.all([kept.for("a"), kept.for("a")]);
  expect(first).toBe(second);
  await kept.for("b");
  await kept[Symbol.asyncDispose]();
  expect(events).toEqual(["open a", "open b", "dispose a", "dispose b"]);
});

test("tries again after a failure", async () => {
  const { events, kept } = setUp();
  await expect(kept.for("broken")).rejects.toThrow("broken");
  await expect(kept.for("broken")).rejects.toThrow("broken");
  await kept[Symbol.asyncDispose]();
  expect(events).toEqual(["open broken", "open broken"]);
});
