import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import type { Snapshot } from "../server/resources/snapshot.ts";
import { compareShares, readBaseline, writeBaseline } from "./baseline.ts";
import { openBenchmark, type Question } from "./retrieval-data.ts";
import { type Result, Scores, scoreResults } from "./retrieval-score.ts";
import { createRetrieval, type Retrieval } from "../server/retrieval/retrieval.ts";
import { median } from "./median.ts";

const { values } = parseArgs({ options: { repos: { type: "string" }, update: { type: "boolean" } } });
const baselineFile = path.resolve("bench/retrieval-baseline.json");
const resultLimit = 20;
/** Indexing the largest tree takes a few seconds; longer means that the process hangs. */
const patienceMs = 600_000;

await run();

async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-retrieval-"));
  try {
    const { questions, snapshots } = await openBenchmark({ copies: values.repos, folder });
    const options = {
      directory: path.join(folder, "index"),
      worker: pathToFileURL(path.resolve("dist/chunks/index-worker.mjs")),
    };
    await measureBuild(createRetrieval(options), snapshots, options.directory);
    const retrieval = createRetrieval(options);
    await measureOpening(retrieval, snapshots);
    const own: Result[] = [];
    for (const question of questions) own.push(await ask(retrieval, question, snapshots));
    const scores = scoreResults(questions, own);
    compare(scores);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureBuild(
  retrieval: Retrieval,
  snapshots: ReadonlyMap<string, Snapshot>,
  directory: string,
): Promise<void> {
  const textBytes = [...snapshots.values()]
    .flatMap(({ files }) => files)
    .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const startedAt = performance.now();
  for (const snapshot of snapshots.values()) await search(retrieval, snapshot, "index");
  const seconds = (performance.now() - startedAt) / 1000;
  const indexBytes = readdirSync(directory).reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0);
  const megabytes = textBytes / 1e6;
  console.log(
    `retrieval: ${snapshots.size} trees, ${megabytes.toFixed(1)} MB indexed at ${(megabytes / seconds).toFixed(1)} MB/s, reading and writing included (aim: 10); on disk ${((100 * indexBytes) / textBytes).toFixed(1)} % of the text (aim: 30 %)`,
  );
}

/** The first search of a new process, with the index on disk. */
async function measureOpening(retrieval: Retrieval, snapshots: ReadonlyMap<string, Snapshot>): Promise<void> {
  const times: number[] = [];
  for (const snapshot of snapshots.values()) times.push(await search(retrieval, snapshot, "index"));
  console.log(
    `retrieval: first search over an index on disk, median ${median(times).toFixed(0)} ms, most ${Math.max(...times).toFixed(0)} ms (aim: 100 ms)`,
  );
}

async function search(retrieval: Retrieval, snapshot: Snapshot, query: string): Promise<number> {
  const startedAt = performance.now();
  await retrieval.search([snapshot], { query, limit: 1, patienceMs, signal: undefined });
  return performance.now() - startedAt;
}

async function ask(
  retrieval: Retrieval,
  { id, repo, query }: Question,
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<Result> {
  const snapshot = snapshots.get(repo);
  if (snapshot === undefined) throw new Error(`there is no tree ${repo}`);
  const startedAt = performance.now();
  const { passages } = await retrieval.search([snapshot], { query, limit: resultLimit, signal: undefined });
  const ms = performance.now() - startedAt;
  return { id, ms, results: passages.map(({ path, startLine, endLine }) => ({ path, startLine, endLine })) };
}

function compare(scores: Scores): void {
  if (values.update === true) {
    writeBaseline(baselineFile, scores);
    return console.log(`retrieval: bench/retrieval-baseline.json is what was measured now`);
  }
  const { all: before } = Scores.parse(readBaseline(baselineFile));
  const { all: now } = scores;
  compareShares("retrieval", [
    { name: "MRR@10", before: before.mrr, now: now.mrr },
    { name: "success@10", before: before.s10, now: now.s10 },
    { name: "right lines in five", before: before.L5 ?? 0, now: now.L5 ?? 0 },
  ]);
}
