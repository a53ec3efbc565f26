import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toJavaScript } from "../../../../server/retrieval/exact/expression-syntax.ts";

function check(pattern: string, expected: { matches: string[]; misses?: string[] }) {
  const { source, ignoreCase = false, isUnicode } = toJavaScript(pattern);
  const flags = ignoreCase ? "i" : "";
  // With the flag `u` it is strict, so what passes is what it seems to be.
  for (const expression of [new RegExp(source, `${flags}u`), ...(isUnicode ? [] : [new RegExp(source, flags)])]) {
    for (const text of expected.matches) expect([pattern, text, expression.test(text)]).toEqual([pattern, text, true]);
    for (const text of expected.misses ?? [])
      expect([pattern, text, expression.test(text)]).toEqual([pattern, text, false]);
  }
}

test.each<[string, string[], string[]]>([
  ["(?i)foo", ["FOO"], ["bar"]],
  ["(?im)(?s)^foo", ["FOO"], ["a foo"]],
  ["(?i)(?-i)foo", ["foo"], ["FOO"]],
  ["(?U)(?u)fo+", ["foo"], ["f"]],
  ["a(?s:.)b(?m)", ["axb"], ["ab"]],
  ["(?P<year>\\d{4})-(?P=year)", ["2024-2024"], ["2024-2025"]],
  ["(?<q>['\"]).*\\k<q>", ["'a'"], ["'a\""]],
  ["\\(?P<x>", ["P<x>", "(P<x>"], ["x"]],
  ["\\Afoo\\z", ["foo"], ["foo ", "A foo z"]],
  ["foo\\Z", ["foo"], ["foo Z"]],
  ["\\b{start}foo\\b{end}", ["a foo"], ["afoo", "foob"]],
  ["\\b{start-half}-x\\b{end-half}", ["-x"], ["a-x", "-xy"]],
  ["^[[:alpha:]_][[:alnum:]_]*$", ["a1_"], ["1a", "[:alph"]],
  ["^[^[:space:][:punct:]]+$", ["ab1"], ["a b", "a]b", "a/b", "a^b"]],
  ["^[[:digit:]-9]$", ["5", "-"], ["a"]],
  ["^\\pL+$", ["aé語"], ["a1"]],
  ["^\\PL$", ["1"], ["a"]],
  ["^\\p{Greek}+$", ["λό"], ["a"]],
  ["^[\\pN_]+$", ["1_"], ["N"]],
  ["^\\x{41}\\x42\\u{43}\\u0044\\U00000045$", ["ABCDE"], ["xu"]],
  ["^\\x{1F600}\\u{1f600}$", ["😀😀"], ["x"]],
  ["^[😀🦓]$", ["😀", "🦓"], ["😁"]],
  ["^\\a\\t$", ["\x07\t"], ["at"]],
  ["^\\-\\_\\/\\\"\\'\\<\\#\\@\\é$", ["-_/\"'<#@é"], []],
  ["^[\\w-.]$", ["a", "-", "."], [" ", "+"]],
  ["^[+-\\d]$", ["+", "-", "1"], [","]],
  ["^[a\\-z\\]\\\\]$", ["a", "-", "z", "]", "\\"], ["b"]],
  ["^{}]{,2}a{2}b{1,}$", ["{}]{,2}aabb"], ["{}]]aab"]],
  ["[[]", ["["], ["]"]],
  ["(a)\\1", ["aa"], ["a1"]],
])("%s", (pattern, matches, misses) => check(pattern, { matches, misses }));

test.each([
  ["\\Qa.b\\E", "\\Q is not supported"],
  ["\\h+", "\\h is not supported"],
  ["[\\R]", "\\R is not supported"],
  ["a(?i)b", "(?i) must be at the beginning: case is ignored in the whole expression or not at all"],
  ["(?i:a)", "(?i: must be at the beginning: case is ignored in the whole expression or not at all"],
  ["(?x) a", "(?x) is not supported"],
  ["\\b{start }", undefined],
  ["\\b{word}", "\\b{word} is not supported"],
  ["[[:letter:]]", "[:letter:] is not a known class"],
  ["[[:^alpha:]]", "[:^alpha:] is not a known class"],
  ["\\p{Klingon}", "\\p{Klingon} is not a Unicode property"],
  ["\\x{110000}", "\\x{110000} is not a character"],
])("%s is refused", (pattern, reason) => {
  if (reason === undefined) expect(toJavaScript(pattern).source).toBe("\\b\\{start \\}");
  else expect(() => toJavaScript(pattern)).toThrow(`"${pattern}" is not a valid regular expression: ${reason}`);
});

const parts = [
  "a",
  "-",
  "]",
  "}",
  "{",
  "{1}",
  ".",
  "^",
  "$",
  "\\b",
  "\\B",
  "\\s",
  "\\W",
  "\\d",
  "\\.",
  "\\]",
  "\\-",
  "\\/",
];
const classes = [
  "[ab]",
  "[^a]",
  "[]",
  "[^]",
  "[\\w-]",
  "[\\w-.]",
  "[--9]",
  "[a\\]-]",
  "[\\b]",
  "[[a]",
  "[\\d-a]",
  "[+-\\s]",
];
const groups = ["(?:a|b)", "(a)", "(?=a)", "(?<!-)", "(?<n>b)", "|"];
const part = fc.constantFrom(...parts, ...classes, ...groups);
const quantifier = fc.constantFrom("", "", "", "*", "+?", "?", "{2}", "{1,2}");
const pattern = fc
  .array(
    fc.tuple(part, quantifier).map((both) => both.join("")),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => parts.join(""));
const text = fc.string({ unit: fc.constantFrom(...Array.from("ab-]}{1. [/+\b\\")), maxLength: 6 });

test("what JavaScript understands means the same as before", () => {
  fc.assert(
    fc.property(pattern, text, (pattern, text) => {
      let expected: number;
      try {
        expected = text.search(new RegExp(pattern));
      } catch {
        return;
      }
      expect(text.search(new RegExp(toJavaScript(pattern).source))).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});
