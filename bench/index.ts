import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { memorySettings } from "../extension/memory-settings.ts";
import { SearchReply } from "../server/protocol/search.ts";
import { createContentRevisions } from "../server/resources/content-revision.ts";
import { createFolderHashes } from "../server/resources/folder-hashes.ts";
import { createLocal, type Local } from "../server/resources/local/local.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";
import { createRetrieval, type Retrieval, type SearchResult } from "../server/retrieval/retrieval.ts";
import { median } from "./median.ts";
import { writePackageTree } from "./package-tree.ts";
import { watchCost } from "./process-cost.ts";
import { processFigures } from "./process-figures.ts";
import { addressOf } from "./server-process.ts";

const treeBytes = 150_000_000;
const smallTreeBytes = 3_000_000;
const largestFileBytes = 1_000_000;
const runs = 5;
const patienceMs = 600_000;
const query = "retry after header";

// A second process that opens an index built by the first.
const { values } = parseArgs({ options: { open: { type: "string" } } });
const never = new AbortController().signal;

if (values.open === undefined) await run();
else await measureOpening(values.open);

async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-index-"));
  try {
    writePackageTree(path.join(folder, "tree"), {
      treeBytes,
      largestFileBytes,
      firstLine: (copy) => `// copy ${copy}`,
    });
    await measureSmallBuilds(folder);
    await measureBuild(folder);
    for (let run = 0; run < runs; run++) {
      spawnSync(process.execPath, [process.argv[1] ?? "", "--open", folder], { stdio: "inherit" });
    }
    await measureChange(folder);
    await measureServer(folder, "the index made");
    await measureServer(folder, "the index found");
    await measureServer(folder, "the index found, with the editor's settings", memorySettings);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function retrievalIn(folder: string, name = "index"): Retrieval {
  return createRetrieval({
    directory: path.join(folder, name),
    worker: pathToFileURL(path.resolve("dist/chunks/index-worker.mjs")),
  });
}

function openTree(folder: string, name = "tree"): Promise<Snapshot> {
  return localIn(folder).open({ name, path: name }, { signal: never });
}

function localIn(folder: string): Local {
  const revisions = createContentRevisions({ folderHashes: createFolderHashes(path.join(folder, "hashes")) });
  return createLocal({ revisions, workingDirectory: folder, homeDirectory: folder });
}

function search(retrieval: Retrieval, snapshot: Snapshot, patience?: number): Promise<SearchResult> {
  return retrieval.search([snapshot], { query, limit: 8, patienceMs: patience, signal: undefined });
}

async function timed<Result>(work: () => Promise<Result>): Promise<[ms: number, result: Result]> {
  const from = performance.now();
  const result = await work();
  return [performance.now() - from, result];
}

/** Sequential searches of one process; the first waits for the indexing process. */
async function measureSmallBuilds(folder: string): Promise<void> {
  const retrieval = retrievalIn(folder, "small-index");
  const speeds: number[] = [];
  for (let copy = 0; copy <= runs; copy++) {
    const name = `small-${copy}`;
    const firstLine = () => `// tree ${copy}`;
    writePackageTree(path.join(folder, name), { treeBytes: smallTreeBytes, largestFileBytes, firstLine });
    const snapshot = await openTree(folder, name);
    const [ms] = await timed(() => search(retrieval, snapshot, patienceMs));
    speeds.push(sizeOf(snapshot) / 1e3 / ms);
  }
  const [first = 0, ...others] = speeds;
  console.log(
    `index: a tree of ${smallTreeBytes / 1e6} MB at ${first.toFixed(1)} MB/s, each after it at ${median(others).toFixed(1)} MB/s (aim: 10)`,
  );
}

async function measureBuild(folder: string): Promise<void> {
  const snapshot = await openTree(folder);
  const bytes = sizeOf(snapshot);
  const retrieval = retrievalIn(folder);
  const preparing = retrieval.prepare(snapshot);
  const from = performance.now();
  const [soonMs, soon] = await timed(() => search(retrieval, snapshot, 0));
  console.log(
    `index: ${snapshot.files.length} files, ${(bytes / 1e6).toFixed(0)} MB; first search after ${soonMs.toFixed(0)} ms with ${soon.passages.length} passages, ${soon.pendingFiles} files not indexed yet (aim: 1000 ms)`,
  );
  await search(retrieval, snapshot, patienceMs);
  const seconds = (performance.now() - from) / 1000;
  await preparing[Symbol.asyncDispose]();
  const directory = path.join(folder, "index");
  const indexBytes = readdirSync(directory).reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0);
  console.log(
    `index: built at ${(bytes / 1e6 / seconds).toFixed(1)} MB/s (aim: 10); on disk ${((100 * indexBytes) / bytes).toFixed(1)} % of the text (aim: 30 %)`,
  );
  const times: number[] = [];
  for (let run = 0; run < runs; run++) times.push((await timed(() => search(retrieval, snapshot)))[0]);
  console.log(`index: ranked search, warm ${median(times).toFixed(0)} ms`);
}

async function measureOpening(folder: string): Promise<void> {
  const [treeMs, snapshot] = await timed(() => openTree(folder));
  const retrieval = retrievalIn(folder);
  const [openMs] = await timed(() =>
    retrieval.grep([snapshot], {
      pattern: "citewell absent needle",
      isRegex: false,
      ignoreCase: false,
      wholeWord: false,
      contextLines: 0,
      limit: 10,
      signal: undefined,
    }),
  );
  const [searchMs] = await timed(() => search(retrieval, snapshot));
  console.log(
    `index: a new process reads the folder in ${treeMs.toFixed(0)} ms, its index with a first exact search in ${openMs.toFixed(0)} ms (aim: 100), a first ranked search in ${searchMs.toFixed(0)} ms more; ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  );
}

async function measureChange(folder: string): Promise<void> {
  const local = localIn(folder);
  const retrieval = retrievalIn(folder);
  const spec = { name: "tree", path: "tree" };
  const before = await local.open(spec, { signal: never });
  await search(retrieval, before, patienceMs);
  const opened: number[] = [];
  const found: number[] = [];
  for (let run = 0; run < runs; run++) {
    const { path: file = "" } = before.files[run * 1000] ?? {};
    appendFileSync(path.join(folder, "tree", file), `\n// citewellEdit${run} is here\n`);
    const [openMs, snapshot] = await timed(() => local.open(spec, { signal: never }));
    const [searchMs, { passages }] = await timed(() =>
      retrieval.search([snapshot], { query: `citewellEdit${run}`, limit: 3, patienceMs, signal: undefined }),
    );
    if (passages[0]?.path !== file) throw new Error(`the edit of ${file} is not found`);
    opened.push(openMs);
    found.push(searchMs);
  }
  console.log(
    `index: one file edited: the folder read in ${median(opened).toFixed(0)} ms, found in ${median(found).toFixed(0)} ms more (aim: 500 together)`,
  );
}

async function measureServer(folder: string, how: string, environment = {}): Promise<void> {
  const home = path.join(folder, "home");
  mkdirSync(home, { recursive: true });
  const config = { resources: [{ type: "local", name: "tree", path: path.join(folder, "tree") }] };
  writeFileSync(path.join(home, "citewell.config.jsonc"), JSON.stringify(config));
  const server = spawn(process.execPath, ["dist/citewell.mjs", "serve", "--port", "0", "--quiet"], {
    env: { ...process.env, ...environment, CITEWELL_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
  using watch = watchCost(server.pid ?? 0);
  const url = await addressOf(server);
  const ask = async (query: string, mode: string) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}/search`, { method: "POST", headers, body: JSON.stringify({ query, mode }) });
    return SearchReply.parse(await response.json());
  };
  const { residentMb: restMb } = processFigures(server.pid ?? 0);
  const [coldMs] = await timed(async () => {
    while ((await ask(query, "ranked")).pendingFiles !== undefined);
  });
  const firstMb = watch.cost().megabytes;
  const times: number[] = [];
  for (const words of [
    "parse the options of a command",
    "createServer",
    "what is a stream",
    "timeout while connecting",
  ]) {
    for (const mode of ["ranked", "exact"]) times.push((await timed(() => ask(words, mode)))[0]);
  }
  const mostMb = watch.cost().megabytes;
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const { residentMb } = processFigures(server.pid ?? 0);
  server.kill();
  await once(server, "close");
  console.log(
    `index: citewell serve, ${how}: ${restMb} MB at first; first search ${coldMs.toFixed(0)} ms, ${firstMb} MB at most; eight more, median ${median(times).toFixed(0)} ms, ${mostMb} MB at most (aim: 250); ${residentMb} MB at rest (aim: 150)`,
  );
}

function sizeOf({ files }: Snapshot): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
