import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text as readText } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { citewellFile, cliEnvironment, startCli } from "../../../support/cli.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";

/**
 * The official inspector's command line: each run starts or reaches a server, does one thing, and leaves. With `--cli` its
 * launcher starts this in a second process.
 */
const inspector = path.resolve("node_modules/@modelcontextprotocol/inspector-cli/build/index.js");

const calls: Record<string, { args: Record<string, unknown>; expected: string }> = {
  listResources: { args: {}, expected: "demo: local " },
  ask: {
    args: { question: "What is the delay of a retry?", resources: ["demo"] },
    expected: "demo/src/retry.ts:",
  },
  search: {
    args: { query: "retryDelayMs", mode: "exact", limit: 1 },
    expected: "demo/src/retry.ts:2 (demo)\n2|export const retryDelayMs = 250;",
  },
  read: {
    args: { resource: "demo", path: "src/retry.ts", startLine: 2 },
    expected: "2|export const retryDelayMs = 250;",
  },
  verify: {
    args: { text: "See [[demo:src/retry.ts#L2]] and [[demo:src/gone.ts#L1]]." },
    expected: "line 1: verified, demo:src/retry.ts:2\nline 1: missing",
  },
};

let folder: Folder;
let server: ReturnType<typeof startCli>;
/** What the inspector is to connect to, by transport. */
let targets: Record<"stdio" | "http", string[]>;

beforeAll(async () => {
  // The inspector finds its own manifest only where there is one above the working directory.
  folder = await temporaryFolder(`
//- package.json
{}
//- project/demo/src/retry.ts
/** The delay of a retry. */
export const retryDelayMs = 250;
`);
  const resources = [{ type: "local", name: "demo", path: path.join(cwd(), "demo") }];
  await folder.write(`//- project/.home/citewell.config.jsonc\n${JSON.stringify({ resources })}\n`);
  server = startCli(["serve", "--port", "0", "--json"], { cwd: cwd() });
  if (server.stdout === null) throw new Error("the stream is piped");
  const [line]: Buffer[] = await once(server.stdout, "data");
  const { port } = JSON.parse(String(line));
  targets = { stdio: [process.execPath, citewellFile, "mcp"], http: [`http://127.0.0.1:${port}/mcp`] };
});

afterAll(async () => {
  server.kill();
  await once(server, "close");
  await folder[Symbol.asyncDispose]();
});

function cwd(): string {
  return path.join(folder.path, "project");
}

async function inspect(transport: "stdio" | "http", method: string, ...options: string[]): Promise<unknown> {
  const args = [inspector, ...targets[transport], "--method", method, ...options];
  const child = spawn(process.execPath, args, { cwd: cwd(), env: cliEnvironment(cwd()) });
  const [stdout, stderr, [code]] = await Promise.all([
    readText(child.stdout),
    readText(child.stderr),
    once(child, "close"),
  ]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout);
}

describe.each(["stdio", "http"] as const)("the official inspector over %s", (transport) => {
  test("lists every tool, resource, template and prompt, and reads and gets them", async () => {
    expect(await inspect(transport, "tools/list")).toMatchObject({
      tools: expect.arrayContaining(Object.keys(calls).map((name) => expect.objectContaining({ name }))),
    });
    expect(await inspect(transport, "resources/list")).toMatchObject({ resources: [{ uri: "citewell:/demo/" }] });
    expect(await inspect(transport, "resources/templates/list")).toMatchObject({
      resourceTemplates: [{ uriTemplate: expect.stringContaining("citewell:/") }],
    });
    const uri = "citewell:/demo/src/retry.ts#L1";
    expect(await inspect(transport, "resources/read", "--uri", uri)).toMatchObject({
      contents: [{ uri, text: "/** The delay of a retry. */" }],
    });
    expect(await inspect(transport, "prompts/list")).toMatchObject({
      prompts: [{ name: "ask" }, { name: "explain-dependency" }, { name: "upgrade" }],
    });
    expect(
      await inspect(transport, "prompts/get", "--prompt-name", "ask", "--prompt-args", "question=why"),
    ).toMatchObject({ messages: [{ role: "user", content: { text: expect.stringContaining("why") } }] });
  });

  test.each(Object.entries(calls))("calls %s", async (name, { args, expected }) => {
    const given = Object.entries(args).map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    );
    const options = given.length === 0 ? [] : ["--tool-arg", ...given];
    const result = await inspect(transport, "tools/call", "--tool-name", name, ...options);
    expect(result).not.toHaveProperty("isError");
    expect(result).not.toHaveProperty("structuredContent");
    expect(result).toMatchObject({ content: [{ text: expect.stringContaining(expected) }] });
  });
});
