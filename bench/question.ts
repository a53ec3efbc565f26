import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { QuestionReply } from "../server/protocol/ask.ts";
import { scriptedModel, type ScriptedStep } from "../test/support/scripted-model.ts";
import { median, quantile } from "./median.ts";
import { watchCost } from "./process-cost.ts";
import { addressOf, serveTree } from "./server-process.ts";
import { writeSourceTree } from "./source-tree.ts";

const fileCount = 5000;
const runs = 21;

/** Five tool steps and an answer, as in a typical run. */
const script: ScriptedStep[] = [
  { toolCalls: [{ name: "search", input: { query: "how does the queue retry a failed job" } }] },
  { toolCalls: [{ name: "grep", input: { pattern: "retryDelay42" } }] },
  { toolCalls: [{ name: "glob", input: { pattern: "**/module-4*/file-7.ts" } }] },
  { toolCalls: [{ name: "list", input: { path: "module-1" } }] },
  { toolCalls: [{ name: "read", input: { path: "module-1/file-3.ts" } }] },
  "A job is retried after a delay [[tree:module-1/file-3.ts#L1-L8]].",
];

const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-bench-"));
const tree = path.join(folder, "tree");
const sizeBytes = writeSourceTree(tree, fileCount);
await using model = await scriptedModel(Array.from({ length: runs + 1 }, () => script).flat());
const server = serveTree(folder, model);
using watch = watchCost(server.pid ?? 0);
const url = await addressOf(server);
const restMb = watch.cost().megabytes;
const times: number[] = [];
for (let run = 0; run <= runs; run++) {
  const startedAt = performance.now();
  const response = await fetch(`${url}/question`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ question: "How are failed jobs retried?" }),
  });
  const { citations, answer } = QuestionReply.parse(await response.json());
  times.push(performance.now() - startedAt);
  if (citations[0]?.state !== "verified") throw new Error(`the answer is wrong: ${answer}`);
}
const [cold = 0, ...warm] = times;
const peakMb = watch.cost().megabytes;
server.kill();
await once(server, "close");
rmSync(folder, { recursive: true });

console.log(
  `question: ${fileCount} files, ${(sizeBytes / 1e6).toFixed(1)} MB, five tool steps, scripted model on loopback`,
);
console.log(
  `question: cold ${cold.toFixed(0)} ms; warm p50 ${median(warm).toFixed(0)} ms, p95 ${quantile(warm, 0.95).toFixed(0)} ms (aim: 150 ms)`,
);
console.log(
  `question: the server is at most ${peakMb} MB resident (aim: 250 MB), ${restMb} MB before the first question`,
);
