import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { AskRequest, emptyAnswer, foldAnswer } from "../server/protocol/ask.ts";
import { localApp } from "../test/support/connect.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { compareHalves, Half, percent, readQuestions, scoreHalves } from "./halves.ts";
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

const Repository = z.strictObject({ repo: z.string(), commit: z.string(), half: Half });
const Question = z.strictObject({
  kind: z.enum(["added", "removed", "renamed", "default", "reverted", "release"]),
  question: z.string(),
  /** The ids of the commits that answer, or the tags of the releases. */
  gold: z.array(z.string()).min(1),
});
interface Outcome {
  half: Half;
  kind: z.infer<typeof Question>["kind"];
  /** From 1; Infinity if it is not named. */
  rank: number;
  ms: number;
}

const outcomes: Outcome[] = [];
for (const { repository, questions } of readQuestions("bench/history", { Repository, Question })) {
  const { repo, commit, half } = repository;
  if (values.only.length > 0 && !values.only.includes(repo)) continue;
  await using work = await temporaryFolder();
  const checkout = path.join(work.path, "work");
  clone(repo, { commit, checkout });
  await using app = localApp(checkout);
  for (const { kind, question, gold } of questions) {
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
const scores = scoreHalves("history", outcomes, {
  score,
  describe: ({ n, first, three }) => `${n} questions, right first ${percent(first)}, among three ${percent(three)}`,
});
console.log(`history: an answer takes ${median(outcomes.map(({ ms }) => ms)).toFixed(0)} ms`);
if (values.only.length === 0)
  compareHalves("history", scores, { isUpdate: values.update === true, shares: ["first", "three"] });

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

/** Shares of the questions, between 0 and 1. */
function score(own: readonly Outcome[]) {
  const among = (limit: number) => own.filter(({ rank }) => rank <= limit).length / Math.max(1, own.length);
  return { n: own.length, first: among(1), three: among(3) };
}
