import type { Definition } from "../../source/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { CloseReading } from "./close-reading.ts";
import { nameWorth, type ScoredFile, type TermStatistics } from "./score.ts";
import type { TermFinder } from "./term-finder.ts";
import { nameOccurrences, termWorth } from "./text-scores.ts";

/** The maximum number of lines of a passage. */
export const windowLines = 60;

export interface ScoredWindow extends LineRange {
  score: number;
}

/**
 * The share of the chunk's score in the index: it favours a short text about the question over a long one with its
 * words.
 */
const chunkShare = 0.5;
/** So much of a chunk or definition must be in a window for it to count there. */
const chunkLead = 30;
const definitionLead = 10;
/** A comment that is longer is cut, so that the window reaches what it is about. */
const commentLead = 8;

/**
 * The stretches of a file that hold most of a question, best first. Scored line by line: chunks are cut before anybody
 * asks, and what answers often lies in the next one. Windows begin where a reader would: at a definition or after a
 * blank line.
 */
export function rankWindows(
  { chunks, symbols }: Pick<ScoredFile, "chunks" | "symbols">,
  {
    reading,
    lines,
    definitions,
    findTerms,
    isBoilerplate,
    statistics,
  }: {
    reading: CloseReading;
    lines: readonly string[];
    definitions: readonly Definition[];
    findTerms: TermFinder;
    /** Whether the words of the line with this 1-based number are not counted. */
    isBoilerplate: (line: number) => boolean;
    statistics: TermStatistics;
  },
): ScoredWindow[] {
  const terms = termsByLine(reading, { definitions, findTerms, isBoilerplate });
  const textWorth = createRunningWorth(terms, statistics);
  const blank = lines.map((line) => line.trim() === "");
  const windows = startsIn(blank, { chunks, definitions }).flatMap((startLine): ScoredWindow[] => {
    const window = { startLine, endLine: endWithText(blank, startLine + windowLines - 1) };
    const text = textWorth(window);
    if (text === 0) return [];
    const chunk = most(chunks, (own) => (holds(window, own, chunkLead) ? own.score : 0));
    const strength = most(symbols, (own) => (holds(window, own, definitionLead) ? own.strength : 0));
    return [{ ...window, score: text + chunkShare * chunk + nameWorth(strength, statistics) }];
  });
  const isDefinition = new Set(definitions.map(({ startLine }) => startLine));
  const beginsWell = ({ startLine }: ScoredWindow) => (isDefinition.has(startLine) ? 1 : 0);
  // Of those that hold the same, the one that begins with it: with the heading above, the function around.
  return windows.sort((a, b) => b.score - a.score || beginsWell(b) - beginsWell(a) || b.startLine - a.startLine);
}

/**
 * What the text of ranges of lines is worth, whose first and last lines come in their order: each line is counted once.
 */
function createRunningWorth(
  terms: ReadonlyMap<number, readonly number[]>,
  { values }: TermStatistics,
): (range: LineRange) => number {
  const frequencies = new Float64Array(values.length);
  // There are as many windows as beginnings: most hold few of the terms, and many what the one before holds.
  let worth: number | undefined = 0;
  const count = (line: number, by: 1 | -1) => {
    for (const term of terms.get(line) ?? []) {
      frequencies[term] = (frequencies[term] ?? 0) + by;
      worth = undefined;
    }
  };
  const worthOfTerms = () => {
    let sum = 0;
    for (let term = 0; term < values.length; term++) {
      const frequency = frequencies[term] ?? 0;
      if (frequency > 0) sum += termWorth(values[term] ?? 0, frequency);
    }
    return sum;
  };
  let first = 1;
  let last = 0;
  return ({ startLine, endLine }) => {
    while (last < endLine) count(++last, 1);
    while (first < startLine) count(first++, -1);
    return (worth ??= worthOfTerms());
  };
}

/** The terms of each line; a name counts more where it is defined. */
function termsByLine(
  { text, words }: CloseReading,
  {
    definitions,
    findTerms,
    isBoilerplate,
  }: { definitions: readonly Definition[]; findTerms: TermFinder; isBoilerplate: (line: number) => boolean },
): ReadonlyMap<number, number[]> {
  const byLine = new Map<number, number[]>();
  let line = 1;
  let lineEnd = endOfLine(text, 0);
  for (const { start, terms } of words()) {
    for (; lineEnd < start; line++) lineEnd = endOfLine(text, lineEnd + 1);
    if (isBoilerplate(line)) continue;
    const own = byLine.get(line);
    if (own === undefined) byLine.set(line, [...terms]);
    else own.push(...terms);
  }
  for (const { name, line } of definitions) {
    const terms = findTerms(name).flatMap((found) => found.terms);
    for (let count = 1; count < nameOccurrences; count++) byLine.get(line)?.push(...terms);
  }
  return byLine;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end === -1 ? text.length : end;
}

/** No window begins with a blank line. @param blank whether each line is blank */
function startsIn(
  blank: readonly boolean[],
  { chunks, definitions }: { chunks: ScoredFile["chunks"]; definitions: readonly Definition[] },
): number[] {
  const starts = new Set([1, ...chunks.map(({ startLine }) => startLine)]);
  for (const { startLine, line } of definitions) {
    starts.add(startLine);
    starts.add(Math.max(startLine, line - commentLead));
  }
  for (let line = 2; line <= blank.length; line++) if (blank[line - 2] && !blank[line - 1]) starts.add(line);
  const withText = [...starts].map((start) => {
    let line = start;
    while (blank[line - 1]) line++;
    return line;
  });
  return [...new Set(withText)].sort((a, b) => a - b);
}

function endWithText(blank: readonly boolean[], last: number): number {
  let endLine = Math.min(blank.length, last);
  while (endLine > 1 && blank[endLine - 1]) endLine--;
  return endLine;
}

function holds(
  window: LineRange,
  { startLine, endLine = Infinity }: { startLine: number; endLine: number | undefined },
  lead: number,
): boolean {
  return startLine >= window.startLine && Math.min(endLine, startLine + lead) <= window.endLine;
}

function most<Item>(items: readonly Item[], worthOf: (item: Item) => number): number {
  return items.reduce((best, item) => Math.max(best, worthOf(item)), 0);
}
