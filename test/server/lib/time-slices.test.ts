import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTimeSlices } from "../../../server/lib/time-slices.ts";

test("other tasks run between slices of long work", async () => {
  const slices = createTimeSlices();
  let done = 0;
  const busy = () => {
    const end = performance.now() + 1;
    while (performance.now() < end);
    done++;
  };
  const work = Promise.all(Array.from({ length: 100 }, () => slices.run(busy)));
  await setImmediate();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(100);
  await work;
  expect(done).toBe(100);
});

test("errors of the work reach its caller", async () => {
  const failing = createTimeSlices().run(() => {
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
});
