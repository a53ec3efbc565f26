import { describe, expect, test } from "vitest";
import { createSumTable } from "../../../../server/retrieval/format/number-list.ts";
import {
  createVocabulary,
  forEachWord,
  termsOf,
  type Vocabulary,
} from "../../../../server/retrieval/index/vocabulary.ts";

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

describe("a vocabulary", () => {
  const sums = createSumTable();
  const countIn = (vocabulary: Vocabulary, text: string, place = { start: 0, end: text.length }) => {
    const words = vocabulary.count(text, place, { sums, amount: 1 });
    const keys = new Map([...vocabulary.terms].map(([key, number]) => [number, key]));
    const counted: string[] = [];
    sums.drain((term, sum) => counted.push(`${keys.get(term)} ${sum}`));
    return { words, terms: counted.sort().join(", ") };
  };

  test("counts the terms of words, the same in every text", () => {
    const vocabulary = createVocabulary();
    expect(countIn(vocabulary, "Retry retries; bufferSize")).toEqual({
      words: 3,
      terms: "buffer 1, buffersize 1, retry 2, siz 1",
    });
    expect(countIn(vocabulary, "buffer_size x")).toEqual({ words: 1, terms: "buffer 1, buffersize 1, siz 1" });
  });

  test("counts between two places, which cut words", () => {
    expect(countIn(createVocabulary(), "one two three", { start: 2, end: 11 })).toEqual({
      words: 2,
      terms: "thr 1, two 1",
    });
  });

  test("takes names of every object's properties for words like any other, and long ones for none", () => {
    expect(countIn(createVocabulary(), `constructor __proto__ ${"a".repeat(65)}`)).toEqual({
      words: 3,
      terms: "constructor 1, proto 1",
    });
  });

  test("keeps no word that is too long to be met again", () => {
    const vocabulary = createVocabulary();
    countIn(vocabulary, `short ${"a".repeat(65)} ${"b".repeat(64)}`);
    expect(vocabulary.wordCount).toBe(2);
  });

  test("has its terms as keys, in any script", () => {
    const { terms } = countIn(createVocabulary(), "Größe größe 漢字");
    expect(Buffer.from(terms, "latin1").toString()).toBe("größe 2, 漢字 1");
  });

  test("distinguishes many words", () => {
    const vocabulary = createVocabulary();
    const words = Array.from({ length: 20_000 }, (_, number) => `w${number.toString(36)}w`);
    countIn(vocabulary, words.join(" "));
    expect(vocabulary.wordCount).toBe(words.length);
    countIn(vocabulary, words.toReversed().join("."));
    expect(vocabulary.wordCount).toBe(words.length);
  });
});
