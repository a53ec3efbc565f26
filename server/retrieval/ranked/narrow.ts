import type { LineRange } from "../../protocol/citation.ts";
import type { Definition } from "../../source/definitions.ts";
import type { TermStatistics } from "./score.ts";
import type { TermFinder } from "./term-finder.ts";
import { nameOccurrences, termWorth } from "./text-scores.ts";

/** What a passage of `limit` lines must be worth more by than one of a single line. Measured (`bench/economy.ts`). */
const lengthCost = 0.35;

/**
 * The part of a range that is worth most to a question, in at most `limit` lines: consecutive blocks, each a whole
 * definition or section, or the lines between two blank ones. A definition that begins in the range is shown to its end.
 */
export function narrowRange(
  range: LineRange,
  {
    lines,
    definitions,
    findTerms,
    statistics: { values },
    limit,
  }: {
    lines: readonly string[];
    definitions: readonly Definition[];
    findTerms: TermFinder;
    statistics: TermStatistics;
    limit: number;
  },
): LineRange {
  const blocks = blocksOf(range, { lines, definitions, limit });
  const first = blocks[0]?.startLine ?? range.startLine;
  const last = blocks.at(-1)?.endLine ?? range.endLine;
  const terms = lines.slice(first - 1, last).map((line) => findTerms(line).flatMap((found) => found.terms));
  for (const { name, line } of definitions) {
    const own = terms[line - first];
    const named = own === undefined ? [] : findTerms(name).flatMap((found) => found.terms);
    for (let count = 1; count < nameOccurrences; count++) own?.push(...named);
  }
  const valueOf = ({ startLine, endLine }: LineRange) => {
    const worth = worthOf(terms.slice(startLine - first, endLine - first + 1).flat(), values);
    return worth * (1 - (lengthCost * (endLine - startLine)) / limit);
  };
  const candidates = [...runsOf(blocks, limit), ...innerBlocks(blocks, definitions)];
  const [best = cut(range, limit), ...others] = candidates;
  let chosen = { range: best, value: valueOf(best) };
  for (const other of others) {
    const value = valueOf(other);
    if (value > chosen.value) chosen = { range: other, value };
  }
  return chosen.range;
}

/** The blocks that begin or lie in a range, in order; the first may begin before it, and the last end after it. */
function blocksOf(
  { startLine, endLine }: LineRange,
  { lines, definitions, limit }: { lines: readonly string[]; definitions: readonly Definition[]; limit: number },
): LineRange[] {
  const short = definitions.filter((one) => one.endLine - one.startLine < limit);
  const starts = new Set(definitions.map((definition) => definition.startLine));
  const isBlank = (line: number) => (lines[line - 1] ?? "").trim() === "";
  const blocks: LineRange[] = [];
  let line = short.find((one) => one.startLine < startLine && one.endLine >= startLine)?.startLine ?? startLine;
  while (line <= Math.min(endLine, lines.length)) {
    if (isBlank(line)) {
      line++;
      continue;
    }
    const whole = short.find((one) => one.startLine === line);
    let end = whole?.endLine ?? line;
    if (whole === undefined)
      while (end - line + 1 < limit && end < lines.length && !isBlank(end + 1) && !starts.has(end + 1)) end++;
    blocks.push({ startLine: line, endLine: end });
    line = end + 1;
  }
  return blocks;
}

function runsOf(blocks: readonly LineRange[], limit: number): LineRange[] {
  return blocks.flatMap(({ startLine }, first) =>
    blocks
      .slice(first)
      .filter(({ endLine }) => endLine - startLine < limit)
      .map(({ endLine }) => ({ startLine, endLine })),
  );
}

/** The methods of a short class, the subsections of a short section. */
function innerBlocks(blocks: readonly LineRange[], definitions: readonly Definition[]): LineRange[] {
  return definitions.filter(({ startLine, endLine }) =>
    blocks.some((block) => block.startLine < startLine && block.endLine >= endLine),
  );
}

function cut({ startLine, endLine }: LineRange, limit: number): LineRange {
  return { startLine, endLine: Math.min(endLine, startLine + limit - 1) };
}

function worthOf(terms: readonly number[], values: TermStatistics["values"]): number {
  const frequencies = new Map<number, number>();
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return [...frequencies].reduce((sum, [term, frequency]) => sum + termWorth(values[term] ?? 0, frequency), 0);
}
