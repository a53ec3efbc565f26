import { expect, test } from "vitest";
import { formatAge, formatSize } from "../../../extension/features/resources/amounts.ts";
import { l10n } from "./listing.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

test.each([
  [-5, "now"],
  [59_999, "now"],
  [minute, "1 min"],
  [59 * minute, "59 min"],
  [60 * minute, "1 h"],
  [day, "1 d"],
  [13 * day, "13 d"],
  [14 * day, "2 wk"],
  [60 * day, "2 mo"],
  [364 * day, "12 mo"],
  [800 * day, "2 y"],
])("an age of %i ms is %j", (ageMs, expected) => expect(formatAge(ageMs, l10n)).toBe(expected));

test.each([
  [0, "0 byte"],
  [999, "999 byte"],
  [1000, "1 kB"],
  [1_450_000, "1.5 MB"],
  [2e15, "2,000 TB"],
])("%i bytes are %j", (bytes, expected) => expect(formatSize(bytes, "en")).toBe(expected));
