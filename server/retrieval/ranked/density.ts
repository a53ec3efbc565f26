import type { TermStatistics } from "./score.ts";

/** The most that density adds to the score of a passage, as a share. Measured (docs/development/index-experiments.md). */
export const densityWorth = 0.5;
const closeLines = 5;

/**
 * The largest share of a question, between 0 and 1, that a few lines of a passage hold together with its path: words that
 * stand together say more than words that are spread over a passage. Terms are by line of the passage, by their numbers.
 */
export function densityOf(
  byLine: readonly (readonly number[])[],
  { ofPath, statistics: { values, possible } }: { ofPath: readonly number[]; statistics: TermStatistics },
): number {
  const worthOf = (terms: readonly number[]) => [...new Set(terms)].reduce((sum, term) => sum + (values[term] ?? 0), 0);
  // The best lines begin with one that has a term.
  const worths = byLine.flatMap((terms, first) =>
    terms.length === 0 ? [] : [worthOf([...ofPath, ...byLine.slice(first, first + closeLines).flat()])],
  );
  return Math.min(1, Math.max(worthOf(ofPath), ...worths) / possible);
}
