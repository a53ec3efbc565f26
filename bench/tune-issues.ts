import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import * as z from "zod";
import { filterFiles } from "../server/retrieval/glob.ts";
import { createDiskIndexStore } from "../server/retrieval/index/index-store.ts";
import { createFileIndexer } from "../server/retrieval/indexing/index-files.ts";
import { createIndexes } from "../server/retrieval/indexing/indexes.ts";
import { createSegmentMaker } from "../server/retrieval/indexing/segment-maker.ts";
import { readPastedIssue } from "../server/retrieval/ranked/pasted-issue.ts";
import { openPostings } from "../server/retrieval/ranked/query-postings.ts";
import { type IssueList, issueWeights, listFiles } from "../server/retrieval/ranked/rank-issue.ts";
import { createTextStore } from "../server/retrieval/text-store.ts";
import { openRepository } from "./repositories.ts";

/**
 * Tunes the weights of the lists that rank files for a pasted issue, on the tuning half of `bench/issues.ndjson`: a
 * softmax regression over all files that a list has. Prints the weights for `issueWeights`, and what they find in
 * repositories that were left out of the training.
 */
const { values } = parseArgs({ options: { repos: { type: "string" }, texts: { type: "string" } } });

const Issue = z.object({
  repo: z.string(),
  commit: z.string(),
  number: z.int(),
  half: z.string(),
  gold: z.array(z.string()),
});
type Weights = Record<IssueList, number>;
const lists = ["title", "prose", "whole", "paths", "trace"] as const satisfies readonly IssueList[];
const rounds = 150;
const momentum = 0.8;
const step = 0.3;
/** Keeps what hardly occurs from growing. */
const decay = 0.002;
/** The factor of a sum of weighted shares, before the softmax. */
const sharpness = 4;
const listLimit = 80;
/** Indexing the largest tree takes a few seconds; longer means that the process hangs. */
const patienceMs = 600_000;

/** The files that the lists of one issue have. */
interface Lists {
  repo: string;
  goldCount: number;
  files: { shares: Weights; isGold: boolean }[];
}

if (values.texts === undefined) console.log("tune-issues: --texts says where the issues' texts are");
else tune(await readLists(values.texts));

function tune(all: readonly Lists[]): void {
  const repos = [...new Set(all.map(({ repo }) => repo))];
  const weightsOf = new Map(repos.map((left) => [left, train(all.filter(({ repo }) => repo !== left))]));
  report("the whole text alone", all, () => ({ title: 0, prose: 0, whole: 1, paths: 0, trace: 0 }));
  report("weights of today", all, () => issueWeights);
  report("repositories left out of the training", all, ({ repo }) => weightsOf.get(repo) ?? issueWeights);
  const { whole, ...weights } = train(all);
  const relative = Object.entries({ ...weights, whole }).map(([name, weight]) => [
    name,
    Math.round((20 * weight) / whole) / 10,
  ]);
  console.log("tune-issues: weights, the whole being 2:", JSON.stringify(Object.fromEntries(relative)));
}

async function readLists(folder: string): Promise<Lists[]> {
  const directory = mkdtempSync(path.join(os.tmpdir(), "citewell-tune-"));
  try {
    const texts = createTextStore({ limit: 50_000_000 });
    const store = createDiskIndexStore(directory);
    const indexFiles = createFileIndexer({ store, texts, maker: createSegmentMaker() });
    const indexes = createIndexes({ store, indexFiles });
    const found: Lists[] = [];
    for (const line of readFileSync("bench/issues.ndjson", "utf8").trimEnd().split("\n")) {
      const { repo, commit, number, half, gold } = Issue.parse(JSON.parse(line));
      const pasted = readFileSync(path.join(folder, repo.replace("/", "+"), `${number}.md`), "utf8");
      const issue = readPastedIssue(pasted);
      if (half !== "tuning" || issue === undefined) continue;
      await using snapshot = await openRepository({ repo, commit }, { copies: values.repos });
      const files = filterFiles(snapshot.files, { glob: undefined, kinds: ["code"] });
      const { index } = await indexes.of(snapshot, { patienceMs, signal: undefined });
      const accepted = new Set(files.map((file) => file.path));
      const searched = [{ snapshot, index, files, accepted, postings: openPostings(index) }];
      const options = { pasted, limit: listLimit, wantsDrawings: false, texts, signal: undefined };
      const { listed } = await listFiles(searched, issue, options);
      const rows = listed.map(({ candidate, shares }) => {
        const file = candidate.index.files[candidate.scored.file];
        return { shares, isGold: file !== undefined && gold.includes(file.path) };
      });
      found.push({ repo, goldCount: gold.length, files: rows });
    }
    return found;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function train(all: readonly Lists[]): Weights {
  const weights: Weights = { title: 1, prose: 1, whole: 1, paths: 0.5, trace: 0.5 };
  const speed: Weights = { title: 0, prose: 0, whole: 0, paths: 0, trace: 0 };
  for (let round = 0; round < rounds; round++) {
    const slope = slopeOf(all, weights);
    for (const name of lists) {
      speed[name] = momentum * speed[name] + slope[name] - decay * weights[name];
      weights[name] = Math.max(0, weights[name] + step * speed[name]);
    }
  }
  return weights;
}

/** The slope of the mean logarithm of the probabilities of the files of a fix. */
function slopeOf(all: readonly Lists[], weights: Weights): Weights {
  const slope: Weights = { title: 0, prose: 0, whole: 0, paths: 0, trace: 0 };
  for (const { files } of all) {
    const golds = files.filter(({ isGold }) => isGold).length;
    if (golds === 0) continue;
    const parts = files.map(({ shares }) => Math.exp(sharpness * sumOf(shares, weights)));
    const total = parts.reduce((sum, part) => sum + part, 0);
    for (const [at, { shares, isGold }] of files.entries()) {
      const error = (isGold ? 1 / golds : 0) - (parts[at] ?? 0) / total;
      for (const name of lists) slope[name] += (error * shares[name]) / all.length;
    }
  }
  return slope;
}

function sumOf(shares: Weights, weights: Weights): number {
  return lists.reduce((sum, name) => sum + shares[name] * weights[name], 0);
}

function report(name: string, all: readonly Lists[], weightsOf: (lists: Lists) => Weights): void {
  const ranks = all.map((one) => {
    const sorted = one.files.toSorted((a, b) => sumOf(b.shares, weightsOf(one)) - sumOf(a.shares, weightsOf(one)));
    const found = sorted.flatMap(({ isGold }, at) => (isGold ? [at + 1] : []));
    return found.length === one.goldCount ? Math.max(...found) : Infinity;
  });
  const shares = [1, 3, 5].map((limit) => ranks.filter((rank) => rank <= limit).length / ranks.length);
  const percents = shares.map((share) => `${(100 * share).toFixed(1)} %`).join(", ");
  console.log(`tune-issues: ${name}: ${ranks.length} issues, all files among the first 1, 3, 5: ${percents}`);
}
