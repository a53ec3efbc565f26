import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSource, isBinary, splitLines } from "../../../../server/source/source-text.ts";
import {
  createTextSearch,
  type SearchedText,
  type TextOutcome,
  type TextQuery,
  type TextSearch,
} from "../../../../server/retrieval/exact/text-search.ts";
import { createTimeLimit } from "../../../../server/retrieval/time-limit.ts";

const plain: TextQuery = { pattern: "ab", isRegex: false, ignoreCase: false, wholeWord: false, contextLines: 0 };
const time = { stretchMs: 1000, textMs: 1000 };
const runWithin = createTimeLimit();

const search = (query: Partial<TextQuery>, texts: SearchedText[], options: { limit: number; enough: number }) =>
  createTextSearch({ ...plain, ...query }, { runWithin }).stretch(texts, { ...time, ...options });

const patterns: Partial<TextQuery>[] = [
  { pattern: "ab" },
  { pattern: "é" },
  { pattern: "a", wholeWord: true },
  { pattern: "AB", ignoreCase: true },
  ...["ab(c|d)", "^abc", "abc$", "\\babc", "a.c|abd", "abc\\s*d", "x*", "[ab]bc", "abc(?!d)", "^$", "\\W"].map(
    (pattern) => ({ pattern, isRegex: true }),
  ),
  { pattern: "abc", isRegex: true, wholeWord: true },
  { pattern: "abc", isRegex: true, ignoreCase: true },
];
const letters = ["a", "b", "abc", "abd", "ab\ncd", "d", "\n", "\n", "\r\n", "\r", " ", "é", "🙂", "\u2028", "AB"];
const text = fc.array(fc.constantFrom(...letters), { maxLength: 20 }).map((parts) => parts.join(""));
/** Of lines that are shown as a whole, and of some that are not. */
const longText = fc.tuple(text, text, fc.constantFrom(0, 600, 900)).map(([a, b, length]) => a + "x".repeat(length) + b);
const bytes = fc.tuple(longText, fc.constantFrom("utf8", "mark", "latin1", "utf16le")).map(([text, encoding]) => {
  if (encoding === "mark") return Buffer.from(`\uFEFF${text}`);
  if (encoding === "utf16le") return Buffer.from(`\uFEFF${text}`, "utf16le");
  return Buffer.from(text, encoding === "latin1" ? "latin1" : "utf8");
});
const limits = fc.record({ limit: fc.nat(5), enough: fc.constant(1000) });

test("a search of bytes finds what a search of their text finds, in any encoding", () => {
  fc.assert(
    fc.property(fc.constantFrom(...patterns), fc.nat(2), bytes, limits, (pattern, contextLines, bytes, options) => {
      if (isBinary(bytes)) return;
      const text = decodeSource("a.ts", bytes)?.text ?? "";
      const query = { ...pattern, contextLines };
      expect(search(query, [{ bytes }], options)).toEqual(search(query, [{ text }], options));
    }),
    { numRuns: 5000 },
  );
});

test("finds the lines that a check of each line finds", () => {
  fc.assert(
    fc.property(fc.constantFrom(...patterns), fc.nat(2), text, limits, (pattern, contextLines, text, options) => {
      const [outcome] = search({ ...pattern, contextLines }, [{ text }], options);
      expect(outcome).toEqual({
        type: "searched",
        ...lookAtEach({ ...plain, ...pattern, contextLines }, text, options),
      });
    }),
    { numRuns: 5000 },
  );
});

function lookAtEach(
  { pattern, isRegex, ignoreCase, wholeWord, contextLines }: TextQuery,
  text: string,
  { limit }: { limit: number },
) {
  const letter = String.raw`[\p{L}\p{M}\p{N}_]`;
  const bounded = wholeWord ? `(?<!${letter})(?:${pattern})(?!${letter})` : pattern;
  const expression = new RegExp(bounded, (ignoreCase ? "i" : "") + (wholeWord ? "u" : ""));
  const matches = (line: string) =>
    isRegex || ignoreCase || wholeWord ? expression.test(line) : line.includes(pattern);
  const lines = splitLines(text);
  const found = lines.flatMap((line, index) => (matches(line) ? [index + 1] : []));
  const matchLines = found.slice(0, limit);
  const isShown = (line: number) => matchLines.some((match) => Math.abs(match - line) <= contextLines);
  const shown = lines.filter((_, index) => isShown(index + 1));
  return { count: found.length, matchLines, text: Buffer.from(shown.map((line) => `${line}\n`).join("")) };
}

test("returns lines of several texts up to one limit, and stops counting at `enough`", () => {
  const texts = ["ab\nab", "ab", "ab"].map((text) => ({ text }));
  expect(search({}, texts, { limit: 1, enough: 3 })).toEqual([
    { type: "searched", count: 2, matchLines: [1], text: Buffer.from("ab\n") },
    { type: "searched", count: 1, matchLines: [], text: Buffer.alloc(0) },
  ]);
});

test("lines of a text that is given up do not appear in the next one", () => {
  const query = { ...plain, pattern: "(x+x+)+y needle", isRegex: true, contextLines: 2 };
  const search = createTextSearch(query, { runWithin });
  const options = { limit: 10, enough: 10, stretchMs: 10, textMs: 50 };
  const trap = { bytes: Buffer.from(`before\n${"x".repeat(1000)}\nxxy needle`) };
  expect(search.stretch([trap], options)).toMatchObject([{ type: "skipped" }]);
  expect(search.stretch([{ bytes: Buffer.from("xxy needle") }], options)).toEqual([
    { type: "searched", count: 1, matchLines: [1], text: Buffer.from("xxy needle\n") },
  ]);
});

test("a text is not given up for a pause of the machine", () => {
  let reads = 0;
  const paused = {
    get text() {
      if (++reads === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return "xxxy";
    },
  };
  const search = createTextSearch({ ...plain, pattern: "(x+x+)+y", isRegex: true }, { runWithin });
  expect(searchAll(search, [{ text: "xxy" }, paused])).toEqual([
    { type: "searched", count: 1, matchLines: [1], text: Buffer.from("xxy\n") },
    { type: "searched", count: 1, matchLines: [1], text: Buffer.from("xxxy\n") },
  ]);
  expect(reads).toBe(2);
});

test("an expression that does not come to an end costs the text it is in, and the next stretch goes on", () => {
  const trap = `${"x".repeat(60)}!`;
  const search = createTextSearch({ ...plain, pattern: "(x+x+)+y", isRegex: true }, { runWithin });
  expect(searchAll(search, [{ text: "xxy" }, { bytes: Buffer.from(trap) }, { text: "xxxy" }])).toEqual([
    { type: "searched", count: 1, matchLines: [1], text: Buffer.from("xxy\n") },
    { type: "skipped", reason: "the pattern takes too long in it; a simpler one may not" },
    { type: "searched", count: 1, matchLines: [1], text: Buffer.from("xxxy\n") },
  ]);
});

/** In as many stretches as it takes. */
function searchAll({ stretch }: TextSearch, texts: SearchedText[]): TextOutcome[] {
  const outcomes: TextOutcome[] = [];
  while (outcomes.length < texts.length) {
    outcomes.push(...stretch(texts.slice(outcomes.length), { limit: 10, enough: 10, stretchMs: 10, textMs: 50 }));
  }
  return outcomes;
}
