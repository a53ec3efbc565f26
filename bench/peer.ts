import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import { findOnPath } from "../test/support/editor/kit.mjs";
import { type Folder, temporaryFolder } from "../test/support/folder.ts";
import { type ScriptedModel, scriptedModel } from "../test/support/scripted-model.ts";
import { median } from "./median.ts";
import { watchCost } from "./process-cost.ts";
import { writeSourceTree } from "./source-tree.ts";

/** Compares Citewell with btca: the same question about the same folder, with a scripted model that answers at once. */
const sizes = [4400, 14_500];
const commandRuns = 5;
const serverRuns = 11;
const question = "How are failed jobs retried?";
const answerText = "A failed job is scheduled again after a delay.";

/** A program to measure. Both take the same configuration, question and HTTP requests. */
interface Program {
  name: string;
  command: readonly string[];
  /** Where it reads its configuration, below its home. */
  configFile: string;
  /** A command after the first question. */
  prepare?: readonly string[];
  /** What a model writes before paths of the resource. */
  prefix: string;
}

interface Figures {
  /** The first command about the folder. */
  firstMs: number;
  commandMs: number;
  commandMb: number;
  warmMs: number;
  firstEventMs: number;
  promptBytes: number;
}

const citewell: Program = {
  name: "citewell",
  command: [process.execPath, path.resolve("dist/citewell.mjs")],
  configFile: ".config/citewell/citewell.config.jsonc",
  prepare: ["search", "retries", "--resource", "tree"],
  prefix: "",
};
const file = process.env["CITEWELL_BENCH_PEER"] ?? findOnPath("btca");

if (file === undefined) {
  console.log("peer: btca is not on PATH, and CITEWELL_BENCH_PEER does not name it, so nothing was compared");
} else {
  const btca: Program = {
    name: "btca",
    command: [path.resolve(file)],
    configFile: ".config/btca/btca.config.jsonc",
    prefix: "tree/",
  };
  for (const fileCount of sizes) await compare(fileCount, [citewell, btca]);
}

async function compare(fileCount: number, [own, peer]: readonly [Program, Program]): Promise<void> {
  await using folder = await temporaryFolder();
  const sizeBytes = writeSourceTree(path.join(folder.path, "tree"), fileCount);
  console.log(`peer: ${fileCount} files, ${(sizeBytes / 1e6).toFixed(0)} MB, four tool steps and an answer`);
  const ours = await measure(own, folder);
  const theirs = await measure(peer, folder);
  for (const { name, figures } of [
    { name: own.name, figures: ours },
    { name: peer.name, figures: theirs },
  ]) {
    console.log(
      `peer: ${name}: first command ${figures.firstMs.toFixed(0)} ms, later ${figures.commandMs.toFixed(0)} ms, ${figures.commandMb} MB; server ${figures.warmMs.toFixed(0)} ms, first event after ${figures.firstEventMs.toFixed(0)} ms; prompts ${(figures.promptBytes / 1000).toFixed(1)} KB`,
    );
  }
  const ratio = (key: keyof Figures) => (ours[key] / theirs[key]).toFixed(2);
  console.log(
    `peer: ours over theirs: first command ${ratio("firstMs")}, later ${ratio("commandMs")}, server ${ratio("warmMs")}, first event ${ratio("firstEventMs")}, prompts ${ratio("promptBytes")}`,
  );
}

async function measure(program: Program, folder: Folder): Promise<Figures> {
  await using model = await startModel(program);
  const home = path.join(folder.path, program.name);
  const config = path.join(home, program.configFile);
  await mkdir(path.dirname(config), { recursive: true });
  const resources = [{ type: "local", name: "tree", path: path.join(folder.path, "tree") }];
  await writeFile(config, JSON.stringify({ ...model.config, resources }));

  const commands: number[] = [];
  let commandMb = 0;
  let promptBytes = 0;
  for (let run = 0; run <= commandRuns; run++) {
    const asked = model.requests.length;
    const startedAt = performance.now();
    const child = start(program, home, ["ask", "--resource", "tree", "--question", question]);
    using watch = watchCost(child.pid ?? 0);
    const output = await outputOf(child);
    commands.push(performance.now() - startedAt);
    if (!output.includes(answerText)) throw new Error(`${program.name} answered: ${output}`);
    commandMb = Math.max(commandMb, watch.cost().megabytes);
    const sent = model.requests.slice(asked).map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
    promptBytes = sent.reduce((sum, bytes) => sum + bytes, 0);
    // Builds the index: unlike a question, a ranked search waits for it.
    if (run === 0 && program.prepare !== undefined) await outputOf(start(program, home, program.prepare));
  }
  const [firstMs = 0, ...laterMs] = commands;

  const port = await freePort();
  const server = start(program, home, ["serve", "--port", String(port)]);
  await untilListening(server);
  const url = `http://127.0.0.1:${port}`;
  await ask(url);
  const warm = [];
  for (let run = 0; run < serverRuns; run++) warm.push(await ask(url));
  await stop(server);

  return {
    firstMs,
    commandMs: median(laterMs),
    commandMb,
    warmMs: median(warm.map(({ totalMs }) => totalMs)),
    firstEventMs: median(warm.map(({ firstEventMs }) => firstEventMs)),
    promptBytes,
  };
}

/** Calls the tools list, grep, glob and read, and checks that each found the expected result. */
function startModel({ name, prefix }: Program): Promise<ScriptedModel> {
  const steps = [
    { name: "list", input: { path: `${prefix}module-3` }, finds: "file-1.ts" },
    { name: "grep", input: { pattern: "retryDelay1203" }, finds: "retryDelay1203" },
    { name: "glob", input: { pattern: "**/module-4*/file-7.ts" }, finds: "module-42/file-7.ts" },
    { name: "read", input: { path: `${prefix}module-3/file-12.ts` }, finds: "runJob1203Part0" },
  ];
  return scriptedModel(({ toolResults }) => {
    const last = steps[toolResults.length - 1];
    if (last !== undefined && !toolResults.at(-1)?.includes(last.finds)) {
      throw new Error(`${last.name} of ${name} found: ${toolResults.at(-1)}`);
    }
    const step = steps[toolResults.length];
    return step === undefined ? answerText : { toolCalls: [{ name: step.name, input: step.input }] };
  });
}

function start({ command }: Program, home: string, args: readonly string[]): ChildProcess {
  const [program = "", ...first] = command;
  return spawn(program, [...first, ...args], {
    cwd: home,
    // A closed port, so that neither telemetry nor updates distort the figures.
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      HTTP_PROXY: "http://127.0.0.1:9",
      HTTPS_PROXY: "http://127.0.0.1:9",
      NO_PROXY: "127.0.0.1,localhost",
    },
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
}

async function outputOf(child: ChildProcess): Promise<string> {
  const [output] = await Promise.all([child.stdout === null ? "" : readText(child.stdout), once(child, "close")]);
  return output;
}

/** Waits for the line that reports the address, and keeps reading so that the server never blocks on a full pipe. */
async function untilListening({ stdout }: ChildProcess): Promise<void> {
  if (stdout === null) throw new Error("the server has no output");
  const lines = createInterface(stdout);
  await new Promise<void>((resolve) => {
    lines.on("line", (line) => {
      if (/listening on|running at/.test(line)) resolve();
    });
  });
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, "close");
  // The whole process group: a launcher started the server.
  process.kill(-(server.pid ?? 0), "SIGTERM");
  await ended;
}

async function ask(url: string): Promise<{ firstEventMs: number; totalMs: number }> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/question/stream`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ question, resources: ["tree"] }),
  });
  if (response.body === null) throw new Error(`no stream: ${response.status}`);
  let firstEventMs = Number.NaN;
  const parts: Uint8Array[] = [];
  for await (const part of response.body) {
    if (parts.length === 0) firstEventMs = performance.now() - startedAt;
    parts.push(part);
  }
  const text = Buffer.concat(parts).toString();
  if (!text.includes(answerText)) throw new Error(`the answer is wrong: ${text}`);
  return { firstEventMs, totalMs: performance.now() - startedAt };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
