import * as fc from "fast-check";
import { expect, test } from "vitest";
import { forEachWord, termsOf } from "../../../../server/retrieval/index/vocabulary.ts";
import { parseQuery } from "../../../../server/retrieval/ranked/query.ts";
import { createTermFinder } from "../../../../server/retrieval/ranked/term-finder.ts";

const pieces = [
  "parse",
  "parser",
  "Tries",
  "try",
  "bufferSize",
  "buffer_size",
  "size2",
  "é",
  "日本",
  "𝒳",
  "K",
  "a",
  " ",
  "\n",
  ".",
  "_",
  "1",
];
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((all) => all.join(""));

test("it finds the words that a look at each word finds", () => {
  fc.assert(
    fc.property(texts, texts, (question, text) => {
      const query = parseQuery(question, { resources: [] });
      const numbers = new Map(query.terms.map(({ term }, number) => [term, number]));
      const expected: { word: string; start: number; terms: number[] }[] = [];
      forEachWord(text, (word, start) => {
        const terms = termsOf(word).flatMap((term) => numbers.get(term) ?? []);
        if (terms.length > 0) expected.push({ word, start, terms });
      });
      expect(createTermFinder(query)(text)).toEqual(expected);
    }),
  );
});
