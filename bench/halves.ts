import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { compareShares, readBaseline, writeBaseline } from "./baseline.ts";

/** Rules are made on the tuning half of the data; of the other only the totals are read. */
export const Half = z.enum(["tuning", "deciding"]);
export type Half = z.infer<typeof Half>;

/** Reads data files: each has a repository in its first line, and then its questions. */
export function readQuestions<Repository, Question>(
  folder: string,
  { Repository, Question }: { Repository: z.ZodType<Repository>; Question: z.ZodType<Question> },
): { repository: Repository; questions: Question[] }[] {
  return readdirSync(folder).map((name) => {
    const [repository, ...questions] = readFileSync(path.join(folder, name), "utf8")
      .trimEnd()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    return { repository: Repository.parse(repository), questions: z.array(Question).parse(questions) };
  });
}

/** The scores of one kind of question, or of `all`, by its name. */
type Rows<Scores> = Record<string, Scores>;

/** The scores of each half, printed with `describe`. */
export function scoreHalves<Outcome extends { half: Half; kind: string }, Scores>(
  bench: string,
  outcomes: readonly Outcome[],
  { score, describe }: { score: (own: readonly Outcome[]) => Scores; describe: (scores: Scores) => string },
): Record<Half, Rows<Scores>> {
  const scoreHalf = (half: Half): Rows<Scores> => {
    const own = outcomes.filter((outcome) => outcome.half === half);
    const kinds = [...new Set(own.map(({ kind }) => kind))];
    const rows = Object.fromEntries([
      ["all", score(own)],
      ...kinds.map((kind) => [kind, score(own.filter((outcome) => outcome.kind === kind))] as const),
    ]);
    for (const [name, scores] of Object.entries(rows))
      console.log(`${bench}: ${half} ${name.padEnd(9)} ${describe(scores)}`);
    return rows;
  };
  return { tuning: scoreHalf("tuning"), deciding: scoreHalf("deciding") };
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/**
 * Compares shares of all questions with `bench/NAME-baseline.json`, or writes it anew.
 * @throws Error (the baseline has no such rows)
 */
export function compareHalves<Scores extends Record<string, number>>(
  bench: string,
  scores: Record<Half, Rows<Scores>>,
  { isUpdate, shares }: { isUpdate: boolean; shares: readonly (keyof Scores & string)[] },
): void {
  const file = path.resolve(`bench/${bench}-baseline.json`);
  if (isUpdate) {
    writeBaseline(file, scores);
    return console.log(`${bench}: bench/${bench}-baseline.json is what was measured now`);
  }
  const baseline = Baseline.parse(readBaseline(file));
  compareShares(
    bench,
    Half.options.flatMap((half) =>
      shares.map((name) => {
        const [before, now] = [baseline[half]["all"]?.[name], scores[half]["all"]?.[name]];
        if (before === undefined || now === undefined) throw new Error(`${file} has no ${name} of "all" of ${half}`);
        return { name: `${half} ${name}`, before, now };
      }),
    ),
  );
}

const Rows = z.record(z.string(), z.record(z.string(), z.number()));
const Baseline = z.strictObject({ tuning: Rows, deciding: Rows });
