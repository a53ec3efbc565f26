import { termsOf } from "../index/vocabulary.ts";
import { isWordCode } from "../index/word-table.ts";
import type { Query } from "./query.ts";

/** A word of a text that is about the question. */
export interface FoundWord {
  word: string;
  /** The offset at which it begins in the text. */
  start: number;
  /** The terms of the question that it comes to, by their numbers. */
  terms: readonly number[];
}

/** The words of a text that hold terms of a question, in their order. */
export type TermFinder = (text: string) => FoundWord[];

export function createTermFinder({ terms }: Query): TermFinder {
  const numbers = new Map(terms.map(({ term }, number) => [term, number]));
  const beginning = beginningOfAny(terms.map(({ term }) => term));
  const known = new Map<string, readonly number[]>();
  const termsOfWord = (word: string): readonly number[] => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found = termsOf(word).flatMap((term) => numbers.get(term) ?? []);
    known.set(word, found);
    return found;
  };
  return (text) => {
    const found: FoundWord[] = [];
    let end = 0;
    for (beginning.lastIndex = 0; beginning.test(text); beginning.lastIndex = end) {
      let start = beginning.lastIndex;
      end = start;
      while (isWordCode(text.charCodeAt(start - 1))) start--;
      while (isWordCode(text.charCodeAt(end))) end++;
      const word = text.slice(start, end);
      const own = word.length > 1 ? termsOfWord(word) : [];
      if (own.length > 0) found.push({ word, start, terms: own });
    }
    return found;
  };
}

/**
 * Words and their stems begin alike, but for the `y` of a short stem (`tries`, `try`); few words of a text hold such a
 * beginning.
 */
function beginningOfAny(terms: readonly string[]): RegExp {
  const beginnings = terms.map((term) => term.slice(0, Math.max(2, Math.min(3, term.length - 1))));
  return new RegExp([...new Set(beginnings)].join("|") || "(?!)", "giu");
}

/** Where the part of a text begins, of so many characters, that holds most of a question. */
export function densestPlace(text: string, { findTerms, length }: { findTerms: TermFinder; length: number }): number {
  const found = findTerms(text).flatMap(({ start, terms }) => terms.map((term) => ({ start, term })));
  const counts = new Map<number, number>();
  let best = { start: 0, terms: 0 };
  let next = 0;
  for (const { start, term } of found) {
    for (let other = found[next]; other !== undefined && other.start < start + length; other = found[++next])
      counts.set(other.term, (counts.get(other.term) ?? 0) + 1);
    if (counts.size > best.terms) best = { start, terms: counts.size };
    const left = (counts.get(term) ?? 0) - 1;
    if (left > 0) counts.set(term, left);
    else counts.delete(term);
  }
  return best.start;
}
