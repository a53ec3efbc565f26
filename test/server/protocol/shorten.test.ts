import { expect, test } from "vitest";
import { shorten } from "../../../server/protocol/shorten.ts";

test.each([
  ["", ""],
  ["four", "four"],
  ["fives", "fiv…"],
  ["ab😀c", "ab…"],
  ["a😀bc", "a😀…"],
])("%j in four is %j", (text, expected) => expect(shorten(text, 4)).toBe(expected));
