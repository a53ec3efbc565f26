import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type RequiredText, requirementOf } from "../../../../server/retrieval/exact/required-text.ts";

/** `a&b` is all, `a|b` one of them, `?` anything. */
function show(required: RequiredText): string {
  switch (required.type) {
    case "anything":
      return "?";
    case "literal":
      return required.text;
    case "all":
      return required.of.map(show).join("&");
    case "any":
      return required.of.map(show).join("|");
  }
}

test.each([
  ["throw new (Type|Range)Error\\(", "throw new TypeError(|throw new RangeError("],
  ["[Rr]etry", "Retry|retry"],
  ["colou?r", "colour|color"],
  ["foob+ar", "foob&bar"],
  ["(?:abc)+d", "abc&abcd"],
  ["ab{2}c", "abbc"],
  ["x{0}abc", "abc"],
  ["\\bself\\.\\w+\\s*=\\s*None\\b", "self.&None"],
  ["foo.*bar|baz", "foo&bar|baz"],
  [
    "v\\d\\.x",
    Array.from("0123456789")
      .map((digit) => `v${digit}.x`)
      .join("|"),
  ],
  ["a|bcd", "?"],
  ["(?=abc)", "?"],
  ["[^a]bcd", "bcd"],
  ["(abc", "?"],
])("%s requires %s", (source, expected) => {
  expect(show(requirementOf(source).required)).toBe(expected);
});

test.each([
  ["throw new (Type|Range)Error\\(", true],
  ["colou?r", true],
  ["v\\d\\.x", true],
  ["\\bself", false],
  ["^import", false],
  ["foo(?=bar)", false],
  ["foo.*bar", false],
  ["foob+ar", false],
  ["ab|cd", false],
])("whether what %s requires is enough: %s", (source, expected) => {
  expect(requirementOf(source).isEnough).toBe(expected);
});

test("letters of a class are tried as long as there are few literals", () => {
  const { required } = requirementOf("[a-z]+_[a-z]+_[0-9]{3,}");
  expect(required.type === "any" && required.of.map(show)).toEqual(
    Array.from({ length: 100 }, (_, number) => `_${String(number).padStart(2, "0")}`),
  );
});

const parts = [
  "a",
  "b",
  "A",
  "B",
  ".",
  "^",
  "$",
  "ab",
  "abc",
  "\\b",
  "\\d",
  "1",
  "\\.",
  "\\w",
  "[ab]",
  "[^a]",
  "[a-c1]",
  "[a-]",
  "(?:a|b)",
  "(abc|b)",
  "(a|)",
  "(?:ab)",
  "(?=a)",
  "(?!a)",
  "(?<=a)",
  "|",
  "é",
  "🙂",
  "[🙂a]",
];
const quantifier = fc.constantFrom("", "", "", "", "*", "+", "?", "{2}", "{0}", "{1,2}", "{2,}", "*?", "{4}");
const expression = fc
  .array(
    fc.tuple(fc.constantFrom(...parts), quantifier).map((both) => both.join("")),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) => parts.join(""));
const text = fc
  .array(fc.constantFrom(..."a,b,c,A,B,1,., ,abc".split(","), "é", "🙂"), { maxLength: 14 })
  .map((all) => all.join(""));

test("a text that matches holds what is required, and where that is enough, no other does", () => {
  fc.assert(
    fc.property(expression, text, fc.constantFrom("", "i", "u"), (source, text, flags) => {
      const regex = compile(source, flags);
      if (regex === undefined) return;
      const { required, isEnough } = requirementOf(source);
      const isHeld = holds(
        required,
        flags === "i" ? (part) => has(lower(text), lower(part)) : (part) => has(text, part),
      );
      if (regex.test(text)) expect(isHeld).toBe(true);
      else if (isEnough) expect(isHeld).toBe(false);
    }),
    { numRuns: 10_000 },
  );
});

const has = (text: string, part: string) => text.includes(part);
const lower = (text: string) => text.toLowerCase();

function holds(required: RequiredText, hasPart: (part: string) => boolean): boolean {
  switch (required.type) {
    case "anything":
      return true;
    case "literal":
      return hasPart(required.text);
    case "all":
      return required.of.every((part) => holds(part, hasPart));
    case "any":
      return required.of.some((part) => holds(part, hasPart));
  }
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
