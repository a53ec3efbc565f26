import type { Definition } from "../../lib/definitions.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { blocksOf, separates, type Series, seriesOf } from "./blocks.ts";
import type { Hit, Stretch } from "./evidence.ts";
import { type LineWords, linesWith, wordsByLine } from "./line-words.ts";
import { nameFit, type Question, type QuestionWord, sumOf, weightOf } from "./question.ts";

/** What is shown of a hit: lines with gaps between them, and which words of the question stand there. */
export interface Excerpt {
  pieces: LineRange[];
  found: QuestionWord[];
  /** The share of the question's words that stand there, weighed; half of it for those that stand close together. */
  coverage: number;
}

interface Limits {
  /** A definition or section of at most so many lines is shown whole. */
  whole: number;
  /** Of anything else, paragraphs that come to so many. */
  window: number;
}

const usual: Limits = { whole: 28, window: 18 };
/** Of a place that only uses a name: the call, and what it is in. */
const narrow: Limits = { whole: 6, window: 6 };
/** Of one of all there are, the whole list. */
const wide: Limits = { whole: 40, window: 28 };
/** A list or table of so many rows is shown whole; of a longer one the rows that fit, or the first where all are asked for. */
const fewRows = 4;
const rowsThatFit = 3;
const rowsOfListing = 20;
/** What a line costs; not of what the question names, which is shown as far as there is room. */
const perLine = 0.03;
/** Of windows that hold the same, the one with it in the middle. */
const offCentre = 0.001;

/** The lines of a hit that say most about the question; undefined where none does. */
export function chooseLines(hit: Hit, question: Question, { isCall = false } = {}): Excerpt | undefined {
  const { stretch } = hit;
  const limits = isCall ? narrow : question.wants === "listing" ? wide : usual;
  const blocks = blocksOf(stretch, { limit: limits.window }).filter((block) => overlaps(block, hit));
  if (question.words.length === 0) return { pieces: runFrom(blocks, limits), found: [], coverage: 1 };
  const series = seriesOf(stretch).filter(({ rows }) => rows.length > fewRows);
  const context: Context = { stretch, question, limits, series, stems: wordsByLine(stretch) };
  if (isCall) forgetDefinitions(context);
  const ranges = distinct([
    ...wholesIn(context, hit),
    ...headsIn(context, hit, blocks),
    ...runsOf(blocks, context),
    ...windowsIn(context, hit),
  ]);
  const candidates: Candidate[] = [
    ...ranges
      .filter((range) => !series.some((one) => overlaps(one, range)))
      .map((range) => trimmed(range, stretch))
      .map((range) => ({ range, pieces: withSurroundings(range, stretch) }))
      .map((one) => ({ ...one, found: foundIn(one.pieces, context) })),
    ...series.filter((one) => overlaps(one, hit)).flatMap((one) => piecesOfSeries(one, context)),
  ];
  const [first, ...others] = candidates
    .filter(({ found, pieces }) => found.length > 0 && !isHeading(pieces, stretch))
    .map((candidate) => ({ ...candidate, value: valueOf(candidate, context) }));
  if (first === undefined) return undefined;
  const { pieces, found } = others.reduce((one, other) => (other.value > one.value ? other : one), first);
  const all = sumOf(question.words);
  return { pieces, found, coverage: (sumOf(found) + closest(pieces, context)) / (2 * all) };
}

/** A heading alone says nothing. */
function isHeading(pieces: readonly LineRange[], stretch: Stretch): boolean {
  const lines = pieces.flatMap(({ startLine, endLine }) => numbersOf(startLine, endLine));
  const isEmpty = (line: number) =>
    separates(textOf(stretch, line), stretch) || stretch.definitions.some((one) => one.line === line);
  return stretch.isDocument && lines.every(isEmpty);
}

function numbersOf(startLine: number, endLine: number): number[] {
  return Array.from({ length: endLine - startLine + 1 }, (_, index) => startLine + index);
}

interface Candidate extends Omit<Excerpt, "coverage"> {
  /** What it is chosen for, without the lines that tell where that is. */
  range: LineRange;
}

interface Context {
  stretch: Stretch;
  question: Question;
  limits: Limits;
  series: readonly Series[];
  stems: LineWords;
}

/** Where uses of a name are looked for, what defines it is none. */
function forgetDefinitions({ stretch, question, stems }: Context): void {
  const names = [...question.names, ...question.words.map(({ word }) => word)];
  for (const { name, line, endLine } of stretch.definitions) {
    if (!names.includes(name)) continue;
    const last = endLine - line < usual.whole ? endLine : line;
    for (const number of numbersOf(line, last)) stems.set(number, new Set());
  }
}

function wholesIn({ stretch, limits }: Context, hit: LineRange): LineRange[] {
  return stretch.definitions
    .filter(({ line, startLine, endLine }) => {
      return line <= hit.endLine && endLine >= hit.startLine && endLine - startLine < limits.whole;
    })
    .map(({ startLine, endLine }) => ({ startLine, endLine }));
}

/** How a long definition or section that the question names begins. */
function headsIn({ stretch, question, limits }: Context, hit: LineRange, blocks: readonly LineRange[]): LineRange[] {
  const long = stretch.definitions.filter(({ line, startLine, endLine, name }) => {
    const isLong = endLine - startLine >= limits.whole;
    return isLong && overlaps({ startLine, endLine: line }, hit) && nameFit(name, question) > 0;
  });
  return long.map(({ line, startLine, endLine }) => {
    const from = line - startLine < limits.window ? startLine : line;
    const last = blocks.findLast((block) => block.endLine > line && block.endLine - from < limits.whole);
    return { startLine: from, endLine: Math.min(endLine, last?.endLine ?? from + limits.window - 1) };
  });
}

/** Blocks one after the other, as long as they come to no more than a window. */
function runsOf(blocks: readonly LineRange[], { stretch, limits }: Context): LineRange[] {
  return blocks.flatMap((block, first) => {
    const runs: LineRange[] = [{ ...block }];
    for (const { endLine } of blocks.slice(first + 1)) {
      const run = { startLine: block.startLine, endLine };
      if (heightOf([run], stretch) > limits.window) break;
      runs.push(run);
    }
    return runs;
  });
}

/** Around each line that has a word of the question: code may go on without a blank line for longer than is shown. */
function windowsIn(context: Context, hit: LineRange): LineRange[] {
  const { stretch, limits } = context;
  if (stretch.isDocument) return [];
  const lines = context.question.words.flatMap((word) => linesWith(word, hit, context.stems));
  return lines.map((line) => ({
    startLine: Math.max(stretch.startLine, line - limits.window / 2 + 1),
    endLine: Math.min(stretch.endLine, line + limits.window / 2),
  }));
}

function runFrom(blocks: readonly LineRange[], limits: Limits): LineRange[] {
  const [first] = blocks;
  if (first === undefined) return [];
  const last = blocks.findLast(({ endLine }) => endLine - first.startLine < limits.whole) ?? first;
  return [{ startLine: first.startLine, endLine: last.endLine }];
}

/** Without what only leads to what follows: a heading, a line that ends in a colon or opens a block, a comment. */
function trimmed({ startLine, endLine }: LineRange, stretch: Stretch): LineRange {
  const leadsOn = (line: number) => {
    const text = textOf(stretch, line).trim();
    if (text === "") return true;
    if (!stretch.isDocument) return opensBlock(line, text) || (isCommentLine(text) && isComplete(line));
    return separates(textOf(stretch, line - 1), stretch) && /^(?:#+\s.*|\*\*[^*]+\*\*|.*:)$/.test(text);
  };
  const isComplete = (line: number) =>
    stretch.definitions.some((one) => one.startLine > startLine && one.startLine <= line && one.line > endLine);
  const opensBlock = (line: number, text: string) => {
    return /[{([]$/.test(text) && !stretch.definitions.some((one) => one.line === line && one.startLine === startLine);
  };
  let last = endLine;
  while (last > startLine && leadsOn(last)) last--;
  return { startLine, endLine: last };
}

function isCommentLine(text: string): boolean {
  return /^(?:\/\/|\/\*|\*|#|--|@)/.test(text);
}

/** With the heading above it, the head of the function it is in, or the definition that the comment is on. */
function withSurroundings({ startLine, endLine }: LineRange, stretch: Stretch): LineRange[] {
  const around = stretch.definitions.findLast(
    (one) => one.startLine <= startLine && one.endLine >= endLine && !(one.startLine === startLine),
  );
  const own = stretch.definitions.find((one) => one.startLine <= startLine && one.line > endLine);
  const isBeginning = stretch.definitions.some((one) => one.line === startLine || one.startLine === startLine);
  const pieces: LineRange[] = [{ startLine, endLine }];
  if (own !== undefined) pieces.push(signatureOf(own, stretch));
  else if (around !== undefined && !isBeginning && around.line < startLine)
    pieces.unshift(signatureOf(around, stretch));
  return joined(pieces, stretch);
}

/** The line that names a definition, and those on which its signature goes on. */
function signatureOf({ line, endLine }: Definition, stretch: Stretch): LineRange {
  if (stretch.isDocument) return { startLine: line, endLine: line };
  const limit = Math.min(endLine, line + 6);
  let last = line;
  while (last < limit && !/(?:[{:;]|=>)\s*$/.test(textOf(stretch, last))) last++;
  return { startLine: line, endLine: last < limit ? last : line };
}

/** The heading, the head of the table, and the rows that fit best; or the first rows where all are asked for. */
function piecesOfSeries(series: Series, context: Context): Candidate[] {
  const { stretch, question, limits } = context;
  const { rows, head } = series;
  const heading = stretch.definitions.findLast(
    ({ line, endLine }) => line < series.startLine && endLine >= series.endLine,
  );
  const before = [
    ...(heading === undefined ? [] : [signatureOf(heading, stretch)]),
    ...(head === undefined ? [] : [head]),
  ];
  const named = foundIn(before, context);
  if (question.wants === "listing" && named.some(({ isStrong }) => isStrong)) {
    const range = { startLine: series.startLine, endLine: rows[rowsOfListing - 1]?.endLine ?? series.endLine };
    const intro =
      heading === undefined || series.startLine - heading.line > introLines
        ? before
        : [{ startLine: heading.line, endLine: series.startLine }];
    const pieces = joined([...intro, range], stretch);
    return [{ range: { ...range, startLine: pieces[0]?.startLine ?? range.startLine }, pieces, found: named }];
  }
  const telling = rows.filter(({ startLine }) => !linkOnly.test(textOf(stretch, startLine)));
  const weights = telling.map((row) => sumOf(foundIn([row], context)));
  const most = Math.max(0, ...weights);
  // What the heading names is the list as a whole.
  const isNamed = named.some(({ isStrong }) => isStrong) && sumOf(named) >= most;
  const best = isNamed
    ? telling.filter((_, index) => heightOf(telling.slice(0, index + 1), stretch) <= limits.window)
    : telling.filter((_, index) => weights[index] === most);
  const [first] = best;
  if (first === undefined || (!isNamed && (most === 0 || best.length > rowsThatFit))) return [];
  const found = foundIn([...before, first], context);
  return [{ range: first, pieces: joined([...before, ...best], stretch), found }];
}

/** An item of a table of contents. */
const linkOnly = /^\s*[-*+]\s+\[[^\]]*\]\(#[^)]*\)\s*$/;
/** So much text between a heading and its list is the list's. */
const introLines = 12;

/** Without gaps that hide nothing. */
function joined(pieces: readonly LineRange[], stretch: Stretch): LineRange[] {
  const all: LineRange[] = [];
  for (const piece of pieces.toSorted((a, b) => a.startLine - b.startLine)) {
    const last = all.at(-1);
    let next = last === undefined ? piece.startLine : last.endLine + 1;
    while (next < piece.startLine && textOf(stretch, next).trim() === "") next++;
    if (last !== undefined && next >= piece.startLine) last.endLine = Math.max(last.endLine, piece.endLine);
    else all.push({ ...piece });
  }
  return all;
}

/**
 * Every word of the question counts, again and again a little more, and a definition that it names most of all; length
 * costs, and so do torn definitions and paragraphs. The numbers are of one size so that none decides alone.
 */
function valueOf({ range, pieces, found }: Candidate, context: Context): number {
  const { stretch, question } = context;
  const isShown = (line: number) => pieces.some(({ startLine, endLine }) => line >= startLine && line <= endLine);
  let value = -perLine * heightOf(pieces, stretch);
  for (const word of found) {
    const lines = pieces.flatMap((piece) => linesWith(word, piece, context.stems));
    value += weightOf(word) * (1 + 0.15 * Math.min(lines.length - 1, 4));
    for (const line of lines) value -= offCentre * Math.abs(line - (range.startLine + range.endLine) / 2);
  }
  let isOutside = range.startLine - 1;
  for (const { name, line, startLine, endLine } of stretch.definitions) {
    const hasHead = startLine >= range.startLine && line <= range.endLine;
    const hasComment = startLine < line && startLine >= range.startLine && startLine <= range.endLine;
    const hasEnd = endLine >= range.startLine && endLine <= range.endLine;
    const fit = isShown(line) ? nameFit(name, question) : 0;
    value += fit;
    if (startLine === range.startLine && endLine === range.endLine) value += 0.6;
    if (startLine === range.startLine && fit > 0) value += perLine * fit * heightOf(pieces, stretch);
    else if (hasHead && !hasEnd) value -= 0.3;
    if (hasComment && !hasHead && !isShown(line)) value -= 0.5;
    if (hasEnd && !hasHead && endLine < range.endLine) value -= 0.8;
    // One beside the other, and not asked for.
    if (hasHead && fit === 0 && startLine > isOutside && isOutside >= range.startLine) value -= 0.3;
    if (hasHead) isOutside = Math.max(isOutside, endLine);
  }
  if (!isBorder(range.startLine - 1, stretch)) value -= 0.25;
  if (!isBorder(range.endLine + 1, stretch)) value -= 0.25;
  if (question.wants === "listing") value += 0.08 * Math.min(15, entriesIn(range, stretch));
  return value;
}

/** Lines between which something ends and begins. */
function isBorder(line: number, stretch: Stretch): boolean {
  const { startLine, endLine, definitions } = stretch;
  if (line < startLine || line > endLine || separates(textOf(stretch, line), stretch)) return true;
  return definitions.some(
    (one) => one.startLine === line || one.startLine === line + 1 || one.endLine === line || one.endLine === line - 1,
  );
}

/** Items of a list, rows of a table, members of an enumeration. */
function entriesIn({ startLine, endLine }: LineRange, stretch: Stretch): number {
  const lines = stretch.lines.slice(startLine - stretch.startLine, endLine - stretch.startLine + 1);
  return lines.filter((line) => (stretch.isDocument ? /^\s*(?:[-*+|]|\d+[.)])\s/ : /^\s*\S[^()]*,$/).test(line)).length;
}

/** In lines of a hundred characters: a paragraph on one line is as long to read as one on ten. */
export function heightOf(
  pieces: readonly LineRange[],
  { startLine: first, lines }: Pick<Stretch, "startLine" | "lines">,
): number {
  const shown = pieces.flatMap(({ startLine, endLine }) => lines.slice(startLine - first, endLine - first + 1));
  return shown.reduce((height, { length }) => height + Math.max(1, length / 100), 0);
}

/** The weight of the words in the few lines that have most of them, and in the head above those. */
function closest(pieces: readonly LineRange[], context: Context): number {
  const head = pieces.length > 1 ? pieces.slice(0, 1) : [];
  const starts = pieces.flatMap(({ startLine, endLine }) => numbersOf(startLine, endLine));
  const weights = starts.map((startLine) =>
    sumOf(foundIn([...head, { startLine, endLine: startLine + closeLines - 1 }], context)),
  );
  return Math.max(0, ...weights);
}

const closeLines = 4;

function foundIn(pieces: readonly LineRange[], context: Context): QuestionWord[] {
  return context.question.words.filter((word) =>
    pieces.some((piece) => linesWith(word, piece, context.stems).length > 0),
  );
}

function textOf({ startLine, lines }: Stretch, line: number): string {
  return lines[line - startLine] ?? "";
}

function overlaps(a: LineRange, b: LineRange): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine;
}

function distinct(ranges: readonly LineRange[]): LineRange[] {
  return [...new Map(ranges.map((range) => [`${range.startLine}-${range.endLine}`, range])).values()];
}
