import type { LineRange } from "../../protocol/citation.ts";
import type { TermStatistics } from "./score.ts";
import type { TermFinder } from "./term-finder.ts";
import { termWorth } from "./text-scores.ts";

/** A passage begins with a definition or a heading: other lines replace its first ones only if they are worth more by this factor. */
const gainOverHead = 1.2;

/** The `limit` consecutive lines of a range that are worth most to a question; the range itself where it is no longer. */
export function narrowRange(
  { startLine, endLine }: LineRange,
  {
    lines,
    findTerms,
    statistics: { values },
    limit,
  }: { lines: readonly string[]; findTerms: TermFinder; statistics: TermStatistics; limit: number },
): LineRange {
  if (endLine - startLine < limit) return { startLine, endLine };
  const terms = lines.slice(startLine - 1, endLine).map((line) => findTerms(line).flatMap((found) => found.terms));
  const worthFrom = (offset: number) => worthOf(terms.slice(offset, offset + limit).flat(), values);
  let best = { offset: 0, worth: worthFrom(0) * gainOverHead };
  for (let offset = 1; offset + limit <= terms.length; offset++) {
    const worth = worthFrom(offset);
    if (worth > best.worth) best = { offset, worth };
  }
  return { startLine: startLine + best.offset, endLine: startLine + best.offset + limit - 1 };
}

function worthOf(terms: readonly number[], values: TermStatistics["values"]): number {
  const frequencies = new Map<number, number>();
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return [...frequencies].reduce((sum, [term, frequency]) => sum + termWorth(values[term] ?? 0, frequency), 0);
}
