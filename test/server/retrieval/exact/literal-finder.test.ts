import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLiteralFinder } from "../../../../server/retrieval/exact/literal-finder.ts";

const letters = (length: number) =>
  fc
    .array(fc.constantFrom("a", "a", "e", "T", " ", "\t"), { minLength: 1, maxLength: length })
    .map((all) => all.join(""));

test("a literal is found where the bytes hold it first", () => {
  fc.assert(
    fc.property(letters(12), letters(30), fc.array(letters(6)), fc.nat(40), (literal, filler, parts, from) => {
      const bytes = Buffer.from(parts.map((part) => part + filler).join(literal));
      expect(createLiteralFinder(literal)(bytes, from)).toBe(bytes.indexOf(literal, from));
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ["Taaaaaaae", "Taaaaaaa"],
  ["eTaaaaaae", "aTaaaaaa"],
  ["aaaaaaaaaaT", "a"],
])("%s is found behind much that looks like it", (literal, lookalike) => {
  const text = lookalike.repeat(500);
  const bytes = Buffer.from(`${text}${literal} ${text}`);
  const find = createLiteralFinder(literal);
  const place = bytes.indexOf(literal);
  expect([find(bytes, 0), find(bytes, place), find(bytes, place + 1)]).toEqual([place, place, -1]);
});
