import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { createRetrieval } from "../server/retrieval/retrieval.ts";
import { askBuiltin } from "./ask-builtin.ts";
import { compareShares, readBaseline, writeBaseline } from "./baseline.ts";
import { chooseQuestions, openBenchmark, type Question } from "./retrieval-data.ts";

/** How well the built-in provider's extracts meet the lines that answer, against a committed baseline. */
const { values } = parseArgs({ options: { repos: { type: "string" }, update: { type: "boolean" } } });
const baselineFile = path.resolve("bench/extracts-baseline.json");
const perRepo = 5;

/** Shares between 0 and 1, `lines` apart: the mean number that an answer quotes. */
const Scores = z.object({
  n: z.number(),
  /** Questions with a gold line in the answer. */
  found: z.number(),
  /** Questions with a gold line in the first extract. */
  first: z.number(),
  /** Gold lines in the answer, the mean over the questions. */
  recall: z.number(),
  lines: z.number(),
});
type Scores = z.infer<typeof Scores>;
const Baseline = z.record(z.string(), Scores);

interface Quoted {
  /** Number of the extract in the answer, from 1. */
  extract: number;
  path: string;
  line: number;
}

await run();

async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-extracts-"));
  try {
    const { questions: all, snapshots } = await openBenchmark({ copies: values.repos, folder });
    const questions = chooseQuestions(all, { perRepo });
    const retrieval = createRetrieval();
    const answered: { question: Question; quoted: Quoted[] }[] = [];
    for (const question of questions) {
      const snapshot = snapshots.get(question.repo);
      if (snapshot === undefined) throw new Error(`no tree of ${question.repo}`);
      const answer = await askBuiltin(question.query, { snapshot, retrieval });
      answered.push({ question, quoted: quotedIn(answer) });
    }
    const kinds = [...new Set(questions.map(({ kind }) => kind))];
    const scores = Object.fromEntries([
      ["all", score(answered)],
      ...kinds.map((kind) => [kind, score(answered.filter(({ question }) => question.kind === kind))] as const),
    ]);
    for (const [name, own] of Object.entries(scores)) print(name, own);
    compare(scores);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** "Also there," goes on with the extract before it. */
function quotedIn(answer: string): Quoted[] {
  let extract = 0;
  return answer.split("\n").flatMap((heading) => {
    const number = /^\*\*(\d+)\.\*\*/.exec(heading)?.[1];
    if (number !== undefined) extract = Number(number);
    else if (!heading.startsWith("Also there,")) return [];
    const markers = [...heading.matchAll(/\[\[[^:\]]+:([^#\]]+)#L(\d+)(?:-L(\d+))?\]\]/g)];
    return markers.flatMap(([, file = "", first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => ({
        extract,
        path: decodeURIComponent(file),
        line: Number(first) + index,
      })),
    );
  });
}

function score(answered: readonly { question: Question; quoted: readonly Quoted[] }[]): Scores {
  const rows = answered.map(({ question, quoted }) => {
    const gold = new Set(
      question.relevant.flatMap(({ path, ranges = [] }) =>
        ranges.flatMap(([first, last]) =>
          Array.from({ length: last - first + 1 }, (_, index) => `${path}:${first + index}`),
        ),
      ),
    );
    const hits = quoted.filter(({ path, line }) => gold.has(`${path}:${line}`));
    return {
      found: hits.length > 0 ? 1 : 0,
      first: hits.some(({ extract }) => extract === 1) ? 1 : 0,
      recall: new Set(hits.map(({ path, line }) => `${path}:${line}`)).size / Math.max(1, gold.size),
      lines: quoted.length,
    };
  });
  const mean = (key: "found" | "first" | "recall" | "lines") =>
    rows.reduce((sum, row) => sum + row[key], 0) / Math.max(1, rows.length);
  return { n: rows.length, found: mean("found"), first: mean("first"), recall: mean("recall"), lines: mean("lines") };
}

function print(name: string, { n, found, first, recall, lines }: Scores): void {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  console.log(
    `extracts: ${name.padEnd(9)} ${n} questions, answered in the first extract ${percent(first)}, in any ${percent(found)}, gold lines shown ${percent(recall)}, ${lines.toFixed(0)} lines`,
  );
}

function compare(scores: Record<string, Scores>): void {
  if (values.update === true) {
    writeBaseline(baselineFile, scores);
    return console.log("extracts: bench/extracts-baseline.json is what was measured now");
  }
  const before = Baseline.parse(readBaseline(baselineFile))["all"];
  const now = scores["all"];
  if (before === undefined || now === undefined) throw new Error(`${baselineFile} has no row "all"`);
  const shares = ["first", "found", "recall"] as const;
  compareShares(
    "extracts",
    shares.map((name) => ({ name, before: before[name], now: now[name] })),
  );
}
