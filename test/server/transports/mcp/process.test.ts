import { once } from "node:events";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { createInterface } from "node:readline";
import { text as readText } from "node:stream/consumers";
import { ResourceListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type CliOptions, citewellFile, startCli } from "../../../support/cli.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { startMcpProcess } from "../../../support/mcp.ts";
import { scriptedModel } from "../../../support/scripted-model.ts";

const Message = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
type Message = z.infer<typeof Message>;

/** The built program, spoken to line by line; whatever it writes to standard output must be a message. */
async function speak(cwd: string, lines: readonly string[], options: Pick<CliOptions, "env" | "file"> = {}) {
  const child = startCli(["mcp", "--verbose"], { cwd, ...options, stdin: lines.map((line) => `${line}\n`).join("") });
  const messages: Message[] = [];
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the streams are piped");
  const logging = readText(stderr);
  for await (const line of createInterface(stdout)) messages.push(Message.parse(JSON.parse(line)));
  const [code] = child.exitCode === null ? await once(child, "close") : [child.exitCode];
  return { messages, code, log: await logging };
}

function request(id: number, method: string, params: unknown = {}): string {
  return JSON.stringify({ jsonrpc: "2.0", id, method, params });
}

const hello = request(0, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "test", version: "1" },
});

/** The metadata of a request of the current era. */
const _meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

async function withModel(folder: Folder, config: object): Promise<void> {
  const resources = [{ type: "local", name: "demo", path: path.join(folder.path, "demo") }];
  await folder.write(`
//- demo/a.ts
export const a = 1;
//- .home/citewell.config.jsonc
${JSON.stringify({ ...config, resources })}
`);
}

describe("citewell mcp", () => {
  test("answers what is no message, and goes on", async () => {
    await using folder = await temporaryFolder();
    const { messages, code } = await speak(folder.path, [
      "{ broken",
      "[]",
      '{"id":7}',
      "\u0000\uFFFD",
      "",
      hello,
      request(1, "no/such/method"),
      request(2, "tools/call", { name: "nobody" }),
      request(3, "resources/read", { uri: 7 }),
      request(5, "ping", { _meta: { progressToken: {} } }),
      request(4, "ping"),
    ]);
    const answers = messages.map(({ id, error }) => `${id}: ${error?.code ?? "ok"}`);
    expect(new Set(answers)).toEqual(
      new Set([
        "null: -32700",
        "null: -32600",
        "7: -32600",
        "0: ok",
        "1: -32601",
        "2: -32602",
        "3: -32602",
        "4: ok",
        "5: -32602",
      ]),
    );
    expect(messages.find(({ id }) => id === 2)?.error?.message).toContain("there are ask, search");
    expect(code).toBe(0);
  });

  test("answers both eras on one connection, and does not wait for the end of a subscription", async () => {
    await using folder = await temporaryFolder();
    const { messages, code } = await speak(folder.path, [
      request(5, "tools/list", { _meta: { ..._meta, "io.modelcontextprotocol/protocolVersion": "2099-01-01" } }),
      request(1, "server/discover", { _meta }),
      hello,
      request(2, "tools/list"),
      request(3, "subscriptions/listen", { _meta, notifications: { resourcesListChanged: true } }),
      request(4, "tools/list", { _meta }),
    ]);
    const byId = (wanted: number) => messages.find(({ id }) => id === wanted);
    expect(byId(1)?.result).toMatchObject({ resultType: "complete", supportedVersions: ["2026-07-28"] });
    expect(byId(0)?.result).toMatchObject({ protocolVersion: "2025-06-18" });
    expect(byId(2)?.result).not.toHaveProperty("resultType");
    expect(byId(4)?.result).toMatchObject({ resultType: "complete", tools: expect.anything() });
    expect(byId(5)?.error).toMatchObject({ code: -32_022 });
    expect(code).toBe(0);
  });

  test("reports a part of the program that is gone, and still answers the older era", async () => {
    await using folder = await temporaryFolder();
    const chunks = path.join(folder.path, "dist", "chunks");
    await cp(path.dirname(citewellFile), path.dirname(chunks), { recursive: true });
    const gone = (await readdir(chunks)).filter((name) => name.startsWith("current-"));
    expect(gone.length).toBeGreaterThan(0);
    for (const name of gone) await rm(path.join(chunks, name));
    const { messages, log } = await speak(
      folder.path,
      [request(1, "server/discover", { _meta }), request(2, "tools/list", { _meta }), hello, request(3, "tools/list")],
      { file: path.join(path.dirname(chunks), path.basename(citewellFile)) },
    );
    const answers = messages.map(({ id, error }) => [id, error?.message ?? "ok"]);
    const restart = "this version of the protocol cannot be served: restart citewell";
    expect(Object.fromEntries(answers)).toEqual({ 0: "ok", 1: restart, 2: restart, 3: "ok" });
    expect(log).toContain("protocol-not-loaded");
    expect(log.match(/protocol-not-loaded/g)).toHaveLength(1);
  });

  test("finishes the answers that run when its input ends", async () => {
    await using folder = await temporaryFolder();
    await using model = await scriptedModel([
      { toolCalls: [{ name: "read", input: { path: "a.ts" } }] },
      "It is 1 [[demo:a.ts#L1]].",
    ]);
    await withModel(folder, model.config);
    const { messages, code } = await speak(folder.path, [
      hello,
      request(1, "tools/call", { name: "ask", arguments: { question: "what is a?" } }),
    ]);
    expect(JSON.stringify(messages.find(({ id }) => id === 1))).toContain("1 citation: 1 verified.");
    expect(code).toBe(0);
  });

  test("keeps its output clean when the provider breaks", async () => {
    await using folder = await temporaryFolder();
    await using model = await scriptedModel([
      { text: ["It", " is"], closeAfter: 2 },
      { status: 500, body: {} },
    ]);
    await withModel(folder, model.config);
    const ask = (id: number) => request(id, "tools/call", { name: "ask", arguments: { question: "what is a?" } });
    const { messages } = await speak(folder.path, [hello, ask(1)]);
    expect(JSON.stringify(messages.find(({ id }) => id === 1))).toContain("ProviderFailed");
  });

  test("stops the model when its client goes, input and output", async () => {
    await using folder = await temporaryFolder();
    await using model = await scriptedModel([{ text: "It ", hang: true }]);
    await withModel(folder, model.config);
    const mcp = await startMcpProcess(folder.path);
    const call = mcp.client.callTool({ name: "ask", arguments: { question: "what is a?" } }).catch(() => "closed");
    const { closed } = await model.request(0);
    await mcp[Symbol.asyncDispose]();
    expect(await call).toBe("closed");
    await closed;
  });

  test("announces resources that were added to the configuration", async () => {
    await using folder = await temporaryFolder();
    await withModel(folder, {});
    await using mcp = await startMcpProcess(folder.path);
    const told = new Promise((resolve) => {
      mcp.client.setNotificationHandler(ResourceListChangedNotificationSchema, resolve);
    });
    expect((await mcp.client.listResources()).resources.map(({ name }) => name)).toEqual(["demo"]);
    const file = path.join(folder.path, ".home/citewell.config.jsonc");
    const config = JSON.parse(await readFile(file, "utf8"));
    config.resources.push({ type: "local", name: "more", path: folder.path });
    await writeFile(file, JSON.stringify(config));
    await told;
    expect((await mcp.client.listResources()).resources.map(({ name }) => name)).toEqual(["demo", "more"]);
  });

  test("has a server that runs for the same folder answer, and answers itself when that is gone", async () => {
    await using folder = await temporaryFolder();
    await using model = await scriptedModel(() => "It is 1.");
    await withModel(folder, model.config);
    const server = startCli(["serve", "--port", "0", "--verbose"], { cwd: folder.path });
    if (server.stdout === null || server.stderr === null) throw new Error("the streams are piped");
    let log = "";
    server.stderr.on("data", (chunk: Buffer) => (log += String(chunk)));
    await once(server.stdout, "data");
    await using mcp = await startMcpProcess(folder.path);
    const first = await mcp.call("ask", { question: "what is a?" });
    expect(first.text).toContain("It is 1.");
    await expect.poll(() => log).toContain("path=/question/stream");
    server.kill("SIGKILL");
    await once(server, "close");
    const second = await mcp.call("ask", { question: "what is a?" });
    expect(second.text).toContain("It is 1.");
  });

  test.each([
    ["of another version", { ok: true, service: "citewell", version: "99.0.0" }],
    ["that is another program's", { hello: "world" }],
  ])("answers itself beside a server %s", async (_, health) => {
    await using folder = await temporaryFolder();
    await using model = await scriptedModel(() => "It is 1.");
    await withModel(folder, model.config);
    const asked: unknown[] = [];
    const other = createServer((incoming, response) => {
      asked.push(incoming.url);
      response.setHeader("content-type", "application/json").end(JSON.stringify(health));
    });
    other.listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const file = { pid: 1, port, version: "99.0.0", folder: folder.path };
    await folder.write(`//- .home/data/server.json\n${JSON.stringify(file)}\n`);
    await using mcp = await startMcpProcess(folder.path);
    expect((await mcp.call("ask", { question: "what is a?" })).text).toContain("It is 1.");
    expect((await mcp.call("search", { query: "const a" })).text).toContain("export const a");
    expect(asked).toEqual(["/", "/"]);
    other.close();
  });
});
