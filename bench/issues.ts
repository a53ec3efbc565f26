import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import type { FileKind } from "../server/protocol/search.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";
import { createRetrieval, type Retrieval } from "../server/retrieval/retrieval.ts";
import { compareShares, readBaseline, writeBaseline } from "./baseline.ts";
import { openRepository } from "./repositories.ts";

/**
 * Issues as people wrote them, pasted into a ranked search of the code that they were written about: whether all source
 * files that the fix changed are among the first. Half of the repositories are for tuning; of the others only the
 * totals are read. `bench/collect-issues.mjs` makes the list and the texts.
 */
const { values } = parseArgs({
  options: {
    repos: { type: "string" },
    texts: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    half: { type: "string" },
    verbose: { type: "boolean" },
    update: { type: "boolean" },
  },
});
const listFile = path.resolve("bench/issues.ndjson");
const baselineFile = path.resolve("bench/issues-baseline.json");
const fileLimits = { f1: 1, f3: 3, f5: 5 } as const;
/** A page of passages, of which a file has three at most, has more than five files. */
const passageLimit = 20;
/** Indexing the largest tree takes a few seconds; longer means that the process hangs. */
const patienceMs = 600_000;
const scopes: readonly { scope: string; kinds: readonly FileKind[] | undefined }[] = [
  { scope: "code without tests", kinds: ["code"] },
  { scope: "whole tree", kinds: undefined },
];

const Half = z.enum(["tuning", "deciding"]);
type Half = z.infer<typeof Half>;
const Issue = z.strictObject({
  repo: z.string(),
  /** The parent of the fix. */
  commit: z.string(),
  /** The number of the issue, or of the pull request with its fix. */
  number: z.int(),
  language: z.string(),
  half: Half,
  /** The source files that the fix changed. */
  gold: z.array(z.string()).min(1),
  /** The hash of its text. */
  sha256: z.string(),
});
type Issue = z.infer<typeof Issue>;

/** Shares of the issues, between 0 and 1: all files found among the first n. */
const Scores = z.object({ n: z.number(), f1: z.number(), f3: z.number(), f5: z.number() });
type Scores = z.infer<typeof Scores>;
const Rows = z.record(z.string(), Scores);
const Baseline = z.strictObject({ tuning: Rows, deciding: Rows });

interface Outcome {
  issue: Issue;
  scope: string;
  /** The rank of the file of the fix that is found last: from 1, Infinity if it is not found. */
  rank: number;
}

const { texts } = values;
if (texts === undefined) console.log("issues: --texts says where the issues' texts are (bench/collect-issues.mjs)");
else await run(texts);

async function run(folder: string): Promise<void> {
  const scores = { tuning: await runHalf("tuning", folder), deciding: await runHalf("deciding", folder) };
  if (values.only.length === 0 && values.half === undefined) compare(scores);
}

async function runHalf(half: Half, folder: string): Promise<Record<string, Scores>> {
  const outcomes: Outcome[] = [];
  // What is indexed of one tree serves the others of its repository.
  const retrievals = new Map<string, Retrieval>();
  for (const issue of readList(half)) {
    const retrieval = retrievals.get(issue.repo) ?? createRetrieval();
    retrievals.clear();
    retrievals.set(issue.repo, retrieval);
    const text = readText(issue, folder);
    await using snapshot = await openRepository(issue, { copies: values.repos });
    checkGold(issue, snapshot);
    outcomes.push(...(await ask(issue, text, { snapshot, retrieval })));
  }
  return outcomes.length === 0 ? {} : scoreHalf(half, outcomes);
}

function readList(half: Half): Issue[] {
  return readFileSync(listFile, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => Issue.parse(JSON.parse(line)))
    .filter(({ repo }) => values.only.length === 0 || values.only.includes(repo))
    .filter((issue) => issue.half === half && (values.half === undefined || values.half === half));
}

/** @throws Error (another text than the one in the list) */
function readText({ repo, number, sha256 }: Issue, folder: string): string {
  const file = path.join(folder, repo.replace("/", "+"), `${number}.md`);
  const text = readFileSync(file, "utf8");
  if (createHash("sha256").update(text).digest("hex") !== sha256)
    throw new Error(`${file} is another text than that of ${repo}#${number} in ${listFile}`);
  return text;
}

/** @throws Error (a file is not in the tree) */
function checkGold({ repo, commit, gold }: Issue, snapshot: Snapshot): void {
  for (const file of gold) {
    if (!snapshot.files.some((entry) => entry.path === file)) throw new Error(`${repo} at ${commit} has no ${file}`);
  }
}

async function ask(
  issue: Issue,
  query: string,
  { snapshot, retrieval }: { snapshot: Snapshot; retrieval: Retrieval },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { scope, kinds } of scopes) {
    const { passages } = await retrieval.search([snapshot], {
      query,
      kinds,
      limit: passageLimit,
      patienceMs,
      signal: undefined,
    });
    const files = [...new Set(passages.map((passage) => passage.path))];
    const rankOf = (file: string) => (files.includes(file) ? files.indexOf(file) + 1 : Infinity);
    outcomes.push({ issue, scope, rank: Math.max(...issue.gold.map(rankOf)) });
    if (values.verbose === true && issue.half === "tuning") {
      for (const file of issue.gold) describeMiss(issue, { scope, file, rank: rankOf(file), files });
    }
  }
  return outcomes;
}

function describeMiss(
  { repo, number, gold }: Issue,
  { scope, file, rank, files }: { scope: string; file: string; rank: number; files: readonly string[] },
): void {
  if (rank <= gold.length) return;
  const above = files.slice(0, Math.min(rank - 1, fileLimits.f5)).filter((one) => !gold.includes(one));
  console.log(`issues: ${repo}#${number}, ${scope}: ${file} is ${rank}, below ${above.join(", ")}`);
}

function scoreHalf(half: Half, outcomes: readonly Outcome[]): Record<string, Scores> {
  const languages = [...new Set(outcomes.map(({ issue }) => issue.language))].sort();
  const rows: Record<string, Scores> = {};
  for (const { scope } of scopes) {
    const inScope = outcomes.filter((outcome) => outcome.scope === scope);
    rows[scope] = score(inScope);
    rows[`${scope}, fixed in one file`] = score(inScope.filter(({ issue }) => issue.gold.length === 1));
    for (const language of languages)
      rows[`${scope}, ${language}`] = score(inScope.filter(({ issue }) => issue.language === language));
  }
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  for (const [name, { n, ...shares }] of Object.entries(rows))
    console.log(
      `issues: ${half}, ${name}: ${n} issues, all files among the first ${Object.values(fileLimits).join(", ")}: ${Object.values(shares).map(percent).join(", ")}`,
    );
  return rows;
}

function score(own: readonly Outcome[]): Scores {
  const among = (limit: number) => own.filter(({ rank }) => rank <= limit).length / Math.max(1, own.length);
  return { n: own.length, f1: among(fileLimits.f1), f3: among(fileLimits.f3), f5: among(fileLimits.f5) };
}

function compare(scores: z.infer<typeof Baseline>): void {
  if (values.update === true) {
    writeBaseline(baselineFile, scores);
    return console.log("issues: bench/issues-baseline.json is what was measured now");
  }
  const baseline = Baseline.parse(readBaseline(baselineFile));
  compareShares(
    "issues",
    Half.options.flatMap((half) =>
      scopes.flatMap(({ scope }) => {
        const [before, now] = [baseline[half][scope], scores[half][scope]];
        if (before === undefined || now === undefined)
          throw new Error(`${baselineFile} has no row "${scope}" of ${half}`);
        return (["f1", "f3", "f5"] as const).map((name) => ({
          name: `${half}, ${scope}, ${name}`,
          before: before[name],
          now: now[name],
        }));
      }),
    ),
  );
}
