import * as fc from "fast-check";
import { expect, test } from "vitest";
import { splitLines } from "../../../../server/source/source-text.ts";
import { compilePattern } from "../../../../server/retrieval/exact/pattern.ts";
import { keepWithinLines } from "../../../../server/retrieval/exact/within-lines.ts";

function check(source: string, text: string, options: { wholeWord?: boolean; ignoreCase?: boolean } = {}) {
  const pattern = compilePattern({ pattern: source, isRegex: true, ignoreCase: false, wholeWord: false, ...options });
  const lineByLine = splitLines(text).flatMap((line, index) => (pattern.indexIn(line) === -1 ? [] : [index + 1]));
  expect(pattern.matchLines(text, { limit: 100 }).numbers).toEqual(lineByLine);
}

const parts = [
  "a",
  "b",
  "A",
  ".",
  "\\.",
  "^",
  "$",
  "\\b",
  "\\B",
  "\\s",
  "\\S",
  "\\w",
  "\\W",
  "\\d",
  "\\D",
  "\\n",
  "\\t",
  " ",
  "[ab]",
  "[^a]",
  "[^]",
  "[]",
  "[\\s\\S]",
  "[\\w.]",
  "[\\W]",
  "[!-~]",
  "[^\\]a]",
  "[\\x00-a]",
  "[\t-a]",
  "(?:a|b)",
  "(a|$)",
  "(?=a)",
  "(?!a)",
  "(?<=a)",
  "(?<!a)",
  "(?!\\s)",
  "(?<name>b)",
  "|",
];
const part = fc.constantFrom(...parts);
const quantified = fc.tuple(part, fc.constantFrom("", "", "", "*", "+", "?", "{2}", "*?")).map((both) => both.join(""));
const expression = fc
  .array(quantified, { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""))
  .filter(isExpression);
const text = fc
  .array(fc.constantFrom("a", "b", "A", "\n", "\n", " ", "\t", ".", "_", "1", "\r\n", "\r", "\u2028", "é"), {
    maxLength: 12,
  })
  .map((letters) => letters.join(""));

function isExpression(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

test("a whole text matches where its lines do", () => {
  fc.assert(
    fc.property(expression, text, fc.boolean(), fc.boolean(), (source, text, wholeWord, ignoreCase) =>
      check(source, text, { wholeWord, ignoreCase }),
    ),
    { numRuns: 3000 },
  );
});

test.each([
  ["\\s+return\\b", "[^\\S\\n]+return\\b"],
  ["[^)]*\\)", "[^\\n)]*\\)"],
  ["throw new (Type|Range)Error\\(", "throw new (Type|Range)Error\\("],
])("%s stays within lines as %s", (source, expected) => {
  expect(keepWithinLines(source)).toBe(expected);
});

test.each(["a(?!\\s)", "(?<!a)b", "[\\s\\S]", "\\n", "\\p{L}", "\\u{a}", "[\t-z]"])(
  "%s is matched line by line",
  (source) => {
    expect(keepWithinLines(source)).toBeUndefined();
  },
);
