import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { AskRequest, emptyAnswer, foldAnswer } from "../server/protocol/ask.ts";
import { localApp } from "../test/support/connect.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { compareShares, readBaseline, writeBaseline } from "./baseline.ts";
import { median } from "./median.ts";

/**
 * Questions about the history of public repositories: whether the built-in provider names the right commit, or release,
 * first and among three. Five repositories are for tuning; of the other five only the totals are read.
 */
const { values } = parseArgs({
  options: {
    repos: { type: "string" },
    only: { type: "string", multiple: true, default: [] },
    verbose: { type: "boolean" },
    update: { type: "boolean" },
  },
});
const baselineFile = path.resolve("bench/history-baseline.json");
const folder = "bench/history";

const Half = z.enum(["tuning", "deciding"]);
/** Each data file has a repository in its first line, and then its questions. */
const Repository = z.strictObject({ repo: z.string(), commit: z.string(), half: Half });
const Question = z.strictObject({
  kind: z.enum(["added", "removed", "renamed", "default", "reverted", "release"]),
  question: z.string(),
  /** The ids of the commits that answer, or the tags of the releases. */
  gold: z.array(z.string()).min(1),
});
/** Shares of the questions, between 0 and 1. */
const Scores = z.object({ n: z.number(), first: z.number(), three: z.number() });
const Rows = z.record(z.string(), Scores);
const Baseline = z.strictObject({ tuning: Rows, deciding: Rows });

interface Outcome {
  half: z.infer<typeof Half>;
  kind: z.infer<typeof Question>["kind"];
  /** From 1; Infinity if it is not named. */
  rank: number;
  ms: number;
}

const outcomes: Outcome[] = [];
for (const file of readdirSync(folder)) {
  const [first, ...others] = readFileSync(path.join(folder, file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  const { repo, commit, half } = Repository.parse(first);
  if (values.only.length > 0 && !values.only.includes(repo)) continue;
  await using work = await temporaryFolder();
  const checkout = path.join(work.path, "work");
  clone(repo, { commit, checkout });
  await using app = localApp(checkout);
  for (const { kind, question, gold } of z.array(Question).parse(others)) {
    const startedAt = performance.now();
    let answer = emptyAnswer;
    for await (const event of app.ask(AskRequest.parse({ question, resources: [checkout] })))
      answer = foldAnswer(answer, event);
    const ms = performance.now() - startedAt;
    const named = kind === "release" ? releasesIn(answer.text) : commitsIn(answer.text);
    const index = named.slice(0, 3).findIndex((one) => gold.includes(one));
    const rank = index === -1 ? Infinity : index + 1;
    outcomes.push({ half, kind, rank, ms });
    if (values.verbose === true && half === "tuning" && rank > 1)
      console.log(
        `history: ${repo}, ${kind}: ${JSON.stringify(question)}: rank ${rank}, ${named.slice(0, 3).join(" ")}`,
      );
  }
}
const scores = { tuning: scoreHalf("tuning"), deciding: scoreHalf("deciding") };
console.log(`history: an answer takes ${median(outcomes.map(({ ms }) => ms)).toFixed(0)} ms`);
if (values.only.length === 0) compare();

/** A clone with its whole history, that borrows the objects of the copy. */
function clone(repo: string, { commit, checkout }: { commit: string; checkout: string }): void {
  const copy = path.resolve(values.repos ?? ".", repo.replace("/", "+"));
  const inside = path.join(copy, "repo");
  const from =
    values.repos === undefined ? [`https://github.com/${repo}.git`] : ["--shared", existsSync(inside) ? inside : copy];
  const options = { stdio: "pipe" } as const;
  const quiet = ["-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"];
  execFileSync("git", [...quiet, "clone", "--quiet", "--no-checkout", ...from, checkout], options);
  execFileSync("git", [...quiet, "-C", checkout, "checkout", "--quiet", commit], options);
}

/** The cited commits, in order, and not those whose lines only are cited. */
function commitsIn(text: string): string[] {
  return [...new Set([...text.matchAll(/revision=([0-9a-f]{40})\)/g)].map(([, id = ""]) => id))];
}

function releasesIn(text: string): string[] {
  const found = text.matchAll(/(?:first release with (?:it|that) is|first in) (\S+) \(/g);
  return [...new Set([...found].map(([, tag = ""]) => tag.replaceAll("\\", "")))];
}

function scoreHalf(half: z.infer<typeof Half>): z.infer<typeof Rows> {
  const own = outcomes.filter((outcome) => outcome.half === half);
  const kinds = [...new Set(own.map(({ kind }) => kind))];
  const rows = Object.fromEntries([
    ["all", score(own)],
    ...kinds.map((kind) => [kind, score(own.filter((outcome) => outcome.kind === kind))] as const),
  ]);
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  for (const [name, { n, first, three }] of Object.entries(rows))
    console.log(
      `history: ${half} ${name.padEnd(8)} ${n} questions, right first ${percent(first)}, among three ${percent(three)}`,
    );
  return rows;
}

function score(own: readonly Outcome[]): z.infer<typeof Scores> {
  const among = (limit: number) => own.filter(({ rank }) => rank <= limit).length / Math.max(1, own.length);
  return { n: own.length, first: among(1), three: among(3) };
}

function compare(): void {
  if (values.update === true) {
    writeBaseline(baselineFile, scores);
    return console.log("history: bench/history-baseline.json is what was measured now");
  }
  const baseline = Baseline.parse(readBaseline(baselineFile));
  compareShares(
    "history",
    Half.options.flatMap((half) => {
      const [before, now] = [baseline[half]["all"], scores[half]["all"]];
      if (before === undefined || now === undefined) throw new Error(`${baselineFile} has no row "all" of ${half}`);
      return (["first", "three"] as const).map((name) => ({
        name: `${half} ${name}`,
        before: before[name],
        now: now[name],
      }));
    }),
  );
}
