import type { LineRange } from "../../protocol/citation.ts";
import { type Definition, indentOf } from "../../source/definitions.ts";
import type { TermStatistics } from "./score.ts";
import type { TermFinder } from "./term-finder.ts";
import { nameOccurrences, termWorth } from "./text-scores.ts";

/** The share of its value that a passage of `limit` lines loses for its length. Measured (`bench/economy.ts`). */
const lengthCost = 0.35;

/** Fewer lines say little, unless they are a whole definition. */
const leastLines = 5;

/**
 * The part of a range that is worth most to a question, in at most `limit` lines: consecutive blocks, each a whole
 * definition, section or statement. A definition that begins in the range is shown to its end.
 */
export function narrowRange(
  range: LineRange,
  {
    lines,
    definitions,
    findTerms,
    isBoilerplate,
    statistics: { values },
    limit,
  }: {
    lines: readonly string[];
    definitions: readonly Definition[];
    findTerms: TermFinder;
    /** Whether the words of the line with this 1-based number are not counted. */
    isBoilerplate: (line: number) => boolean;
    statistics: TermStatistics;
    limit: number;
  },
): LineRange {
  const blocks = blocksOf(range, { lines, definitions, limit });
  const first = blocks[0]?.startLine ?? range.startLine;
  const last = blocks.at(-1)?.endLine ?? range.endLine;
  const terms = lines
    .slice(first - 1, last)
    .map((line, index) => (isBoilerplate(first + index) ? [] : findTerms(line).flatMap((found) => found.terms)));
  for (const { name, line } of definitions) {
    const own = terms[line - first];
    const named = own === undefined ? [] : findTerms(name).flatMap((found) => found.terms);
    for (let count = 1; count < nameOccurrences; count++) own?.push(...named);
  }
  const termsOf = ({ startLine, endLine }: LineRange) => terms.slice(startLine - first, endLine - first + 1).flat();
  const scored = (range: LineRange, frequencies: ReadonlyMap<number, number>): Candidate => {
    const cost = (lengthCost * (range.endLine - range.startLine)) / limit;
    return { range, value: worthOf(frequencies, values) * (1 - cost) };
  };
  const runs = blocks.flatMap(({ startLine }, index) =>
    continues.test(lines[startLine - 1] ?? "") ? [] : runsFrom(blocks.slice(index), { termsOf, scored, limit }),
  );
  const tall = runs.filter(({ range }) => range.endLine - range.startLine >= Math.min(leastLines, limit) - 1);
  const whole = wholeOnes(blocks, definitions).map((one) => scored(one, countTerms(termsOf(one))));
  const [best = { range: cut(range, limit), value: 0 }, ...others] = [...(tall.length > 0 ? tall : runs), ...whole];
  const chosen = others.reduce((most, other) => (other.value > most.value ? other : most), best);
  return withBody(chosen.range, blocks, { definitions, limit });
}

/** Extends a passage that begins a longer definition by the blocks that follow in it. */
function withBody(
  { startLine, endLine }: LineRange,
  blocks: readonly LineRange[],
  { definitions, limit }: { definitions: readonly Definition[]; limit: number },
): LineRange {
  const long = definitions.find((one) => one.line >= startLine && one.line <= endLine && one.endLine > endLine);
  if (long === undefined) return { startLine, endLine };
  const next = blocks.findLast((block) => block.endLine - startLine < limit && block.endLine <= long.endLine);
  return { startLine, endLine: Math.max(endLine, next?.endLine ?? endLine) };
}

/** The blocks that begin or lie in a range, in order; the first may begin before it, and the last end after it. */
function blocksOf(
  { startLine, endLine }: LineRange,
  { lines, definitions, limit }: { lines: readonly string[]; definitions: readonly Definition[]; limit: number },
): LineRange[] {
  const short = definitions.filter((one) => one.endLine - one.startLine < limit);
  const blocks: LineRange[] = [];
  let line = short.find((one) => one.startLine < startLine && one.endLine >= startLine)?.startLine ?? startLine;
  while (line <= Math.min(endLine, lines.length)) {
    if (isBlank(lines[line - 1])) {
      line++;
      continue;
    }
    const end = short.find((one) => one.startLine === line)?.endLine ?? endOfStatement(line, lines);
    // Of a longer statement the head is a block, and what is in it are blocks of their own.
    const block = {
      startLine: line,
      endLine: end - line < limit ? end : Math.min(headOf(line, lines), line + limit - 1),
    };
    blocks.push(block);
    line = block.endLine + 1;
  }
  return blocks;
}

/** The last line of the statement that begins here, with the comment above it, its body and its other branches. */
function endOfStatement(startLine: number, lines: readonly string[]): number {
  const indent = indentOf(lines[startLine - 1] ?? "");
  let end = headOf(startLine, lines);
  for (let next = end + 1; next <= lines.length; next++) {
    const text = lines[next - 1] ?? "";
    if (isBlank(text)) continue;
    const isInside = indentOf(text) > indent;
    if (!isInside && !(indentOf(text) === indent && continues.test(text))) break;
    end = next;
  }
  return end;
}

/** The first line of a statement after the comment above it. */
function headOf(startLine: number, lines: readonly string[]): number {
  let line = startLine;
  while (line < lines.length && isComment(lines[line - 1]) && !isBlank(lines[line])) line++;
  return line;
}

/** A bracket or a keyword that ends a statement or goes on with it. */
const continues = /^\s*(?:[)}\]]|else\b|elif\b|elsif\b|except\b|catch\b|rescue\b|finally\b|ensure\b|end\b|fi\b|done\b)/;

function isComment(line = ""): boolean {
  return /^\s*(?:\/\/|\/\*|\*|#(?!include|define|if|endif)|--|@\w)/.test(line);
}

function isBlank(line = ""): boolean {
  return line.trim() === "";
}

interface Candidate {
  range: LineRange;
  value: number;
}

/** The blocks that begin with the first one and fit, each run one block longer: terms are counted once. */
function runsFrom(
  blocks: readonly LineRange[],
  {
    termsOf,
    scored,
    limit,
  }: {
    termsOf: (range: LineRange) => readonly number[];
    scored: (range: LineRange, frequencies: ReadonlyMap<number, number>) => Candidate;
    limit: number;
  },
): Candidate[] {
  const startLine = blocks[0]?.startLine ?? 1;
  const frequencies = new Map<number, number>();
  return blocks
    .filter(({ endLine }) => endLine - startLine < limit)
    .map((block) => {
      countTerms(termsOf(block), frequencies);
      return scored({ startLine, endLine: block.endLine }, frequencies);
    });
}

function countTerms(terms: readonly number[], frequencies = new Map<number, number>()): Map<number, number> {
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return frequencies;
}

/** Whole definitions among the blocks and in them, such as the methods of a short class; they may be of a line. */
function wholeOnes(blocks: readonly LineRange[], definitions: readonly Definition[]): LineRange[] {
  return definitions.filter(({ startLine, endLine }) =>
    blocks.some((block) => block.startLine <= startLine && block.endLine >= endLine),
  );
}

function cut({ startLine, endLine }: LineRange, limit: number): LineRange {
  return { startLine, endLine: Math.min(endLine, startLine + limit - 1) };
}

function worthOf(frequencies: ReadonlyMap<number, number>, values: TermStatistics["values"]): number {
  let sum = 0;
  for (const [term, frequency] of frequencies) sum += termWorth(values[term] ?? 0, frequency);
  return sum;
}
