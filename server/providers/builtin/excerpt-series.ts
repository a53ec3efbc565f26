import type { Series } from "../../source/blocks.ts";
import { type Context, foundIn, heightOf, textOf } from "./excerpt-context.ts";
import { joined, signatureOf } from "./excerpt-surroundings.ts";
import type { Candidate } from "./excerpt-value.ts";
import { sumOf } from "./question.ts";

/** A longer list or table is reduced to the rows that fit, or to the first ones if the question asks for all. */
const rowsThatFit = 3;
const rowsOfListing = 20;

/** The heading, the table's head and the best rows, or the first rows if the question asks for all. */
export function piecesOfSeries(series: Series, context: Context): Candidate[] {
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
    const pieces = joined([...before, range], stretch);
    return [{ range: { ...range, startLine: pieces[0]?.startLine ?? range.startLine }, pieces, found: named }];
  }
  const informative = rows.filter(({ startLine }) => !linkOnly.test(textOf(stretch, startLine)));
  const weights = informative.map((row) => sumOf(foundIn([row], context)));
  const most = Math.max(0, ...weights);
  // Words of the heading describe the whole list, not one row.
  const isNamed = named.some(({ isStrong }) => isStrong) && sumOf(named) >= most;
  const best = isNamed
    ? informative.filter((_, index) => heightOf(informative.slice(0, index + 1), stretch) <= limits.window)
    : informative.filter((_, index) => weights[index] === most);
  const [first] = best;
  if (first === undefined || (!isNamed && (most === 0 || best.length > rowsThatFit))) return [];
  const found = foundIn([...before, first], context);
  return [{ range: first, pieces: joined([...before, ...best], stretch), found }];
}

/** An item of a table of contents. */
const linkOnly = /^\s*[-*+]\s+\[[^\]]*\]\(#[^)]*\)\s*$/;
