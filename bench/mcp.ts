import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { createLocalApp } from "../server/local-app.ts";
import { silentLog } from "../server/lib/log.ts";
import { median } from "./median.ts";
import { processFigures } from "./process-figures.ts";

const starts = 15;
const questions = 15;

const home = mkdtempSync(path.join(os.tmpdir(), "citewell-bench-"));
try {
  await run(home);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function run(folder: string): Promise<void> {
  const env = prepare(folder);
  const times: number[] = [];
  for (let index = 0; index <= starts; index++) {
    const startedAt = performance.now();
    const { client } = await connect(folder, env);
    await client.listTools();
    // Warm the file cache.
    if (index > 0) times.push(performance.now() - startedAt);
    await client.close();
  }
  console.log(
    `mcp: start to tools/list ${median(times).toFixed(0)} ms with 50 resources (aim: at most 300), median of ${starts}`,
  );

  const { client, pid } = await connect(folder, env);
  await client.listTools();
  console.log(`mcp: at rest ${processFigures(pid).residentMb} MB resident`);
  const request = { question: "What does the counter do?", resources: ["r0"] };
  const overWire = await timeEach(async () => {
    await client.callTool({ name: "ask", arguments: request }, undefined, { onprogress() {} });
  });
  console.log(`mcp: after ${questions} questions ${processFigures(pid).residentMb} MB resident`);
  await client.close();

  const location = { cwd: folder, env, platform: process.platform, homeDirectory: folder };
  const app = createLocalApp({ location, log: silentLog });
  const inProcess = await timeEach(async () => {
    for await (const event of app.ask(request)) void event;
  });
  await app[Symbol.asyncDispose]();
  console.log(
    `mcp: ask ${overWire.toFixed(1)} ms, in process ${inProcess.toFixed(1)} ms: ${(overWire - inProcess).toFixed(1)} ms more, medians of ${questions}`,
  );
}

/** 50 small folders as resources, with the built-in provider. */
function prepare(folder: string): Record<string, string> {
  const resources = Array.from({ length: 50 }, (_, index) => {
    const directory = path.join(folder, `r${index}`);
    mkdirSync(directory);
    writeFileSync(path.join(directory, "counter.ts"), `/** The counter counts. */\nexport const counter = ${index};\n`);
    return { type: "local", name: `r${index}`, path: directory };
  });
  writeFileSync(path.join(folder, "citewell.config.jsonc"), JSON.stringify({ resources }));
  return { PATH: process.env["PATH"] ?? "", HOME: folder, CITEWELL_HOME: folder };
}

async function connect(cwd: string, env: Record<string, string>): Promise<{ client: Client; pid: number }> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [path.resolve("dist/citewell.mjs"), "mcp"],
    cwd,
    env,
  });
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0 };
}

/** The median in milliseconds, without the first run, which loads and indexes. */
async function timeEach(work: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index <= questions; index++) {
    const startedAt = performance.now();
    await work();
    if (index > 0) times.push(performance.now() - startedAt);
  }
  return median(times);
}
