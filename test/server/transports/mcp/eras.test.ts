import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Client as CurrentClient, StreamableHTTPClientTransport as CurrentHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as CurrentStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OlderStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OlderHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, onTestFailed, test } from "vitest";
import * as z from "zod";
import { structuredCapability } from "../../../../server/transports/mcp/mcp.ts";
import { citewellFile, cliEnvironment, startCli } from "../../../support/cli.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { scriptedModel, type ScriptedModel } from "../../../support/scripted-model.ts";

const info = { name: "test", version: "1" };

interface CallOptions {
  signal?: AbortSignal;
  onprogress?: (progress: { message?: string | undefined }) => void;
}

interface ClientOptions {
  capabilities?: { experimental: Record<string, Record<string, string>> };
  onResourcesChanged?: () => void;
}

/** How the official clients of each era connect, and what differs between the eras. */
const eras = [
  {
    era: "older",
    version: "2025-11-25",
    notFoundCode: -32_002,
    async connect(server: Target, { capabilities = { experimental: {} }, onResourcesChanged }: ClientOptions) {
      const client = new OlderClient(info, { capabilities, ...listening(onResourcesChanged) });
      const transport = "url" in server ? new OlderHttp(server.url) : new OlderStdio(server);
      await client.connect(transport);
      const call = (name: string, input: Record<string, unknown>, options?: CallOptions) =>
        client.callTool({ name, arguments: input }, undefined, options);
      const request = (method: string, params: Record<string, unknown>) =>
        client.request({ method, params }, z.unknown());
      return {
        client,
        call,
        request,
        version: transport instanceof OlderHttp ? transport.protocolVersion : "2025-11-25",
      };
    },
  },
  {
    era: "current",
    version: "2026-07-28",
    notFoundCode: -32_602,
    async connect(server: Target, { capabilities = { experimental: {} }, onResourcesChanged }: ClientOptions) {
      const versionNegotiation = { mode: { pin: "2026-07-28" } } as const;
      const client = new CurrentClient(info, { capabilities, versionNegotiation, ...listening(onResourcesChanged) });
      await client.connect("url" in server ? new CurrentHttp(server.url) : new CurrentStdio(server));
      const call = (name: string, input: Record<string, unknown>, options?: CallOptions) =>
        client.callTool({ name, arguments: input }, options);
      const request = (method: string, params: Record<string, unknown>) =>
        client.request({ method, params }, z.unknown());
      return { client, call, request, version: client.getNegotiatedProtocolVersion() };
    },
  },
];

function listening(onChanged: (() => void) | undefined) {
  return onChanged === undefined ? {} : { listChanged: { resources: { onChanged } } };
}

type Target = { url: URL } | { command: string; args: string[]; cwd: string; env: Record<string, string> };

let folder: Folder;
let model: ScriptedModel;
let target: Target;
let server: ReturnType<typeof startCli> | undefined;

async function start(transport: string): Promise<void> {
  folder = await temporaryFolder("//- demo/a.ts\nexport const a = 1;\n");
  model = await scriptedModel(({ body, toolResults }) => {
    if (JSON.stringify(body.messages).includes("for ever")) return { text: "It ", hang: true };
    if (toolResults.length > 0) return "It is 1 [[demo:a.ts#L1]].";
    return { toolCalls: [{ name: "read", input: { resource: "demo", path: "a.ts" } }] };
  });
  const cwd = folder.path;
  const resources = [{ type: "local", name: "demo", path: path.join(cwd, "demo") }];
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify({ ...model.config, resources })}\n`);
  if (transport === "stdio") {
    target = { command: process.execPath, args: [citewellFile, "mcp"], cwd, env: cliEnvironment(cwd) };
    return;
  }
  server = startCli(["serve", "--port", "0", "--json"], { cwd });
  if (server.stdout === null) throw new Error("the stream is piped");
  const [line]: Buffer[] = await once(server.stdout, "data");
  target = { url: new URL(`http://127.0.0.1:${JSON.parse(String(line)).port}/mcp`) };
}

async function stop(): Promise<void> {
  server?.kill();
  if (server !== undefined) await once(server, "close");
  server = undefined;
  await model[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
}

describe.each(["stdio", "http"])("over %s", (transport) => {
  beforeAll(() => start(transport));
  afterAll(stop);

  describe.each(eras)("a client of the $era era", ({ connect: connectClient, version, notFoundCode }) => {
    async function connect(options: ClientOptions = {}) {
      const connected = await connectClient(target, options);
      return { ...connected, [Symbol.asyncDispose]: () => connected.client.close() };
    }

    let open: ReturnType<typeof connect> | undefined;
    /** The connection of all tests without options; over stdio, each one is a process. After a failure, there is another. */
    const connectOnce = () => {
      onTestFailed(leave);
      return (open ??= connect());
    };
    const leave = async () => {
      const left = open;
      open = undefined;
      await (await left)?.[Symbol.asyncDispose]();
    };
    afterAll(leave);

    test("learns who answers, and how to use it", async () => {
      const mcp = await connectOnce();
      expect(mcp.version).toBe(version);
      expect(mcp.client.getServerVersion()).toMatchObject({ name: "citewell", title: "Citewell" });
      expect(mcp.client.getInstructions()).toContain("Order: search, read");
      expect(mcp.client.getServerCapabilities()).toMatchObject({
        tools: {},
        prompts: {},
        resources: { listChanged: true },
        completions: {},
      });
    });

    test("lists the tools", async () => {
      const mcp = await connectOnce();
      const { tools } = await mcp.client.listTools();
      expect(tools.map(({ name }) => name).toSorted()).toEqual([
        "ask",
        "history",
        "listResources",
        "read",
        "search",
        "upgrade",
        "verify",
      ]);
      expect(tools.find(({ name }) => name === "search")).toMatchObject({
        inputSchema: { type: "object", required: ["query"] },
        annotations: { readOnlyHint: true },
        _meta: { "anthropic/alwaysLoad": true },
      });
    });

    test.each<[tool: string, input: Record<string, unknown>, text: string]>([
      ["listResources", {}, "demo: local "],
      ["search", { query: "const a" }, "(demo)\n1|export const a = 1;"],
      ["read", { resource: "demo", path: "a.ts" }, "(demo)\n1|export const a = 1;"],
      ["verify", { text: "See [[demo:a.ts#L1]]." }, "line 1: verified, "],
      ["ask", { question: "what is a?" }, "1 citation: 1 verified."],
    ])("calls %s", async (tool, input, text) => {
      const mcp = await connectOnce();
      const result = await mcp.call(tool, input);
      expect(result).toMatchObject({ content: [{ type: "text", text: expect.stringContaining(text) }] });
      expect(result.isError).not.toBe(true);
      expect(result).not.toHaveProperty("structuredContent");
    });

    test("gets structured results if it declares so", async () => {
      await using mcp = await connect({ capabilities: { experimental: { [structuredCapability]: {} } } });
      const { tools } = await mcp.client.listTools();
      for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ type: "object" });
      const { structuredContent } = await mcp.call("ask", { question: "what is a?" });
      expect(structuredContent).toMatchObject({ citations: [{ path: "a.ts", startLine: 1, state: "verified" }] });
    });

    test("gets progress while its question is answered", async () => {
      const mcp = await connectOnce();
      const messages: (string | undefined)[] = [];
      const onprogress: CallOptions["onprogress"] = ({ message }) => void messages.push(message);
      await mcp.call("ask", { question: "what is a?" }, { onprogress });
      expect(messages).toContain("asking openai-compat/scripted");
    });

    test("stops the model when it cancels", async () => {
      const mcp = await connectOnce();
      const leaving = new AbortController();
      const next = model.requests.length;
      const call = mcp.call("ask", { question: "what lasts for ever?" }, { signal: leaving.signal });
      const request = await model.request(next);
      leaving.abort(new Error("enough"));
      await expect(call).rejects.toThrow("enough");
      await request.closed;
      // The connection is still good.
      expect(await mcp.call("listResources", {})).toMatchObject({
        content: [{ text: expect.stringMatching(/^demo: local /m) }],
      });
    });

    test("gets a failure as a result that says what to do", async () => {
      const mcp = await connectOnce();
      expect(await mcp.call("read", { resource: "absent", path: "a.ts" })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^ResourceNotFound: .*\nWhat to do: name a package as npm:/s) }],
      });
    });

    test("is refused an unknown tool, prompt and method, and parameters of the wrong shape", async () => {
      const mcp = await connectOnce();
      await expect(mcp.call("write", {})).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('no tool "write": there are ask, search'),
      });
      await expect(mcp.client.getPrompt({ name: "x" })).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining('no prompt "x": there are ask, explain-dependency'),
      });
      await expect(mcp.request("tools/cal", {})).rejects.toThrow(/no method "tools\/cal"|Method not found/);
      await expect(mcp.request("resources/read", {})).rejects.toMatchObject({
        code: -32_602,
        message: expect.stringContaining("resources/read: params.uri: missing: must be a string"),
      });
    });

    test("lists and gets prompts", async () => {
      const mcp = await connectOnce();
      const { prompts } = await mcp.client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(["ask", "explain-dependency", "upgrade"]);
      const prompt = await mcp.client.getPrompt({ name: "ask", arguments: { question: "why?" } });
      expect(prompt).toMatchObject({
        messages: [{ role: "user", content: { text: expect.stringContaining("why?") } }],
      });
    });

    test("lists, reads and completes resources", async () => {
      const mcp = await connectOnce();
      const uri = "citewell:/demo/";
      expect((await mcp.client.listResources()).resources).toContainEqual(expect.objectContaining({ uri }));
      expect(await mcp.client.readResource({ uri: `${uri}a.ts#L1` })).toMatchObject({
        contents: [{ text: "export const a = 1;\n" }],
      });
      const { resourceTemplates } = await mcp.client.listResourceTemplates();
      expect(resourceTemplates).toMatchObject([{ name: "file" }]);
      const ref = { type: "ref/resource", uri: resourceTemplates[0]?.uriTemplate ?? "" } as const;
      const completion = await mcp.client.complete({ ref, argument: { name: "resource", value: "de" } });
      expect(completion).toMatchObject({ completion: { values: ["demo"] } });
    });

    test("learns that a resource does not exist", async () => {
      const mcp = await connectOnce();
      const uri = "citewell:/demo/absent.ts";
      await expect(mcp.client.readResource({ uri })).rejects.toMatchObject({ code: notFoundCode, data: { uri } });
    });

    test("hears of resources that are added", async () => {
      let changed = () => {};
      const hasChanged = new Promise<void>((resolve) => (changed = resolve));
      await using mcp = await connect({ onResourcesChanged: changed });
      await mcp.client.listResources();
      const file = path.join(folder.path, ".home/citewell.config.jsonc");
      const config = JSON.parse(await readFile(file, "utf8"));
      const name = `more-${config.resources.length}`;
      config.resources.push({ type: "local", name, path: folder.path });
      await writeFile(file, JSON.stringify(config));
      await hasChanged;
      expect((await mcp.client.listResources()).resources).toContainEqual(expect.objectContaining({ name }));
    });
  });
});
