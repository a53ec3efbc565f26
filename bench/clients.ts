import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { parseArgs, promisify } from "node:util";
import { Client as McpClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import type { ToolCall } from "../test/support/agents/agent-model.ts";
import { installedAgents } from "../test/support/agents/installed.ts";
import { runAgent } from "../test/support/agents/run-agent.ts";
import { scriptedModel } from "../test/support/scripted-model.ts";
import { describeResult } from "./describe-result.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string" },
    server: { type: "string", default: "dist/citewell.mjs" },
    only: { type: "string", multiple: true },
    verbose: { type: "boolean" },
  },
});

/** The timeout of an agent's run, in milliseconds. */
const timeoutMs = 120_000;

const file = "v4/core/parse.js";
const resources = ["npm:zod"];
const calls: readonly ToolCall[] = [
  { tool: "search", input: { query: "parse email format check", resources } },
  { tool: "read", input: { resource: "npm:zod", path: file, startLine: 1, endLine: 18 } },
  { tool: "ask", input: { question: "How does parse report an error?", resources } },
  { tool: "verify", input: { text: `See [[npm:zod:${file}#L1]] and [[npm:zod:invented.js#L1]].`, resources } },
];

const installed = installedAgents(values.clients).filter(({ id }) => values.only?.includes(id) ?? true);
if (installed.length === 0) {
  console.log(
    "clients: none is installed: give a folder that has one folder for each, with its package: --clients DIR",
  );
} else {
  const folder = await mkdtemp(path.join(os.tmpdir(), "citewell-bench-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function run(folder: string): Promise<void> {
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
  const env = { CITEWELL_HOME: citewellHome };
  const program = path.resolve(values.server);
  const sent = await callDirectly(program, { env: { ...env, PATH: process.env["PATH"] ?? "" }, cwd: workspace });
  console.log(
    `| client | ${calls.map(({ tool }) => `\`${tool}\``).join(" | ")} |\n|---|${"---|".repeat(calls.length)}`,
  );
  console.log(`| *sent* | ${sent.map((text) => `${Buffer.byteLength(text).toLocaleString("en")} B`).join(" | ")} |`);
  for (const { executable, ...agent } of installed) {
    const home = path.join(folder, `home-${agent.id}`);
    const project = path.join(folder, agent.id);
    await mkdir(home);
    await cp(workspace, project, { recursive: true });
    const configure = [program, "mcp", "local", "--client", agent.client, "--yes"];
    await promisify(execFile)(process.execPath, configure, {
      cwd: project,
      env: { ...env, PATH: process.env["PATH"] ?? "", HOME: home },
    });
    const { results, log, output } = await runAgent(agent, {
      home,
      workspace: project,
      executable,
      calls,
      env,
      timeoutMs,
    });
    const cells = sent.map((text, index) => describeResult(results[index], text));
    console.log(`| ${agent.name} | ${cells.join(" | ")} |`);
    if (values.verbose === true) console.log([...log, output, "sent:", ...sent, "got:", ...results].join("\n"));
  }
}

/** The text of each result as our server sends it. */
async function callDirectly(program: string, place: { env: Record<string, string>; cwd: string }): Promise<string[]> {
  const client = new McpClient({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, "mcp"], ...place }));
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
