import { describe, expect, test } from "vitest";
import type { AskEvent } from "../../server/protocol/ask.ts";
import type { Handlers } from "../../server/protocol/operations.ts";
import { hostedTools } from "../../server/hosted/endpoint/tools.ts";
import { listTools } from "../../server/transports/mcp/tools.ts";
import { startHttp, type TestServer } from "../support/http.ts";
import { serveInMemory } from "../support/lsp.ts";
import { config, startMcp } from "../support/mcp.ts";

/** Handlers that note what they were called with. */
function recording() {
  const calls: unknown[] = [];
  const meta: AskEvent = {
    type: "meta",
    model: { provider: "p", model: "m" },
    resources: ["zod"],
    collection: { key: "zod", path: "" },
    snapshots: [],
    warnings: ["the first"],
  };
  const handlers: Partial<Handlers> = {
    getConfig: async () => config,
    async *ask(request) {
      calls.push(request);
      yield meta;
      yield { type: "done", text: "So.", reasoning: "", tools: [], citations: [] };
    },
    async question(request) {
      calls.push(request);
      const { type: _, ...facts } = meta;
      return { answer: "So.", citations: [], ...facts };
    },
    async search(request) {
      calls.push(request);
      return { results: [], skipped: [], searchedFiles: 1 };
    },
    async addResource(spec) {
      calls.push(spec);
      return spec;
    },
    async removeResource({ name }) {
      return { success: true, name };
    },
    async setModel(choice) {
      calls.push(choice);
      return { ...choice, savedTo: "global" };
    },
  };
  return { calls, handlers };
}

const git = { type: "git", name: "lib", url: "https://github.com/a/b", branch: "main" };

describe("over HTTP, where older clients go on working", () => {
  async function send(call: `${string} /${string}`, body: unknown) {
    const { calls, handlers } = recording();
    await using server = await startHttp(handlers);
    const response = await server.send(call, body);
    const text = await response.text();
    return { status: response.status, text, calls };
  }

  test.each([
    [
      "POST /question",
      { question: "x", resource: ["lib"] },
      "POST /question has no field `resource`; did you mean `resources`?",
    ],
    ["POST /question/stream", { query: "x" }, "POST /question/stream has no field `query`; did you mean `question`?"],
    [
      "POST /search",
      { query: "x", Resources: ["a"] },
      "POST /search has no field `Resources`; did you mean `resources`?",
    ],
    [
      "PUT /config/model",
      { provider: "openai-compat", model: "m", providerOptions: { baseUrl: "u" } },
      "providerOptions has no field `baseUrl`; did you mean `baseURL`?",
    ],
    [
      "POST /config/resources",
      { ...git, search_path: "a" },
      "POST /config/resources of type git has no field `search_path`; did you mean `searchPath`?",
    ],
  ] as const)("%s refuses %j: a field that is nearly a known one", async (call, body, error) => {
    const { status, text, calls } = await send(call, body);
    expect({ status, body: JSON.parse(text) }).toMatchObject({ status: 400, body: { tag: "InvalidRequest", error } });
    expect(calls).toEqual([]);
  });

  test("any other field is ignored, and named in meta.warnings", async () => {
    const { status, text } = await send("POST /question/stream", { question: "x", foo: 1 });
    expect(status).toBe(200);
    expect(text).toContain('"warnings":["the first","POST /question/stream has no field `foo`; it was ignored"]');
  });

  test("any other field is ignored, and named in the warnings of a reply", async () => {
    const question = await send("POST /question", { question: "x", foo: 1 });
    expect(JSON.parse(question.text)).toMatchObject({
      warnings: ["the first", "POST /question has no field `foo`; it was ignored"],
    });
    const added = await send("POST /config/resources", { ...git, extra: 1 });
    const warnings = ["POST /config/resources of type git has no field `extra`; it was ignored"];
    expect(JSON.parse(added.text)).toEqual({ ...git, warnings });
    const removed = await send("DELETE /config/resources?name=lib&t=1", undefined);
    expect(JSON.parse(removed.text)).toMatchObject({
      success: true,
      name: "lib",
      warnings: [expect.stringContaining("`t`")],
    });
  });

  test.each([
    ["POST /question/stream", { question: "x", resources: ["a"], quiet: true }],
    ["POST /question", { question: "x", resources: ["a"], quiet: false }],
    ["POST /config/resources", { ...git, searchPath: null, searchPaths: ["a"], specialNotes: null }],
    ["POST /config/resources", { type: "local", name: "docs", path: "/docs", specialNotes: "n" }],
    ["POST /config/resources", { type: "npm", name: "ms", package: "ms", version: null, specialNotes: null }],
    [
      "PUT /config/model",
      { provider: "openai-compat", model: "m", providerOptions: { baseURL: "http://127.0.0.1:9/v1", name: "n" } },
    ],
    ["DELETE /config/resources", { name: "lib" }],
    ["POST /config/resources", { ...git, path: null, package: null, version: null }],
  ] as const)("%s takes the contract's body %j without a warning", async (call, body) => {
    const { status, text } = await send(call, body);
    expect({ status, text }).toMatchObject({ status: 200, text: expect.not.stringContaining("ignored") });
  });

  test("a resource may be sent as it was listed", async () => {
    const state = { state: "ready", revision: "abc", fetchedAt: "2026-01-01T00:00:00Z", sizeBytes: 1, fileCount: 1 };
    const listed = { ...state, failure: "no network", origin: "listed", package: null, version: null };
    const { status, text } = await send("POST /config/resources", { ...git, ...listed });
    expect({ status, body: JSON.parse(text) }).toEqual({ status: 200, body: git });
    const npm = { type: "npm", name: "ms", package: "ms" };
    const other = await send("POST /config/resources", { ...npm, ...state, url: null, installedVersion: "2.1.3" });
    expect({ status: other.status, body: JSON.parse(other.text) }).toEqual({ status: 200, body: npm });
  });

  test("null is a field left out", async () => {
    const { status, calls } = await send("POST /question", {
      question: "x",
      resources: null,
      quiet: null,
      thread: null,
    });
    expect({ status, calls }).toEqual({ status: 200, calls: [{ question: "x", scope: "configured" }] });
  });
});

describe("LSP", () => {
  test("refuses an unknown field by name", async () => {
    const { calls, handlers } = recording();
    const { call } = await serveInMemory(handlers);
    expect(await call("citewell/search", { query: "x", resource: "a" })).toMatchObject({
      message: "citewell/search has no field `resource`; did you mean `resources`?",
    });
    expect(await call("citewell/search", { query: "x", foo: 1 })).toMatchObject({
      message: "citewell/search has no field `foo`",
    });
    expect(calls).toEqual([]);
  });

  test("takes null for a field left out, and the tokens of the protocol", async () => {
    const { calls, handlers } = recording();
    const { call } = await serveInMemory(handlers);
    const params = { query: "x", resources: null, workDoneToken: 1, partialResultToken: null };
    expect(await call("citewell/search", params)).toHaveProperty("result");
    expect(calls).toEqual([{ query: "x", limit: 20, mode: "ranked" }]);
  });
});

const revisionKey = "io.modelcontextprotocol/protocolVersion";

/** How a client of each era posts one message to `/mcp`. */
const eras: Record<string, (server: TestServer, method: string, params: object | null) => Promise<unknown>> = {
  async older(server, method, params) {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const post = (body: object, more: Record<string, string> = {}) =>
      server.send("POST /mcp", undefined, { body: JSON.stringify(body), headers: { ...headers, ...more } });
    const hello = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "t", version: "1", title: null },
    };
    const first = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello });
    await first.text();
    const session = { "mcp-session-id": first.headers.get("mcp-session-id") ?? "" };
    return lastOf(await (await post({ jsonrpc: "2.0", id: 2, method, params }, session)).text());
  },
  async current(server, method, params) {
    const meta = { [revisionKey]: "2026-07-28", "io.modelcontextprotocol/clientInfo": { name: "t", version: "1" } };
    const _meta = { ...meta, "io.modelcontextprotocol/clientCapabilities": {}, progressToken: null };
    const name = params !== null && "name" in params ? { "mcp-name": String(params.name) } : {};
    const headers = { "content-type": "application/json", "mcp-protocol-version": "2026-07-28", "mcp-method": method };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 2, method, params: { ...params, _meta } });
    const response = await server.send("POST /mcp", undefined, { body, headers: { ...headers, ...name } });
    return lastOf(await response.text());
  },
};

/** The last message of a reply, whole or streamed. */
function lastOf(text: string): unknown {
  const lines = text.split("\n").filter((line) => line.startsWith("data: {"));
  return JSON.parse(lines.at(-1)?.slice("data: ".length) ?? text);
}

describe.each(Object.entries(eras))("/mcp in the %s era", (_, post) => {
  test("refuses an unknown argument by name", async () => {
    const { calls, handlers } = recording();
    await using server = await startHttp(handlers);
    const call = (name: string, input: object) => post(server, "tools/call", { name, arguments: input });
    const refused = (text: string) => ({
      result: { isError: true, content: [{ text: expect.stringContaining(text) }] },
    });
    expect(await call("ask", { question: "x", resource: "zod" })).toMatchObject(
      refused("ask has no argument `resource`; did you mean `resources`?"),
    );
    expect(await call("search", { query: "x", name: "zod", foo: 1 })).toMatchObject(
      refused("search has no argument `name`; did you mean `resources`? search has no argument `foo`"),
    );
    expect(await call("search", { query: "x", quiet: true })).toMatchObject(refused("search has no argument `quiet`"));
    expect(await call("listResources", { foo: 1 })).toMatchObject(refused("listResources has no argument `foo`"));
    expect(calls).toEqual([]);
  });

  test("takes null for what is left out", async () => {
    const { calls, handlers } = recording();
    await using server = await startHttp(handlers);
    const listed = await post(server, "tools/list", null);
    expect(listed).toMatchObject({ result: { tools: [{ name: "ask" }, {}, {}, {}, {}, {}, {}] } });
    const input = { query: "x", resources: null, limit: null, mode: null, glob: null };
    expect(await post(server, "tools/call", { name: "search", arguments: input })).not.toHaveProperty("result.isError");
    expect(calls).toEqual([expect.not.objectContaining({ glob: null })]);
  });
});

test("what is wrong with known arguments is said first", async () => {
  const { handlers } = recording();
  await using mcp = await startMcp(handlers);
  const { text } = await mcp.call("search", { query: "x", mode: "fuzzy", name: "zod" });
  expect(text).toMatch(
    /^InvalidRequest: mode: "fuzzy": must be .*\. search has no argument `name`; did you mean `resources`\?/,
  );
});

test("in process, arguments and _meta may be null", async () => {
  const { handlers } = recording();
  await using mcp = await startMcp(handlers);
  const result = await mcp.call("search", { query: "x", resources: null });
  expect(result.isError).toBeUndefined();
});

test("no tool takes arguments that it does not list", async () => {
  await using mcp = await startMcp({});
  const local = (await mcp.client.listTools()).tools;
  const tools = [...local, ...listTools(hostedTools, { isStructured: false })];
  expect(tools).toHaveLength(local.length + hostedTools.length);
  expect(tools.map(({ inputSchema }) => inputSchema["additionalProperties"])).toEqual(tools.map(() => false));
});

test("a client that knows the results of this version takes those of a later one, with more fields", () => {
  const tools = listTools(hostedTools, { isStructured: true });
  const schemas = tools.flatMap(({ outputSchema }) => (outputSchema === undefined ? [] : [outputSchema]));
  expect(schemas).not.toEqual([]);
  expect(JSON.stringify(schemas)).not.toContain('"additionalProperties":false');
});
