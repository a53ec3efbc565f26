import { execFileSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { version } from "../../package.json";
import type { Answer } from "../../server/protocol/ask.ts";
import { citewellFile, cliEnvironment, runCli, startCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { textOf } from "../support/mcp.ts";
import { installedNodes } from "../support/nodes/packages.mjs";
import { scriptedModel } from "../support/scripted-model.ts";

/** Packages in the bundle ask for a newer Node than ours does: docs/decisions/0031-node.md. */
const nodes = [process.execPath, ...installedNodes()].map(
  (node) => [execFileSync(node, ["--version"], { encoding: "utf8" }).trim(), node] as const,
);

describe.each(nodes)("on Node %s", (_, node) => {
  let folder: Folder;
  beforeAll(async () => {
    folder = await temporaryFolder("//- demo/src/retry.ts\nexport const delayMs = 100;\n");
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test("the program starts, without a warning", async () => {
    const { code, stdout, stderr } = await runCli(["--version"], { cwd: folder.path, node });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test("the built-in provider answers, with a verified citation", async () => {
    const question = ["ask", "-q", "What is delayMs?", "-r", "./demo", "--json"];
    const { stdout } = await runCli(question, { cwd: folder.path, node });
    const answer: Answer = JSON.parse(stdout);
    expect(answer.citations[0]).toMatchObject({ path: "src/retry.ts", state: "verified" });
  });

  test("an expression is searched in the threads", async () => {
    const { stdout } = await runCli(["search", "--regex", "delay\\w+ = \\d", "-r", "./demo"], {
      cwd: folder.path,
      node,
    });
    expect(stdout).toContain("src/retry.ts:1");
  });

  test("an agent searches over MCP", async () => {
    const client = new Client({ name: "test", version: "1" });
    const args = [citewellFile, "mcp"];
    await client.connect(
      new StdioClientTransport({ command: node, args, cwd: folder.path, env: cliEnvironment(folder.path) }),
    );
    const call = { name: "search", arguments: { query: "delayMs", resources: ["./demo"] } };
    const result = CallToolResultSchema.parse(await client.callTool(call));
    await client.close();
    expect(textOf(result)).toContain("export const delayMs = 100;");
  });

  test("a server streams the answer of a model", async () => {
    await using model = await scriptedModel(["It is 100 ms."]);
    const resources = [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }];
    await using home = await temporaryFolder(
      `//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}\n`,
    );
    const child = startCli(["serve", "--port", "0", "--quiet"], { cwd: home.path, node });
    const exit = once(child, "close");
    if (child.stdout === null) throw new Error("the command has no standard output");
    const [line]: string[] = await once(createInterface(child.stdout), "line");
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line ?? "")?.[0] ?? "";
    const response = await fetch(`${url}/question/stream`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ question: "How long?", resources: ["demo"] }),
    });
    expect(await response.text()).toMatch(/event: done\ndata: .*"text":"It is 100 ms\."/);
    child.kill("SIGTERM");
    expect(await exit).toEqual([143, null]);
  });
});
