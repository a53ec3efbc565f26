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

/** Words and their stems begin alike, but for the `y` of a short stem (`tries`, `try`); few lines hold such a beginning. */
function beginningOfAny(terms: readonly string[]): RegExp {
  const beginnings = terms.map((term) => term.slice(0, Math.max(2, Math.min(3, term.length - 1))));
  return new RegExp([...new Set(beginnings)].join("|") || "(?!)", "iu");
}
