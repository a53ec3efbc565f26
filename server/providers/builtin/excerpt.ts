import { importTest } from "../../lib/grammars.ts";
import { splitIdentifier, stem, wordsIn } from "../../lib/words.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Hit, Stretch } from "./evidence.ts";
import { type Question, type QuestionWord, strongStems, weightOf } from "./question.ts";

/** A definition or section of at most so many lines is shown whole; of anything else, a window. */
const longestWhole = 28;
const windowLines = 18;
/** Of windows that hold the same, the one with it in the middle. */
const offCentre = 0.001;

/** The lines of a hit that say most about the question, and which of its words stand there. */
export function chooseLines(
  { stretch, startLine, endLine }: Hit,
  question: Question,
): LineRange & { found: QuestionWord[] } {
  if (question.words.length === 0) {
    return { startLine, endLine: Math.min(endLine, startLine + longestWhole - 1), found: [] };
  }
  const stems = stemsByLine(stretch);
  const ranges = [...wholesIn(stretch, { startLine, endLine }), ...windowsIn({ startLine, endLine })];
  const valued = ranges.map((range) => ({ range, value: valueOf(range, { stretch, stems, question }) }));
  const best = valued.reduce((one, other) => (other.value > one.value ? other : one)).range;
  const found = question.words.filter((word) => linesWith(word, best, stems).length > 0);
  return { ...trimBlank(best, stretch), found };
}

/** A name that the question writes, or most of whose words are words of the question. */
export function isWanted(name: string, question: Question): boolean {
  if (question.names.includes(name)) return true;
  const strong = strongStems(question);
  const parts = splitIdentifier(name).map(stem);
  const common = parts.filter((part) => strong.has(part)).length;
  return common > 0 && 2 * common > parts.length;
}

type StemsByLine = ReadonlyMap<number, ReadonlySet<string>>;

/** Lines that only import say nothing. */
function stemsByLine({ path, startLine, lines }: Stretch): StemsByLine {
  const isImport = importTest(path);
  return new Map(
    lines.map((line, index) => [
      startLine + index,
      new Set(isImport(line) ? [] : wordsIn(line).flatMap(splitIdentifier).map(stem)),
    ]),
  );
}

function wholesIn({ definitions }: Stretch, hit: LineRange): LineRange[] {
  return definitions.filter(
    ({ startLine, line, endLine }) =>
      line <= hit.endLine && endLine >= hit.startLine && endLine - startLine < longestWhole,
  );
}

function windowsIn({ startLine, endLine }: LineRange): LineRange[] {
  const count = Math.max(1, endLine - startLine + 2 - windowLines);
  return Array.from({ length: count }, (_, index) => ({
    startLine: startLine + index,
    endLine: Math.min(endLine, startLine + index + windowLines - 1),
  }));
}

/**
 * Every word of the question counts, again and again a little more, and a definition that it names most of all; length
 * costs, and so do torn definitions and paragraphs. The numbers are of one size so that none decides alone.
 */
function valueOf(
  range: LineRange,
  { stretch, stems, question }: { stretch: Stretch; stems: StemsByLine; question: Question },
): number {
  let value = -0.03 * heightOf(range, stretch);
  for (const word of question.words) {
    const lines = linesWith(word, range, stems);
    if (lines.length > 0) value += weightOf(word) * (1 + 0.15 * Math.min(lines.length - 1, 4));
    for (const line of lines) value -= offCentre * Math.abs(line - (range.startLine + range.endLine) / 2);
  }
  for (const { name, line, startLine, endLine } of stretch.definitions) {
    const hasHead = startLine >= range.startLine && line <= range.endLine;
    const hasComment = startLine < line && startLine >= range.startLine && startLine <= range.endLine;
    const hasEnd = endLine >= range.startLine && endLine <= range.endLine;
    if (hasHead && isWanted(name, question)) value += 1;
    if (startLine === range.startLine && endLine === range.endLine) value += 0.6;
    if (hasHead && !hasEnd) value -= 0.3;
    if (hasComment && !hasHead) value -= 0.5;
    if (hasEnd && !hasHead && endLine < range.endLine) value -= 0.8;
  }
  if (!isBlank(stretch, range.startLine - 1)) value -= 0.15;
  if (!isBlank(stretch, range.endLine + 1)) value -= 0.15;
  return value;
}

/** In lines of a hundred characters: a paragraph on one line is as long to read as one on ten. */
function heightOf({ startLine, endLine }: LineRange, stretch: Stretch): number {
  const lines = stretch.lines.slice(startLine - stretch.startLine, endLine - stretch.startLine + 1);
  return lines.reduce((height, { length }) => height + Math.max(1, length / 100), 0);
}

/** The lines on which a word stands: its stems, or longer ones that begin with them (`route`, `router`). */
function linesWith({ stems }: QuestionWord, { startLine, endLine }: LineRange, byLine: StemsByLine): number[] {
  const lines: number[] = [];
  for (let line = startLine; line <= endLine; line++) {
    const there = byLine.get(line) ?? new Set<string>();
    const has = (part: string) =>
      there.has(part) || (part.length > 3 && [...there].some((other) => other.startsWith(part)));
    if (stems.every(has)) lines.push(line);
  }
  return lines;
}

function isBlank({ startLine, lines }: Stretch, line: number): boolean {
  return (lines[line - startLine] ?? "").trim() === "";
}

function trimBlank({ startLine, endLine }: LineRange, stretch: Stretch): LineRange {
  let first = startLine;
  let last = endLine;
  while (first < last && isBlank(stretch, first)) first++;
  while (last > first && isBlank(stretch, last)) last--;
  return { startLine: first, endLine: last };
}
