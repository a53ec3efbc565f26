import { expect, test } from "vitest";
import { formatAge } from "../../../server/lib/age.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

test.each([
  [-5, "just now"],
  [0, "just now"],
  [minute - 1, "just now"],
  [minute, "1 minute ago"],
  [59 * minute, "59 minutes ago"],
  [60 * minute, "1 hour ago"],
  [day - 1, "23 hours ago"],
  [3 * day, "3 days ago"],
  [7 * day, "1 week ago"],
  [29 * day, "4 weeks ago"],
  [30 * day, "1 month ago"],
  [800 * day, "2 years ago"],
])("%d ms: %s", (ageMs, expected) => {
  expect(formatAge(ageMs)).toBe(expected);
});
