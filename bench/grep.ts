import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { rgPath } from "@vscode/ripgrep";
import { createLocal } from "../server/resources/local/local.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";
import { createRetrieval, type Retrieval } from "../server/retrieval/retrieval.ts";
import { median } from "./median.ts";
import { writePackageTree } from "./package-tree.ts";

const treeBytes = 350_000_000;
const largestFileBytes = 1_000_000;
/** The number of files with a match. */
const rareFiles = 19;
const rare = "citewellRareNeedle";
const runs = 15;
const patienceMs = 600_000;
/** The page size of the agent's tool. */
const pageLimit = 40;
const allLimit = 10_000_000;

/** `most`: the limit as a multiple of ripgrep's time. ripgrep counts lines, or with `by: "telling"` prints them as we do. */
const cases: Case[] = [
  { name: "rare literal", pattern: rare, isRegex: false, limit: allLimit, most: 0.05 },
  { name: "no match", pattern: "citewell absent needle", isRegex: false, limit: allLimit, most: 0.05 },
  { name: "medium literal", pattern: "hasOwnProperty.call(", isRegex: false, limit: allLimit, most: 0.3 },
  { name: "common, all hits, counted", pattern: "return", isRegex: false, limit: allLimit, most: 0.6, by: "counting" },
  { name: "common, all hits, told", pattern: "return", isRegex: false, limit: allLimit, most: 0.6, by: "telling" },
  { name: "common, first page", pattern: "return", isRegex: false, limit: pageLimit, most: 0.01 },
  {
    name: "regex with a literal",
    pattern: String.raw`throw new (Type|Range)Error\(`,
    isRegex: true,
    limit: allLimit,
    most: 0.3,
  },
  { name: "regex without a literal", pattern: "[a-z]+_[a-z]+_[0-9]{3,}", isRegex: true, limit: allLimit, most: 1.5 },
];

interface Case {
  name: string;
  pattern: string;
  isRegex: boolean;
  limit: number;
  most: number;
  by?: "counting" | "telling";
}

await run();

async function run(): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-grep-"));
  try {
    const tree = path.join(folder, "tree");
    writePackageTree(tree, {
      treeBytes,
      largestFileBytes,
      firstLine: (copy, index, fileCount) =>
        `// copy ${copy} ${copy === 0 && index % Math.ceil(fileCount / rareFiles) === 0 ? rare : ""}`,
    });
    const local = createLocal({ workingDirectory: folder, homeDirectory: folder });
    const snapshot = await local.open({ name: "tree", path: tree }, { signal: new AbortController().signal });
    const bytes = snapshot.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    console.log(`grep: ${snapshot.files.length} files, ${(bytes / 1e6).toFixed(0)} MB of published packages`);
    const directory = path.join(folder, "index");
    const worker = pathToFileURL(path.resolve("dist/chunks/index-worker.mjs"));
    const searchWorker = pathToFileURL(path.resolve("dist/chunks/search-worker.mjs"));
    const retrieval = createRetrieval({ directory, worker, searchWorker });
    await measureBuild(retrieval, snapshot, { bytes, directory });
    await measureOpening(createRetrieval({ directory, worker }), snapshot);
    for (const one of cases) await compare(retrieval, snapshot, { ...one, tree });
    console.log(
      `grep: ${Math.round(process.resourceUsage().maxRSS / 1024)} MB resident at most, the index made in this process`,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function measureBuild(
  retrieval: Retrieval,
  snapshot: Snapshot,
  { bytes, directory }: { bytes: number; directory: string },
): Promise<void> {
  const startedAt = performance.now();
  const preparing = retrieval.prepare(snapshot);
  const search = (patience: number) =>
    retrieval.search([snapshot], { query: "retry after header", limit: 8, patienceMs: patience, signal: undefined });
  const first = await retrieval.search([snapshot], { query: "retry after header", limit: 8, signal: undefined });
  const firstMs = performance.now() - startedAt;
  await search(patienceMs);
  const seconds = (performance.now() - startedAt) / 1000;
  await preparing[Symbol.asyncDispose]();
  const indexBytes = readdirSync(directory).reduce((sum, name) => sum + statSync(path.join(directory, name)).size, 0);
  console.log(
    `grep: first search after ${firstMs.toFixed(0)} ms with ${first.passages.length} passages, ${first.pendingFiles} files not indexed yet (aim: 1000 ms)`,
  );
  console.log(
    `grep: indexed at ${(bytes / 1e6 / seconds).toFixed(1)} MB/s, reading and writing included (aim: 10); on disk ${((100 * indexBytes) / bytes).toFixed(1)} % of the text (aim: 30 %)`,
  );
  const times: number[] = [];
  for (let index = 0; index < runs; index++) {
    const from = performance.now();
    await search(patienceMs);
    times.push(performance.now() - from);
  }
  console.log(`grep: ranked search in the whole tree, warm, median ${median(times).toFixed(0)} ms`);
}

async function measureOpening(retrieval: Retrieval, snapshot: Snapshot): Promise<void> {
  const from = performance.now();
  await retrieval.search([snapshot], { query: "retry after header", limit: 8, signal: undefined });
  console.log(
    `grep: first search of a process that finds the index on disk ${(performance.now() - from).toFixed(0)} ms`,
  );
}

async function compare(
  retrieval: Retrieval,
  snapshot: Snapshot,
  { name, pattern, isRegex, limit, most, by, tree }: Case & { tree: string },
): Promise<void> {
  const own: number[] = [];
  const theirs: number[] = [];
  let hits = { own: "", theirs: 0 };
  for (let run = 0; run <= runs; run++) {
    const from = performance.now();
    const query = { pattern, isRegex, ignoreCase: false, wholeWord: false, limit, signal: undefined };
    const { total, cut } =
      by === "counting"
        ? await retrieval.count([snapshot], query)
        : await retrieval.grep([snapshot], { ...query, contextLines: 0 });
    const between = performance.now();
    const { stdout } = spawnSync(
      rgPath,
      [
        "--no-config",
        "--no-ignore",
        "--hidden",
        ...(by === "telling" ? ["--with-filename", "--line-number"] : ["--count", "--no-filename"]),
        ...(isRegex ? [] : ["--fixed-strings"]),
        "--",
        pattern,
        tree,
      ],
      { encoding: "utf8", maxBuffer: 1e9 },
    );
    const until = performance.now();
    hits = {
      own: `${total}${cut.length > 0 ? " (cut)" : ""}`,
      theirs:
        by === "telling"
          ? stdout.split("\n").length - 1
          : stdout.split("\n").reduce((sum, count) => sum + Number(count), 0),
    };
    // Warm both caches.
    if (run === 0) continue;
    own.push(between - from);
    theirs.push(until - between);
  }
  const [ownMs, theirMs] = [median(own), median(theirs)];
  console.log(
    `grep: ${name.padEnd(25)} ${ownMs.toFixed(1).padStart(8)} ms, ripgrep ${theirMs.toFixed(0).padStart(5)} ms, ${(ownMs / theirMs).toFixed(3)}× (aim: ${most}×); lines ${hits.own}, ripgrep ${hits.theirs}`,
  );
}
