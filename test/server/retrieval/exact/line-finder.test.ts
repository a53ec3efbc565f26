import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLineFinder } from "../../../../server/retrieval/exact/line-finder.ts";

const whole = [{ start: 0, end: 2 ** 32 - 1, lineEnds: 0 }];

/** The oracle: looks at each line. */
function checkEachLine(bytes: Buffer, literals: readonly string[], limit: number) {
  const found = { count: 0, numbers: [] as number[], starts: [] as number[], ends: [] as number[] };
  let start = 0;
  for (const [index, line] of bytes.toString("latin1").split("\n").entries()) {
    const end = start + line.length;
    if (literals.some((literal) => line.includes(literal)) && found.count++ < limit) {
      found.numbers.push(index + 1);
      found.starts.push(start);
      found.ends.push(end);
    }
    start = end + 1;
  }
  return found;
}

const letters = (length: number) =>
  fc
    .array(fc.constantFrom("a", "a", "e", "T", " ", "\t"), { minLength: 1, maxLength: length })
    .map((all) => all.join(""));
const literals = fc.array(letters(20), { minLength: 1, maxLength: 4 });
const piece = fc.oneof(letters(6), fc.constantFrom("\n", "\n\n", "\r\n", "\u008a", "x".repeat(40), "a".repeat(70)));
const numRuns = 3000;

test("finds the lines that a look at each line finds", () => {
  const pieces = fc.array(fc.oneof(piece, fc.constant(undefined)), { maxLength: 60 });
  fc.assert(
    fc.property(literals, pieces, fc.nat(40), (literals, pieces, limit) => {
      const text = pieces.map((piece, index) => piece ?? literals[index % literals.length]).join("");
      const bytes = Buffer.from(text, "latin1");
      expect(createLineFinder(literals)(bytes, { limit, ranges: whole })).toEqual(
        checkEachLine(bytes, literals, limit),
      );
    }),
    { numRuns },
  );
});

test("finds a long line once, from its beginning to its end", () => {
  const long = `${"x".repeat(5000)}needle${"y".repeat(3000)}needle`;
  const bytes = Buffer.from(`first\n${long}\nneedle\n${long}`);
  expect(createLineFinder(["needle"])(bytes, { limit: 9, ranges: whole })).toEqual(checkEachLine(bytes, ["needle"], 9));
});

test("searches the ranges only, and takes the number of lines before a range from it", () => {
  const line = `${"x".repeat(40)}needle\n`;
  const bytes = Buffer.from(line.repeat(100));
  const ranges = [
    { start: 10 * line.length + 5, end: 11 * line.length - 4, lineEnds: 10 },
    // In the same line, and in the next.
    { start: 11 * line.length - 4, end: 11 * line.length + 50, lineEnds: 10 },
    { start: 50 * line.length, end: 51 * line.length, lineEnds: 50 },
  ];
  const { numbers, starts } = createLineFinder(["needle"])(bytes, { limit: 9, ranges });
  expect({ numbers, starts }).toEqual({
    numbers: [11, 12, 51],
    starts: [10, 11, 50].map((number) => number * line.length),
  });
});

test.each([
  ["Taaaaaaae", "Taaaaaaa"],
  ["eTaaaaaae", "aTaaaaaa"],
  ["a".repeat(1000), "a".repeat(999)],
])("finds %s after many near misses", (literal, lookalike) => {
  const bytes = Buffer.from(`${`${lookalike}\n`.repeat(300)}${literal}\n${lookalike}`);
  expect(createLineFinder([literal])(bytes, { limit: 9, ranges: whole }).numbers).toEqual([301]);
});
