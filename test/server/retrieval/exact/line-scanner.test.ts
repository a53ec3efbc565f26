import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { createLineScanner } from "../../../../server/retrieval/exact/line-scanner.ts";

const scanner = createLineScanner();
const windowBytes = 256 * 1024;
/** More lines than are told at a time. */
const manyLines = 5000;

const linesWith = (literals: readonly string[]) => {
  const find = scanner?.linesWith(literals);
  if (find === undefined) throw new Error(`no search for ${literals.join(", ")}`);
  return find;
};
const whole = [{ start: 0, end: 2 ** 32 - 1, lineEnds: 0 }];

/** By a look at each line. */
function lookAtEach(bytes: Buffer, literals: readonly string[], limit: number) {
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
/** With what fills the memory of the scanner, so that lines and literals stand across its end. */
const filler = fc.oneof(
  { weight: 9, arbitrary: fc.constant("") },
  fc.nat(60).map((less) => "x".repeat(windowBytes - less)),
  fc.nat(60).map((less) => "\n".repeat(windowBytes + less)),
);
const numRuns = 1500;

test("the lines that hold a literal are those that a look at each finds", () => {
  const pieces = fc.array(fc.oneof(piece, fc.constant(undefined)), { maxLength: 30 });
  fc.assert(
    fc.property(literals, pieces, filler, pieces, fc.nat(40), (literals, before, filler, behind, limit) => {
      const [first, last] = [before, behind].map((pieces) =>
        pieces.map((piece, index) => piece ?? literals[index % literals.length]).join(""),
      );
      const bytes = Buffer.from(`${first}${filler}${last}`, "latin1");
      expect(linesWith(literals)(bytes, { limit, ranges: whole })).toEqual(lookAtEach(bytes, literals, limit));
    }),
    { numRuns },
  );
});

test("more lines than are told at a time are told, wherever the limit is", () => {
  const bytes = Buffer.from("a needle\n\n".repeat(2 * manyLines));
  for (const limit of [0, 1, manyLines, 2 * manyLines, Infinity]) {
    expect(linesWith(["needle"])(bytes, { limit, ranges: whole })).toEqual(lookAtEach(bytes, ["needle"], limit));
  }
});

test("a line that is longer than the memory is found once, from its beginning to its end", () => {
  const long = `${"x".repeat(2 * windowBytes)}needle${"y".repeat(windowBytes)}needle`;
  const bytes = Buffer.from(`first\n${long}\nneedle\n${long}`);
  expect(linesWith(["needle"])(bytes, { limit: 9, ranges: whole })).toEqual(lookAtEach(bytes, ["needle"], 9));
});

test("only where a range says a literal is looked for, and lines before it need not be counted", () => {
  const line = `${"x".repeat(40)}needle\n`;
  const bytes = Buffer.from(line.repeat(100));
  const ranges = [
    { start: 10 * line.length + 5, end: 11 * line.length - 4, lineEnds: 10 },
    // In the same line, and in the next.
    { start: 11 * line.length - 4, end: 11 * line.length + 50, lineEnds: 10 },
    { start: 50 * line.length, end: 51 * line.length, lineEnds: 50 },
  ];
  const { numbers, starts } = linesWith(["needle"])(bytes, { limit: 9, ranges });
  expect({ numbers, starts }).toEqual({
    numbers: [11, 12, 51],
    starts: [10, 11, 50].map((number) => number * line.length),
  });
});

test("two searches take turns", () => {
  const bytes = Buffer.from("one\ntwo\nthree\n");
  const [one, three] = [linesWith(["one", "wo"]), linesWith(["ee"])];
  const numbersOf = (find: typeof one) => find(bytes, { limit: 9, ranges: whole }).numbers;
  expect([one, three, one, three].map(numbersOf)).toEqual([[1, 2], [3], [1, 2], [3]]);
});

test.each([
  ["Taaaaaaae", "Taaaaaaa"],
  ["eTaaaaaae", "aTaaaaaa"],
  ["a".repeat(1000), "a".repeat(999)],
])("%s is found behind much that looks like it", (literal, lookalike) => {
  const bytes = Buffer.from(`${`${lookalike}\n`.repeat(300)}${literal}\n${lookalike}`);
  expect(linesWith([literal])(bytes, { limit: 9, ranges: whole }).numbers).toEqual([301]);
});

test.each([{ literals: [""] }, { literals: ["a".repeat(1025)] }, { literals: ["a", "b", "c", "d", "e"] }])(
  "what does not fit into its memory is not searched for: $literals.length",
  ({ literals }) => {
    expect(scanner?.linesWith(literals)).toBe(undefined);
  },
);

afterEach(() => {
  vi.unstubAllGlobals();
});

test("there is none where the engine does not run it", () => {
  vi.stubGlobal("WebAssembly", undefined);
  expect(createLineScanner()).toBe(undefined);
});
