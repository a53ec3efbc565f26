import { expect, test } from "vitest";
import { lastWord, quoteWord, splitWords } from "../../../cli/input/words.ts";

test.each([
  ["", []],
  [" a  b ", ["a", "b"]],
  ['"/tmp/my folder" -n x', ["/tmp/my folder", "-n", "x"]],
  ["'/tmp/my folder' x", ["/tmp/my folder", "x"]],
  ['"/tmp/my folder', ["/tmp/my folder"]],
  ['"/tmp/my folder/"src', ["/tmp/my folder/src"]],
  ["it's here", ["it's", "here"]],
  ['a"b c', ['a"b', "c"]],
  [String.raw`"C:\My Files\new" C:\x`, [String.raw`C:\My Files\new`, String.raw`C:\x`]],
  ['""', [""]],
])("%j", (text, expected) => {
  expect(splitWords(text).map((word) => word.text)).toEqual(expected);
});

test.each(["a", "a b", 'a "b"', String.raw`C:\My Files`, "it's a b"])("%j quoted is one word", (text) => {
  expect(splitWords(quoteWord(text)).map((word) => word.text)).toEqual([text]);
});

test.each([
  ["a b", "b"],
  ["a ", undefined],
  ['a "b ', "b "],
  ["", undefined],
])("the last word of %j", (text, expected) => {
  expect(lastWord(text)?.text).toBe(expected);
});
