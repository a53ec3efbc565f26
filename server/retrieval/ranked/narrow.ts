import type { LineRange } from "../../protocol/citation.ts";
import type { Definition } from "../../source/definitions.ts";
import type { TermStatistics } from "./score.ts";
import type { TermFinder } from "./term-finder.ts";
import { nameOccurrences, termWorth } from "./text-scores.ts";

/** What a passage of `limit` lines must be worth more by than one of a single line. Measured (`bench/economy.ts`). */
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
  const runs = runsOf(blocks, lines, limit);
  const tall = runs.filter(({ startLine, endLine }) => endLine - startLine >= Math.min(leastLines, limit) - 1);
  const candidates = [...(tall.length > 0 ? tall : runs), ...wholeOnes(blocks, definitions)];
  const [best = cut(range, limit), ...others] = candidates;
  let chosen = { range: best, value: valueOf(best) };
  for (const other of others) {
    const value = valueOf(other);
    if (value > chosen.value) chosen = { range: other, value };
  }
  return withBody(chosen.range, blocks, { definitions, limit });
}

/** Of a longer definition whose first line is the best the next blocks are shown as well. */
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

function indentOf(line: string): number {
  return /^\s*/.exec(line.replaceAll("\t", "    "))?.[0].length ?? 0;
}

function runsOf(blocks: readonly LineRange[], lines: readonly string[], limit: number): LineRange[] {
  return blocks.flatMap(({ startLine }, first) =>
    continues.test(lines[startLine - 1] ?? "")
      ? []
      : blocks
          .slice(first)
          .filter(({ endLine }) => endLine - startLine < limit)
          .map(({ endLine }) => ({ startLine, endLine })),
  );
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

function worthOf(terms: readonly number[], values: TermStatistics["values"]): number {
  const frequencies = new Map<number, number>();
  for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  return [...frequencies].reduce((sum, [term, frequency]) => sum + termWorth(values[term] ?? 0, frequency), 0);
}
