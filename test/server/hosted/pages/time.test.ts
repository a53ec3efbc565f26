import { expect, test } from "vitest";
import { distanceOf } from "../../../../server/hosted/pages/time.ts";

test.each([
  ["2026-11-27T12:00:00Z", "just now"],
  ["2026-11-27T11:59:10Z", "just now"],
  ["2026-11-27T12:00:30Z", "in 30 seconds"],
  ["2026-11-27T12:01:30Z", "in 1 minute"],
  ["2026-11-27T09:00:00Z", "3 hours ago"],
  ["2026-11-29T12:00:00Z", "in 2 days"],
])("%s is %s", (iso, words) => {
  expect(distanceOf(iso, Date.parse("2026-11-27T12:00:00Z"))).toBe(words);
});
