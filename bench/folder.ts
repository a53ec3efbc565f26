import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { median, quantile } from "./median.ts";
import { watchCost } from "./process-cost.ts";
import { addressOf, serveTree } from "./server-process.ts";

/** The time until the first event of a question about a large folder, in a process that lives. */
const fileCount = 14_500;
const filesPerFolder = 10;
const runs = 21;

const folder = mkdtempSync(path.join(os.tmpdir(), "citewell-bench-"));
const tree = path.join(folder, "tree");
for (let index = 0; index < fileCount; index++) writeFile(index, "first");
await using model = await scriptedModel(Array.from({ length: 4 * runs }, () => "It is retried."));
const server = serveTree(folder, model);
using watch = watchCost(server.pid ?? 0);
const url = await addressOf(server);

const cold = await firstEventMs();
const again = await firstEventMs();
const quiet: number[] = [];
for (let run = 0; run < runs; run++) quiet.push(await firstEventMs());
const edited: number[] = [];
for (let run = 0; run < runs; run++) {
  writeFile(run * 500, `edit ${run}`);
  edited.push(await firstEventMs());
}
const peakMb = watch.cost().megabytes;
server.kill();
await once(server, "close");
rmSync(folder, { recursive: true });

console.log(
  `folder: ${fileCount} files in ${fileCount / filesPerFolder} folders; first event of the first question after ${cold.toFixed(0)} ms, of the second after ${again.toFixed(0)} ms`,
);
console.log(
  `folder: unchanged: p50 ${median(quiet).toFixed(0)} ms, p95 ${quantile(quiet, 0.95).toFixed(0)} ms (aim: 60 ms)`,
);
console.log(
  `folder: a file written just before: p50 ${median(edited).toFixed(0)} ms, p95 ${quantile(edited, 0.95).toFixed(0)} ms`,
);
console.log(`folder: the server and its indexing process are at most ${peakMb} MB resident`);

function writeFile(index: number, text: string): void {
  const number = Math.floor(index / filesPerFolder);
  const directory = path.join(tree, `group-${number % 20}`, `module-${number}`);
  mkdirSync(directory, { recursive: true });
  const source = `/** Retries a failed job: ${text}. */\nexport const retry${index} = (job: Job) => job.run(${index});\n`;
  writeFileSync(path.join(directory, `file-${index}.ts`), source);
}

async function firstEventMs(): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/question/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ question: "How are failed jobs retried?", resources: ["tree"] }),
  });
  let ms: number | undefined;
  let text = "";
  for await (const chunk of response.body ?? []) {
    ms ??= performance.now() - startedAt;
    text += new TextDecoder().decode(chunk);
  }
  if (ms === undefined || !text.includes("event: done")) throw new Error(`no answer: ${text.slice(0, 500)}`);
  return ms;
}
