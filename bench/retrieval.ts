import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod";
import type { Snapshot } from "../server/resources/snapshot.ts";
import { compareShares, readBaseline, writeBaseline } from "./baseline.ts";
import { openTrees } from "./trees.ts";
import { createRetrieval, type Retrieval } from "../server/retrieval/retrieval.ts";
import { buildRival } from "./full-text-rival.ts";
import { median } from "./median.ts";

const { values } = parseArgs({
  options: { data: { type: "string", default: "../shared/bench/retrieval" }, update: { type: "boolean" } },
});
// The scorer runs only if started by its real name.
const data = existsSync(values.data) ? realpathSync(values.data) : path.resolve(values.data);
const baselineFile = path.resolve("bench/retrieval-baseline.json");
const resultLimit = 20;
/** Indexing the largest tree takes a few seconds; longer means that the process hangs. */
const patienceMs = 600_000;

const Query = z.object({ id: z.string(), repo: z.string(), query: z.string() });
const Row = z.object({ n: z.number(), mrr: z.number(), s10: z.number(), L5: z.number().nullable() });
const Scores = z.object({ all: Row, kinds: z.record(z.string(), Row) });
type Scores = z.infer<typeof Scores>;

interface Result {
  id: string;
  ms: number;
  results: { path: string; startLine: number; endLine: number }[];
}

if (existsSync(path.join(data, "dev.ndjson"))) await run();
else console.log(`retrieval: there is no benchmark in ${data}; --data says where it is`);

async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-retrieval-"));
  try {
    const queries = readFileSync(path.join(data, "dev.ndjson"), "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => Query.parse(JSON.parse(line)));
    const snapshots = await openTrees([...new Set(queries.map(({ repo }) => repo))], { data, folder });
    const options = {
      directory: path.join(folder, "index"),
      worker: pathToFileURL(path.resolve("dist/chunks/index-worker.mjs")),
    };
    await measureBuild(createRetrieval(options), snapshots, options.directory);
    const retrieval = createRetrieval(options);
    await measureOpening(retrieval, snapshots);
    const own: Result[] = [];
    for (const query of queries) own.push(await ask(retrieval, query, snapshots));
    const scores = score(own, folder);
    console.log("\nretrieval: SQLite FTS5 over chunks with split identifiers");
    const rival = score(await askRival(queries, snapshots), folder);
    console.log(
      `\nretrieval: MRR@10 ${(100 * (scores.all.mrr - rival.all.mrr)).toFixed(1)} above SQLite FTS5 (aim: 15)`,
    );
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
  { id, repo, query }: z.infer<typeof Query>,
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<Result> {
  const snapshot = snapshots.get(repo);
  if (snapshot === undefined) throw new Error(`there is no tree ${repo}`);
  const startedAt = performance.now();
  const { passages } = await retrieval.search([snapshot], { query, limit: resultLimit, signal: undefined });
  const ms = performance.now() - startedAt;
  return { id, ms, results: passages.map(({ path, startLine, endLine }) => ({ path, startLine, endLine })) };
}

async function askRival(
  queries: readonly z.infer<typeof Query>[],
  snapshots: ReadonlyMap<string, Snapshot>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [name, snapshot] of snapshots) {
    using rival = await buildRival(snapshot);
    for (const { id, query } of queries.filter(({ repo }) => repo === name)) {
      const startedAt = performance.now();
      const found = rival.search(query, resultLimit);
      results.push({ id, ms: performance.now() - startedAt, results: found });
    }
  }
  return results;
}

/** Prints the table. */
function score(found: readonly Result[], folder: string): Scores {
  const results = path.join(folder, "results.ndjson");
  writeFileSync(results, found.map((result) => `${JSON.stringify(result)}\n`).join(""));
  const json = path.join(folder, "scores.json");
  const queries = path.join(data, "dev.ndjson");
  const scorer = [path.join(data, "score.mjs"), "--queries", queries, "--results", results, "--json", json];
  const { status } = spawnSync(process.execPath, scorer, { stdio: "inherit" });
  if (status !== 0) throw new Error("the scorer failed");
  return Scores.parse(JSON.parse(readFileSync(json, "utf8")));
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
