import * as z from "zod";
import { quantile } from "./median.ts";
import type { Question } from "./retrieval-data.ts";

const Row = z.object({ n: z.number(), mrr: z.number(), s10: z.number(), L5: z.number().nullable() });
type Row = z.infer<typeof Row>;
/** Shares between 0 and 1, by kind of question and over all. */
export const Scores = z.object({ all: Row, kinds: z.record(z.string(), Row) });
export type Scores = z.infer<typeof Scores>;

/** What a search found, best first; lines are 1-based. */
export interface Result {
  id: string;
  ms: number;
  results: { path: string; startLine: number; endLine: number }[];
}

/** More lines of a result do not count, so showing whole files is no advantage. */
const linesCounted = 60;

/**
 * Scores one result for each question, and prints the table.
 *
 * Files are ranked without repetition: `mrr` is the mean of 1/rank of the first file that answers (0 below ten), `s10`
 * the share of questions with one among the first ten. `L5` is the share with a line that answers among the first five
 * results, of the questions with lines. In `all`, `localise` with `changelog` weighs as much as each other kind.
 */
export function scoreResults(questions: readonly Question[], found: readonly Result[]): Scores {
  const byId = new Map(found.map((result) => [result.id, result.results]));
  const rows = questions.map((question) => ({
    kind: question.kind,
    ...scoreOne(question, byId.get(question.id) ?? []),
  }));
  const of = (...kinds: string[]) => average(rows.filter(({ kind }) => kinds.includes(kind)));
  const kinds = Object.fromEntries([...new Set(rows.map(({ kind }) => kind))].sort().map((kind) => [kind, of(kind)]));
  const families = [of("localise", "changelog"), of("docs"), of("docfn"), of("symbol")];
  const all = { ...average(families), n: rows.length };
  for (const [kind, row] of [...Object.entries(kinds), ["all", all] as const]) print(kind, row);
  const times = found.map(({ ms }) => ms);
  console.log(`retrieval: ms p50 ${quantile(times, 0.5).toFixed(1)}, p95 ${quantile(times, 0.95).toFixed(1)}`);
  return { all, kinds };
}

function scoreOne({ relevant }: Question, results: Result["results"]): Omit<Row, "n"> {
  const paths = [...new Set(results.map(({ path }) => path))];
  const rank = 1 + paths.slice(0, 10).findIndex((path) => relevant.some((one) => one.path === path));
  const ranges = relevant.flatMap(({ path, ranges = [] }) => ranges.map(([first, last]) => ({ path, first, last })));
  const hasLines = results.slice(0, 5).some(({ path, startLine, endLine }) => {
    const end = Math.min(endLine, startLine + linesCounted - 1);
    return ranges.some((range) => range.path === path && startLine <= range.last && end >= range.first);
  });
  return {
    mrr: rank === 0 ? 0 : 1 / rank,
    s10: rank === 0 ? 0 : 1,
    L5: ranges.length === 0 ? null : Number(hasLines),
  };
}

function average(rows: readonly Omit<Row, "n">[]): Row {
  const withLines = rows.map(({ L5 }) => L5).filter((value) => value !== null);
  return {
    n: rows.length,
    mrr: mean(rows.map(({ mrr }) => mrr)),
    s10: mean(rows.map(({ s10 }) => s10)),
    L5: withLines.length === 0 ? null : mean(withLines),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function print(kind: string, { n, mrr, s10, L5 }: Row): void {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  console.log(
    `retrieval: ${kind.padEnd(9)} ${n} questions, MRR@10 ${percent(mrr)}, success@10 ${percent(s10)}, right lines in five ${L5 === null ? "–" : percent(L5)}`,
  );
}
