import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { QuestionReply } from "../server/protocol/ask.ts";
import { SearchReply } from "../server/protocol/search.ts";
import { temporaryFolder } from "../test/support/folder.ts";
import { scriptedModel, type ScriptedStep } from "../test/support/scripted-model.ts";
import { median } from "./median.ts";
import { addressOf } from "./server-process.ts";
import { writeSourceTree } from "./source-tree.ts";

/**
 * The first answer of a server that was just started in a project: at once, and after some seconds without a question.
 */
const fileCount = 5000;
const runs = 3;
const idleSeconds = [0, 10];
const aimMs = new Map([
  [0, 4000],
  [10, 2000],
]);

/** A model that knows what it looks for: no step needs the index. */
const script: ScriptedStep[] = [
  { toolCalls: [{ name: "list", input: { path: "module-3" } }] },
  { toolCalls: [{ name: "grep", input: { pattern: "retryDelay1203" } }] },
  { toolCalls: [{ name: "read", input: { path: "module-3/file-12.ts" } }] },
  "A job is retried after a delay [[tree:module-3/file-12.ts#L1-L8]].",
];

await using folder = await temporaryFolder();
const tree = path.join(folder.path, "tree");
const sizeBytes = writeSourceTree(tree, fileCount);
writeFileSync(path.join(tree, "package.json"), "{}\n");
console.log(`ready: ${fileCount} files, ${(sizeBytes / 1e6).toFixed(1)} MB, load ${os.loadavg()[0]?.toFixed(1)}`);

for (const seconds of idleSeconds) {
  const models = [];
  const extracts = [];
  const searches = [];
  for (let run = 0; run < runs; run++) {
    await using model = await scriptedModel(script);
    models.push(await timeOf(seconds, { config: model.config, ask: askQuestion }));
    extracts.push(await timeOf(seconds, { config: {}, ask: askQuestion }));
    searches.push(await timeOf(seconds, { config: {}, ask: search }));
  }
  console.log(
    `ready: after ${seconds} s: scripted model ${median(models).toFixed(0)} ms, extracts ${median(extracts).toFixed(0)} ms, search ${median(searches).toFixed(0)} ms (aim: ${aimMs.get(seconds)} ms)`,
  );
}

/** The time of a request to a server with a new home, in milliseconds. */
async function timeOf(
  seconds: number,
  { config, ask }: { config: object; ask: (url: string) => Promise<void> },
): Promise<number> {
  await using home = await temporaryFolder();
  mkdirSync(home.path, { recursive: true });
  writeFileSync(path.join(home.path, "citewell.config.jsonc"), JSON.stringify({ ...config, resources: [] }));
  const server = start(home.path);
  const url = await addressOf(server);
  await sleep(1000 * seconds);
  const startedAt = performance.now();
  await ask(url);
  const time = performance.now() - startedAt;
  server.kill();
  await once(server, "close");
  return time;
}

function start(home: string): ChildProcess {
  return spawn(process.execPath, [path.resolve("dist/citewell.mjs"), "serve", "--port", "0", "--quiet"], {
    cwd: tree,
    env: { ...process.env, CITEWELL_HOME: home },
    stdio: ["ignore", "pipe", "inherit"],
  });
}

async function askQuestion(url: string): Promise<void> {
  const question = "How are failed jobs retried?";
  const { citations } = QuestionReply.parse(await post(`${url}/question`, { question, scope: "project" }));
  if (citations.length === 0) throw new Error("the answer cites nothing");
}

async function search(url: string): Promise<void> {
  const query = "how does the queue retry a failed job";
  const { results } = SearchReply.parse(await post(`${url}/search`, { mode: "ranked", query, scope: "project" }));
  if (results.length === 0) throw new Error("nothing was found");
}

async function post(url: string, body: object): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
}
