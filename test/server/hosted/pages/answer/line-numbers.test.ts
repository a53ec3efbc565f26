import { expect, test } from "vitest";
import { lineNumbersOf } from "../../../../../server/hosted/pages/answer/line-numbers.ts";
import { contentHash } from "../../../../../server/lib/content-hash.ts";
import type { Citation } from "../../../../../server/protocol/citation.ts";

const cite = (id: string, startLine: number, path = "a.ts"): Citation => ({
  id,
  resource: "lib",
  path,
  startLine,
  endLine: startLine,
  state: "verified",
  revision: "a".repeat(40),
});
const textOf = (citation: string, text: string) => ({
  citation,
  file: contentHash("file"),
  text: contentHash(text),
  length: text.length,
});

const citations = [cite("c1", 7), cite("c2", 20), cite("c3", 30), cite("c4", 40, "b.ts"), cite("c5", 40, "c.ts")];
const cited = [
  textOf("c1", "one\ntwo"),
  textOf("c2", "three"),
  textOf("c3", "three"),
  textOf("c4", "four\n…\nfive"),
  textOf("c5", "six"),
];

test.each([
  ["what is cited", "one\ntwo", [7, 8]],
  ["several ranges with a gap", "one\ntwo\n…\nsix", [7, 8, undefined, 40]],
  ["a source with the sign of a gap", "four\n…\nfive", [40, 41, 42]],
  ["a part of it", "one", undefined],
  ["changed lines", "one\nTwo", undefined],
  ["one range of two", "one\ntwo\n…\nseven", undefined],
  ["what is cited at two places", "three", undefined],
])("the numbers of %s", (_, code, numbers) => {
  expect(lineNumbersOf(code, { citations, cited })).toEqual(numbers);
});

test("an answer that is not stored has no numbers", () => {
  expect(lineNumbersOf("one\ntwo", { citations, cited: [] })).toBeUndefined();
});
