import type { Query } from "./query.ts";
import { forEachWord, termsOf } from "./vocabulary.ts";

/** The terms of a question that a text holds, by their numbers, each as often as it stands there. */
export type TermFinder = (text: string) => readonly number[];

export function createTermFinder({ terms }: Query): TermFinder {
  const numbers = new Map(terms.map(({ term }, number) => [term, number]));
  const mayHold = beginningOfAny(terms.map(({ term }) => term));
  const known = new Map<string, readonly number[]>();
  const termsOfWord = (word: string): readonly number[] => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const found = mayHold.test(word) ? termsOf(word).flatMap((term) => numbers.get(term) ?? []) : [];
    known.set(word, found);
    return found;
  };
  return (text) => {
    const found: number[] = [];
    if (mayHold.test(text)) forEachWord(text, (word) => found.push(...termsOfWord(word)));
    return found;
  };
}

/** Where the part of a text begins, of so many characters, that holds most of a question. */
export function densestPlace(text: string, { findTerms, length }: { findTerms: TermFinder; length: number }): number {
  const found: { start: number; term: number }[] = [];
  forEachWord(text, (word, start) => found.push(...findTerms(word).map((term) => ({ start, term }))));
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

/** Words and their stems begin alike, but for the `y` of a short stem (`tries`, `try`); few lines hold such a beginning. */
export function beginningOfAny(terms: readonly string[]): RegExp {
  const beginnings = terms.map((term) => term.slice(0, Math.max(2, Math.min(3, term.length - 1))));
  return new RegExp([...new Set(beginnings)].join("|") || "(?!)", "iu");
}
