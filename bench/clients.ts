import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { type Client, clients, type Setup } from "./clients/clients.ts";
import { describeResult } from "./clients/describe-result.ts";
import { startModelServer, type ToolCall } from "./clients/model-server.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string" },
    server: { type: "string", default: "dist/citewell.mjs" },
    only: { type: "string", multiple: true },
    verbose: { type: "boolean" },
  },
});

/** The timeout of a client run, in milliseconds. */
const clientMs = 120_000;

const file = "v4/core/parse.js";
const resources = ["npm:zod"];
const calls: readonly ToolCall[] = [
  { tool: "search", input: { query: "parse email format check", resources } },
  { tool: "read", input: { resource: "npm:zod", path: file, startLine: 1, endLine: 18 } },
  { tool: "ask", input: { question: "How does parse report an error?", resources } },
  { tool: "verify", input: { text: `See [[npm:zod:${file}#L1]] and [[npm:zod:invented.js#L1]].`, resources } },
];

const installed = values.clients;
if (installed === undefined) {
  console.log("clients: give the folder that has one folder per client, with its package: --clients <folder>");
} else {
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-bench-"));
  try {
    await run(folder, path.resolve(installed));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function run(folder: string, folderOfClients: string): Promise<void> {
  const workspace = path.join(folder, "workspace");
  await mkdir(path.join(workspace, "node_modules"), { recursive: true });
  await writeFile(path.join(workspace, "package.json"), JSON.stringify({ name: "workspace", private: true }));
  await cp(path.resolve("node_modules/zod"), path.join(workspace, "node_modules", "zod"), { recursive: true });
  await using answering = await scriptedModel(({ toolResults }) =>
    toolResults.length > 0
      ? `It throws an error of the given class [[npm:zod:${file}#L5-L8]].`
      : { toolCalls: [{ name: "read", input: { path: file } }] },
  );
  const citewellHome = path.join(folder, "citewell");
  await mkdir(citewellHome);
  await writeFile(path.join(citewellHome, "citewell.config.jsonc"), JSON.stringify(answering.config));
  const server = {
    command: process.execPath,
    args: [path.resolve(values.server), "mcp"],
    env: { CITEWELL_HOME: citewellHome, PATH: process.env["PATH"] ?? "" },
  };
  const sent = await callDirectly(server, workspace);
  console.log(
    `| client | ${calls.map(({ tool }) => `\`${tool}\``).join(" | ")} |\n|---|${"---|".repeat(calls.length)}`,
  );
  console.log(`| *sent* | ${sent.map((text) => `${Buffer.byteLength(text).toLocaleString("en")} B`).join(" | ")} |`);
  for (const client of clients) {
    if (values.only !== undefined && !values.only.includes(client.id)) continue;
    const executable = path.join(folderOfClients, client.id, "node_modules", ".bin", client.id);
    const isThere = await stat(executable).catch(() => undefined);
    if (isThere === undefined) continue;
    const home = path.join(folder, `home-${client.id}`);
    await mkdir(home);
    const { results, log } = await drive(client, executable, { home, workspace, ...server });
    const cells = sent.map((text, index) => describeResult(results[index], text));
    console.log(`| ${client.name} | ${cells.join(" | ")} |`);
    if (values.verbose === true) console.log([...log, "sent:", ...sent, "got:", ...results].join("\n"));
  }
}

/** The text of each result as our server sends it. */
async function callDirectly(server: Pick<Setup, "command" | "args" | "env">, cwd: string): Promise<string[]> {
  const client = new McpClient({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ ...server, args: [...server.args], env: { ...server.env }, cwd }));
  const texts: string[] = [];
  // Search twice: the first search may run before the index is complete.
  for (const { tool, input } of [...calls.slice(0, 1), ...calls]) {
    // A client with progress support gets no thread to continue.
    const result = await client.callTool({ name: tool, arguments: { ...input } }, undefined, { onprogress() {} });
    const { content } = CallToolResultSchema.parse(result);
    texts.push(content.map((part) => (part.type === "text" ? part.text : "")).join(""));
  }
  await client.close();
  return texts.slice(1);
}

/** Runs a client until the model has received all results, then stops it. */
async function drive(
  client: Client,
  executable: string,
  setup: Omit<Setup, "modelUrl">,
): Promise<{ results: string[]; log: string[] }> {
  await using model = await startModelServer(calls);
  const { args, env = {}, before } = await client.prepare({ ...setup, modelUrl: `http://127.0.0.1:${model.port}` });
  const environment = { PATH: process.env["PATH"] ?? "", HOME: setup.home, TERM: "dumb", CI: "1", ...env };
  const outputs: string[] = [];
  for (const argv of before === undefined ? [args] : [before, args]) {
    const child = spawn(executable, [...argv], {
      cwd: setup.workspace,
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    // The process group includes the client's child processes.
    const timer = setTimeout(() => process.kill(-(child.pid ?? 0), "SIGKILL"), clientMs);
    const [stdout, stderr] = await Promise.all([readText(child.stdout), readText(child.stderr), once(child, "close")]);
    clearTimeout(timer);
    outputs.push(stdout, stderr);
  }
  await endProcessesOf(setup.home);
  return { results: model.results, log: [...model.log, ...outputs] };
}

/** Ends background processes that a client leaves, found by their temporary home. Linux only. */
async function endProcessesOf(home: string): Promise<void> {
  for (const entry of await readdir("/proc").catch(() => [])) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.split("\0").includes(`HOME=${home}`)) continue;
    try {
      process.kill(pid);
    } catch {
      // The process has already ended.
    }
  }
}
