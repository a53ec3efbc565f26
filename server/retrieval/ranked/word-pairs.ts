import { splitIdentifier, stem, stopWords } from "../../source/words.ts";
import { forEachWord } from "../index/vocabulary.ts";
import type { CloseReading, ReadCandidate } from "./close-reading.ts";
import type { Query } from "./query.ts";
import type { TermStatistics } from "./score.ts";

/** What a file that says the whole question in pairs is worth more. Measured (bench/retrieval). */
const pairsWorth = 0.6;
/** The distance in a text of two words that follow each other in the question: one may be between them. */
const reach = 2;
/** Characters between two words: more are words, or an empty page. */
const longestGap = 200;

/**
 * Moves up, of the files that are read, those in which words that follow each other in the question do so, too: they
 * are about the same thing.
 */
export function preferWordPairs(
  candidates: readonly ReadCandidate[],
  { query, statistics }: { query: Query; statistics: TermStatistics },
): ReadCandidate[] {
  const pairedShare = createPairFinder(query, statistics);
  if (pairedShare === undefined) return [...candidates];
  return candidates
    .map((candidate) => {
      const { scored, reading } = candidate;
      if (reading === undefined) return candidate;
      const score = scored.score * (1 + pairsWorth * pairedShare(reading));
      return { ...candidate, scored: { ...scored, score } };
    })
    .sort((a, b) => b.scored.score - a.scored.score);
}

/** Scores how many adjacent pairs of the question a text has, from 0 to 1; undefined if the question has no pairs. */
export function createPairFinder(
  { stems, terms }: Pick<Query, "stems" | "terms">,
  { values }: Pick<TermStatistics, "values">,
): ((reading: Pick<CloseReading, "text" | "words">) => number) | undefined {
  const valueOf = new Map(terms.map(({ term }, number) => [term, values[number] ?? 0]));
  const known = stems.filter((word) => (valueOf.get(word) ?? 0) > 0);
  const pairs = new Map<string, Map<string, number>>();
  for (const [index, word] of known.slice(1).entries()) {
    const before = known[index] ?? word;
    if (before === word) continue;
    const worth = Math.min(valueOf.get(before) ?? 0, valueOf.get(word) ?? 0);
    pairs.set(word, (pairs.get(word) ?? new Map<string, number>()).set(before, worth));
  }
  if (pairs.size === 0) return undefined;
  const possible = [...new Set(known)].reduce((sum, word) => sum + (valueOf.get(word) ?? 0), 0);
  const stemsOf = createStemCache(new Set(known));
  return ({ text, words }) => {
    const last = new Map<string, number>();
    const found = new Map<string, number>();
    let position = 0;
    let end = 0;
    for (const { word, start } of words()) {
      const stems = stemsOf(word);
      if (stems.every((part) => part === undefined)) continue;
      position += wordsBetween(text, end, start);
      end = start + word.length;
      for (const part of stems) {
        position++;
        if (part === undefined) continue;
        for (const [before, worth] of pairs.get(part) ?? [])
          if (position - (last.get(before) ?? -Infinity) <= reach) found.set(`${before} ${part}`, worth);
        last.set(part, position);
      }
    }
    return [...found.values()].reduce((sum, worth) => sum + worth, 0) / possible;
  };
}

/** Words other than stop words; as many as keep a pair apart where a line of them lies between, or a longer stretch. */
function wordsBetween(text: string, start: number, end: number): number {
  if (end - start > longestGap) return reach;
  const between = text.slice(start, end);
  if (/\w/.test(between.slice(between.indexOf("\n") + 1, between.lastIndexOf("\n") + 1))) return reach;
  let count = 0;
  forEachWord(between, (word) => {
    if (!stopWords.has(word.toLowerCase())) count++;
  });
  return count;
}

/** The stems of a word in the text: undefined if the question does not have it, none for a stop word. */
function createStemCache(wanted: ReadonlySet<string>): (word: string) => readonly (string | undefined)[] {
  const known = new Map<string, readonly (string | undefined)[]>();
  const stemsIn = (word: string): readonly (string | undefined)[] => {
    if (stopWords.has(word.toLowerCase())) return [];
    return splitIdentifier(word).map((part) => {
      const stemmed = stem(part);
      return wanted.has(stemmed) ? stemmed : undefined;
    });
  };
  return (word) => {
    const stems = known.get(word) ?? stemsIn(word);
    known.set(word, stems);
    return stems;
  };
}
