import type { LineRange } from "../../protocol/citation.ts";
import { type Definition, definitionHolding } from "../../source/definitions.ts";
import { blocksOf, separates, seriesOf } from "../../source/blocks.ts";
import type { Hit, Stretch } from "./evidence.ts";
import { type Context, foundIn, type Limits, numbersOf, overlaps, textOf } from "./excerpt-context.ts";
import { rangesIn } from "./excerpt-ranges.ts";
import { piecesOfSeries } from "./excerpt-series.ts";
import { trimmed, withoutEdges, withSurroundings } from "./excerpt-surroundings.ts";
import { type Candidate, valueOf } from "./excerpt-value.ts";
import { linesWith, wordsByLine } from "./line-words.ts";
import { nameFit, ofName, type Question, type QuestionWord, sumOf } from "./question.ts";

/** The shown lines of a hit, with gaps, and the question's words in them. */
export interface Excerpt {
  pieces: LineRange[];
  found: QuestionWord[];
  /**
   * The weighted share of the question words it contains. Half of the share counts only words that are close together.
   */
  coverage: number;
  /** The definition that holds most of these words. */
  holding: Definition | undefined;
}

const usual: Limits = { whole: 28, window: 18 };
/** The limits for a place that uses a name: the call and its surroundings. */
const narrow: Limits = { whole: 6, window: 6 };
/** A list or table of at most this many rows is shown whole. */
const fewRows = 4;

/**
 * Chooses the lines of a hit that match the question best; undefined if none match. Of a passage of ranked search only
 * the edges are removed, unless the question names a part of it: search has chosen its lines. Measured
 * (`bench/newcomer.ts`).
 */
export function chooseLines(hit: Hit, question: Question, { isCall = false } = {}): Excerpt | undefined {
  const { stretch } = hit;
  const limits = isCall ? narrow : usual;
  const blocks = blocksOf(stretch, { limit: limits.window }).filter((block) => overlaps(block, hit));
  if (question.words.length === 0)
    return { pieces: runFrom(blocks, limits), found: [], coverage: 1, holding: undefined };
  const series = seriesOf(stretch).filter(({ rows }) => rows.length > fewRows);
  const context: Context = { stretch, question, limits, series, words: wordsByLine(stretch, question) };
  const ranges = rangesIn(context, hit, blocks);
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
  const best = others.reduce((one, other) => (other.value > one.value ? other : one), first);
  if (hit.tool !== "search" || isCall || question.wants === "message" || isNamed(best, context))
    return excerptOf(best, context);
  const passage = withSurroundings(trimmed(withoutEdges(hit, blocks, context), stretch), stretch);
  return excerptOf({ pieces: passage, found: foundIn(passage, context) }, context);
}

/** Whether a candidate is a definition or section that the question names, or the rows of a list or table. */
function isNamed({ range }: Candidate, { stretch, question, series }: Context): boolean {
  return (
    series.some((one) => overlaps(one, range)) ||
    stretch.definitions.some((one) => one.startLine === range.startLine && nameFit(one.name, question) > ofName)
  );
}

function excerptOf({ pieces, found }: Omit<Candidate, "range">, context: Context): Excerpt {
  const coverage = (sumOf(found) + closest(pieces, context)) / (2 * sumOf(context.question.words));
  const places = found.map((word) => ({
    worth: sumOf([word]),
    lines: pieces.flatMap((piece) => linesWith(word, piece, context.words)),
  }));
  return { pieces, found, coverage, holding: definitionHolding(places, context.stretch.definitions) };
}

/** A heading alone is no excerpt. */
function isHeading(pieces: readonly LineRange[], stretch: Stretch): boolean {
  const lines = pieces.flatMap(({ startLine, endLine }) => numbersOf(startLine, endLine));
  const isEmpty = (line: number) =>
    separates(textOf(stretch, line), stretch) || stretch.definitions.some((one) => one.line === line);
  return stretch.isDocument && lines.every(isEmpty);
}

/** The weight of the words in the densest few lines. */
function closest(pieces: readonly LineRange[], context: Context): number {
  const starts = pieces.flatMap(({ startLine, endLine }) => numbersOf(startLine, endLine));
  const weights = starts.map((startLine) =>
    sumOf(foundIn([{ startLine, endLine: startLine + closeLines - 1 }], context)),
  );
  return Math.max(0, ...weights);
}

const closeLines = 4;

function runFrom(blocks: readonly LineRange[], limits: Limits): LineRange[] {
  const [first] = blocks;
  if (first === undefined) return [];
  const last = blocks.findLast(({ endLine }) => endLine - first.startLine < limits.whole) ?? first;
  return [{ startLine: first.startLine, endLine: last.endLine }];
}
