import { describe, expect, test } from "vitest";
import {
  type Citation,
  citationNote,
  type CitationState,
  cutAtCitations,
  formatCitewellUrl,
  isLinked,
  parseCitewellUrl,
  replaceCitationLinks,
} from "../../../server/protocol/citation.ts";

function citation(id: string, textRange?: Citation["textRange"], changes: Partial<Citation> = {}): Citation {
  const place = { resource: "demo", path: "a.ts", startLine: 1, endLine: 2, revision: "1" };
  return { id, ...place, state: "verified", ...(textRange === undefined ? {} : { textRange }), ...changes };
}

describe("the link of a commit", () => {
  const commit = { resource: "https://git.example/a b", path: "", revision: "1a2b3c4", startLine: 0, endLine: 0 };

  test("has no path and no lines, and is read back", () => {
    const url = formatCitewellUrl(commit);
    expect(url).toBe("citewell:/https%3A%2F%2Fgit.example%2Fa%20b?revision=1a2b3c4");
    expect(parseCitewellUrl(url)).toEqual(commit);
  });

  test.each(["citewell:/demo?revision=1a2b3c4#L1", "citewell:/demo/a.ts?revision=1a2b3c4", "citewell:/demo"])(
    "%s names neither a commit nor lines at one",
    (url) => expect(parseCitewellUrl(url)).toBeUndefined(),
  );
});

describe("cutAtCitations", () => {
  test.each<[string, string, Citation[], string[]]>([
    ["no text has no parts", "", [], []],
    ["text without citations is one part", "abc", [citation("c1")], ["abc"]],
    ["in the middle", "abcd", [citation("c1", { start: 1, end: 3 })], ["a", "c1=bc", "d"]],
    ["the whole text", "ab", [citation("c1", { start: 0, end: 2 })], ["c1=ab"]],
    [
      "side by side",
      "abcd",
      [citation("c1", { start: 0, end: 2 }), citation("c2", { start: 2, end: 4 })],
      ["c1=ab", "c2=cd"],
    ],
    ["not there yet, as while text arrives", "abc", [citation("c1", { start: 2, end: 9 })], ["abc"]],
    ["in code", "abc", [citation("c1", { start: 0, end: 2 }, { inCode: true })], ["abc"]],
    [
      "overlapping ranges, which no server writes",
      "abcd",
      [citation("c1", { start: 0, end: 3 }), citation("c2", { start: 1, end: 4 })],
      ["c1=abc", "d"],
    ],
  ])("%s", (_, text, citations, expected) => {
    const parts = cutAtCitations(text, citations);
    expect(parts.map((part) => (part.citation === undefined ? part.text : `${part.citation.id}=${part.text}`))).toEqual(
      expected,
    );
  });
});

test("a delta is cut by the place where it begins in the answer, as the participant does", () => {
  const [before, delta] = ["See ", "[a](x) and [b](y)."];
  const citations = [citation("c1", { start: 4, end: 10 }), citation("c2", { start: 15, end: 21 })];
  const cut = cutAtCitations(delta, citations, { offset: before.length });
  expect(cut).toEqual([
    { text: "[a](x)", citation: citations[0] },
    { text: " and " },
    { text: "[b](y)", citation: citations[1] },
    { text: "." },
  ]);
});

test("links are replaced; their notes and citations without a link stay", () => {
  const texts = ["[a.ts:1-2](x)", "[a.ts:1-2](y) (not read in this run)", "a.ts:1-2 (missing)"];
  const text = `${texts[0]}, ${texts[1]}, ${texts[2]}.`;
  const states: CitationState[] = ["verified", "not-read", "missing"];
  const citations = states.map((state, index) => {
    const start = text.indexOf(texts[index] ?? "");
    return citation(`c${index}`, { start, end: start + (texts[index]?.length ?? 0) }, { state });
  });
  expect(replaceCitationLinks(text, citations, ({ id }) => `<${id}>`)).toBe(
    "<c0>, <c1> (not read in this run), a.ts:1-2 (missing).",
  );
});

test.each<[CitationState, string, boolean]>([
  ["verified", "", true],
  ["relocated", "", true],
  ["not-read", " (not read in this run)", true],
  ["mismatch", " (mismatch: why‹U+202E›)", false],
  ["out-of-range", " (out of range: why‹U+202E›)", false],
  ["missing", " (missing: why‹U+202E›)", false],
  ["ambiguous", " (ambiguous: why‹U+202E›)", false],
])("the note and the link of a citation that is %s", (state, note, linked) => {
  expect(citationNote({ state, reason: "why\u202E" })).toBe(note);
  expect(isLinked({ state })).toBe(linked);
  expect(isLinked({ state, inCode: true })).toBe(false);
});
