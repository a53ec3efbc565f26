import { expect, test } from "vitest";
import { parseJson } from "../../../server/lib/parse-json.ts";

test.each([
  ['{ "a": 1 }', { a: 1 }],
  ["null", null],
  ["{", undefined],
  ["", undefined],
])("%j", (text, value) => expect(parseJson(text)).toEqual(value));
