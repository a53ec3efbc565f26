import { importTest } from "../lib/grammars.ts";
import { splitLines } from "../lib/source-text.ts";
import { splitIdentifier, stem, stopWords } from "../lib/words.ts";
import type { Candidate } from "./phrases.ts";
import type { Query } from "./query.ts";
import type { TermStatistics } from "./score.ts";
import { beginningOfAny } from "./term-finder.ts";
import type { TextStore } from "./text-store.ts";
import { forEachWord } from "./vocabulary.ts";

/** How many of the best files are read for it, and what a file that says the whole question is worth more. Measured (bench/retrieval). */
const readLimit = 5;
const pairsWorth = 0.6;
/** As far apart two words may stand in a text that follow each other in the question: one may be between them. */
const reach = 2;

/** Moves up the files in which words that follow each other in the question do so, too: they are about the same thing. */
export async function preferWordPairs(
  candidates: readonly Candidate[],
  {
    query,
    statistics,
    texts,
    signal,
  }: { query: Query; statistics: TermStatistics; texts: TextStore; signal: AbortSignal | undefined },
): Promise<Candidate[]> {
  const pairedShare = createPairFinder(query, statistics);
  if (pairedShare === undefined) return [...candidates];
  const preferred: Candidate[] = [];
  for (const candidate of candidates.slice(0, readLimit)) {
    const { snapshot, index, scored } = candidate;
    const path = index.files[scored.file]?.path ?? "";
    const { text = "" } = await texts.read(snapshot, path, { signal });
    signal?.throwIfAborted();
    const score = scored.score * (1 + pairsWorth * pairedShare(path, text));
    preferred.push({ ...candidate, scored: { ...scored, score } });
  }
  return [...preferred, ...candidates.slice(readLimit)].sort((a, b) => b.scored.score - a.scored.score);
}

/** Tells of a text how much of the question stands in it in pairs, from 0 to 1; undefined where a question has none. */
export function createPairFinder(
  { stems, terms }: Pick<Query, "stems" | "terms">,
  { values }: Pick<TermStatistics, "values">,
): ((path: string, text: string) => number) | undefined {
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
  const wanted = new Set(known);
  const possible = [...wanted].reduce((sum, word) => sum + (valueOf.get(word) ?? 0), 0);
  const mayHold = beginningOfAny(known);
  const stemsOf = createStemCache(wanted, mayHold);
  return (path, text) => {
    const isSkipped = importTest(path);
    const last = new Map<string, number>();
    const found = new Map<string, number>();
    let position = 0;
    const visit = (word: string) => {
      for (const part of stemsOf(word)) {
        position++;
        if (part === undefined) continue;
        for (const [before, worth] of pairs.get(part) ?? [])
          if (position - (last.get(before) ?? -Infinity) <= reach) found.set(`${before} ${part}`, worth);
        last.set(part, position);
      }
    };
    for (const line of splitLines(text)) {
      if (!mayHold.test(line)) position += /\w/.test(line) ? reach : 0;
      else if (!isSkipped(line)) forEachWord(line, visit);
    }
    return [...found.values()].reduce((sum, worth) => sum + worth, 0) / possible;
  };
}

/** The stems of a word of a text, undefined for one that nobody asks for; none of a stop word. */
function createStemCache(
  wanted: ReadonlySet<string>,
  mayHold: RegExp,
): (word: string) => readonly (string | undefined)[] {
  const known = new Map<string, readonly (string | undefined)[]>();
  return (word) => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const stems = stemsIn(word);
    known.set(word, stems);
    return stems;
  };

  function stemsIn(word: string): readonly (string | undefined)[] {
    if (stopWords.has(word.toLowerCase())) return [];
    if (!mayHold.test(word)) return [undefined];
    return splitIdentifier(word).map((part) => {
      const stemmed = stem(part);
      return wanted.has(stemmed) ? stemmed : undefined;
    });
  }
}
