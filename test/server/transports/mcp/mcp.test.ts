import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type CallToolResult, CallToolResultSchema, type Progress } from "@modelcontextprotocol/sdk/types.js";
import { once } from "node:events";
import { text as readText } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { QuestionReply } from "../../../../server/protocol/ask.ts";
import { citewellFile, cliEnvironment, startCli } from "../../../support/cli.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { scriptedModel, type ScriptedModel, type ScriptedStep } from "../../../support/scripted-model.ts";

const answerOne: ScriptedStep[] = [
  { toolCalls: [{ name: "read", input: { path: "a.ts" } }] },
  "It is 1 [[demo:a.ts#L1]].",
];

/** A client of the official SDK, and the built program as the process that it starts. */
async function startMcp(script: readonly ScriptedStep[] = answerOne, ...options: string[]) {
  const model = await scriptedModel(script);
  const folder = await temporaryFolder("//- demo/a.ts\nexport const a = 1;\n");
  await configure(folder.path, folder.write, model);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [citewellFile, "mcp", ...options],
      cwd: folder.path,
      env: cliEnvironment(folder.path),
    }),
  );
  return {
    client,
    model,
    call: async (name: string, input: Record<string, unknown>) => {
      const result = CallToolResultSchema.parse(await client.callTool({ name, arguments: input }));
      return { ...result, text: textOf(result) };
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function configure(cwd: string, write: (source: string) => Promise<void>, { config }: ScriptedModel) {
  const resources = [{ type: "local", name: "demo", path: `${cwd}/demo` }];
  await write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...config, resources })}\n`);
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

describe("citewell mcp", () => {
  test("lists its tools, each with what it takes, and says when to use it and what can be named", async () => {
    await using mcp = await startMcp();
    const { tools } = await mcp.client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([
      "ask",
      "history",
      "listResources",
      "read",
      "search",
      "upgrade",
      "verify",
    ]);
    // They are sent with every request of an agent: 1,800 tokens of four characters.
    expect(JSON.stringify(tools).length).toBeLessThan(4 * 1800);
    for (const { name, inputSchema, outputSchema, description = "", annotations, _meta } of tools) {
      expect(inputSchema.type).toBe("object");
      // Many clients look for the fields nowhere else.
      expect(JSON.stringify(inputSchema)).not.toContain("$ref");
      for (const field of Object.values(inputSchema.properties ?? {})) expect(field).toHaveProperty("description");
      expect(outputSchema).toBeUndefined();
      expect(annotations?.readOnlyHint).toBe(true);
      // Some clients show no more before the model chooses.
      const start = description.slice(0, 151);
      for (const part of [/before|after|first/i, /npm:/, /https git URL/, /absolute folder/, /the open project/]) {
        expect(start).toMatch(part);
      }
      expect(_meta).toEqual(name === "search" ? { "anthropic/alwaysLoad": true } : undefined);
    }
    const ask = tools.find(({ name }) => name === "ask");
    expect(Object.keys(ask?.inputSchema.properties ?? {}).sort()).toEqual(["question", "resources", "thread"]);
  });

  test("says in at most 130 tokens when to use it, what can be named and in which order", async () => {
    await using mcp = await startMcp();
    const instructions = mcp.client.getInstructions() ?? "";
    // 4.5 bytes to a token, as o200k has it for this text.
    expect(instructions.length).toBeLessThan(130 * 4.5);
    for (const part of ["before grepping node_modules", "npm:zod@4", "Order: search, read", "cite"]) {
      expect(instructions).toContain(part);
    }
  });

  test("answers a question with checked citations, and sends progress", async () => {
    await using mcp = await startMcp();
    const progress: Progress[] = [];
    const request = { name: "ask", arguments: { question: "what is a?" } };
    const onprogress = (step: Progress) => progress.push(step);
    const result = CallToolResultSchema.parse(await mcp.client.callTool(request, undefined, { onprogress }));
    expect(result.structuredContent).toBeUndefined();
    expect(textOf(result)).toContain("It is 1 demo/a.ts:1.\n\n1 citation: 1 verified.");
    expect(progress.map((step) => step.progress)).toEqual(progress.map((_, index) => index + 1));
    expect(progress[0]?.message).toBeTypeOf("string");
  });

  test("with --structured gives what the output schemas say, beside the text", async () => {
    await using mcp = await startMcp(answerOne, "--structured");
    // The client checks results against these.
    const { tools } = await mcp.client.listTools();
    for (const { outputSchema } of tools) expect(outputSchema?.type).toBe("object");
    const reply = QuestionReply.parse((await mcp.call("ask", { question: "what is a?" })).structuredContent);
    expect(reply.citations).toMatchObject([{ resource: "demo", path: "a.ts", startLine: 1, state: "verified" }]);
  });

  test("that is cancelled stops the model", async () => {
    await using mcp = await startMcp([{ text: "It ", hang: true }]);
    const stop = new AbortController();
    const call = mcp.client.callTool({ name: "ask", arguments: { question: "what is a?" } }, undefined, {
      signal: stop.signal,
    });
    const request = await mcp.model.request(0);
    stop.abort("enough");
    await expect(call).rejects.toThrow("enough");
    await request.closed;
    expect((await mcp.call("listResources", {})).text).toMatch(/^demo: local /m);
  });

  test("searches, reads and verifies, and takes back each place that it gave", async () => {
    await using mcp = await startMcp();
    const found = await mcp.call("search", { query: "const a" });
    expect(found.text).toMatch(/^demo\/a\.ts:1 \(demo\)\n1\|export const a = 1;/);
    const read = await mcp.call("read", { resource: "demo", path: "a.ts" });
    expect(read.text).toBe("demo/a.ts:1 (demo)\n1|export const a = 1;");
    expect((await mcp.call("read", { resource: "demo", path: "demo/a.ts" })).text).toBe(read.text);
    const text = "See demo/a.ts:1, demo:a.ts:1 and [[demo:a.ts#L1]].\n\nBut demo/a.ts:7.";
    const checked = await mcp.call("verify", { text });
    expect(checked.text.match(/line 1: verified, demo:a\.ts:1/g)).toHaveLength(3);
    expect(checked.text).toContain("line 3: out of range, demo:a.ts:7");
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["ask", { question: " " }, "InvalidRequest: question: "],
    ["ask", {}, "InvalidRequest: question: missing"],
    ["read", { resource: "nobody", path: "a.ts" }, "ResourceNotFound"],
    ["search", { query: "a", limit: "many" }, "InvalidRequest: limit"],
  ])("explains to the model what was wrong with %s %j", async (name, input, expected) => {
    await using mcp = await startMcp();
    const result = await mcp.call(name, input);
    expect(result.isError).toBe(true);
    expect(result.text).toContain(expected);
  });

  test("does not let who asks choose another model", async () => {
    await using mcp = await startMcp();
    const model = { provider: "builtin", model: "extractive" };
    const result = await mcp.call("ask", { question: "what is a?", model });
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("ask has no argument `model`") });
    expect(mcp.model.requests).toEqual([]);
  });

  test("refuses a tool that there is not", async () => {
    await using mcp = await startMcp();
    await expect(mcp.call("write", {})).rejects.toThrow('no tool "write": there are ask, search');
  });

  test("ends when its client closes the input, and writes nothing but messages", async () => {
    await using folder = await temporaryFolder();
    const hello = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const child = startCli(["mcp", "--verbose"], { cwd: folder.path, stdin: `no JSON\n${JSON.stringify(hello)}\n` });
    const [stdout, [code]] = await Promise.all([
      child.stdout === null ? "" : readText(child.stdout),
      once(child, "close"),
    ]);
    expect(code).toBe(0);
    for (const line of stdout.split("\n").filter((text) => text !== ""))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });
});
