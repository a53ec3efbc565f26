import { describe, expect, test } from "vitest";
import { createVocabulary, forEachWord, termsOf } from "../../../server/retrieval/vocabulary.ts";

describe("termsOf", () => {
  test.each([
    ["retries", "retry"],
    ["bufferSize", "buffer siz buffersize"],
    ["parse_url_path", "pars url path parseurl urlpath parseurlpath"],
    ["http2", "http2 http"],
    ["_", ""],
    ["a".repeat(65), ""],
  ])("%s is found by %j", (word, terms) => {
    expect(termsOf(word).join(" ")).toBe(terms);
  });
});

describe("forEachWord", () => {
  test.each([
    ["const x2 = fooBar(a_b, 'Größe');", "const x2 fooBar a_b Größe"],
    ["a.b – “c” 漢字。", "漢字"],
    ["", ""],
    ["end", "end"],
  ])("of %j visits %j", (text, words) => {
    const visited: string[] = [];
    forEachWord(text, (word) => visited.push(word));
    expect(visited.join(" ")).toBe(words);
  });
});

test("a term keeps its number; names of every object's properties are terms like any other", () => {
  const vocabulary = createVocabulary();
  expect(vocabulary.termsOf("retry constructor")).toEqual(vocabulary.termsOf("retry constructor"));
  expect(vocabulary.termsOf("retries")).toEqual(vocabulary.termsOf("retry"));
  expect(vocabulary.termsOf("constructor")).not.toEqual(vocabulary.termsOf("toString"));
});
