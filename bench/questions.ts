import { readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

const Question = z.object({
  repo: z.string(),
  kind: z.string(),
  query: z.string(),
  relevant: z.array(z.object({ path: z.string(), ranges: z.array(z.tuple([z.number(), z.number()])).optional() })),
});
/** A question of the retrieval benchmark with the lines that answer it, 1-based. */
export type Question = z.infer<typeof Question>;

const kinds = ["docfn", "symbol", "localise"];

/** `perRepo` questions of each kind with gold lines for each repository, always the same ones. */
export function readQuestions(data: string, { perRepo }: { perRepo: number }): Question[] {
  const all = readFileSync(path.join(data, "dev.ndjson"), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Question.parse(JSON.parse(line)))
    .filter(({ relevant }) => relevant.every(({ ranges = [] }) => ranges.length > 0));
  const repos = [...new Set(all.map(({ repo }) => repo))];
  return repos.flatMap((repo) =>
    kinds.flatMap((kind) => {
      const own = all.filter((question) => question.repo === repo && question.kind === kind);
      return Array.from(
        { length: perRepo },
        (_, index) => own[Math.floor(((index + 0.5) * own.length) / perRepo)],
      ).filter((question) => question !== undefined);
    }),
  );
}
