import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { createKey, revokeKey } from "../../../../server/hosted/tenants/keys.ts";
import { listAudit } from "../../../../server/hosted/tenants/audit.ts";
import { createProject } from "../../../../server/hosted/tenants/projects.ts";
import { hostedTools } from "../../../../server/hosted/endpoint/tools.ts";
import { listTools } from "../../../../server/transports/mcp/tools.ts";
import { allTools, readingTools } from "../../../support/hosted-tools.ts";
import { type AskedService, startAskedService } from "../../../support/hosted.ts";
import { testEngines } from "../../../support/stores.ts";

const ToolList = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) });
const RpcFailure = z.object({
  id: z.string().nullable(),
  error: z.object({ code: z.number(), message: z.string() }),
  message: z.string().optional(),
});
const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
const listCall = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "listResources", arguments: {} } };

test("the definitions of the tools take few tokens of four characters, without output schemas", () => {
  const lengthOf = (tools: typeof hostedTools) => JSON.stringify(listTools(tools, { isStructured: false })).length;
  const managing = hostedTools.filter(({ scopes }) => scopes.every((scope) => scope === "manage"));
  const others = hostedTools.filter((tool) => !managing.includes(tool));
  expect([others.length, managing.length]).toEqual([8, 2]);
  expect(lengthOf(others)).toBeLessThan(4 * 1800);
  expect(lengthOf(managing)).toBeLessThan(4 * 500);
});

describe.each(testEngines())("POST /api/mcp on $name", (engine) => {
  let service: AskedService;
  let key: string;
  beforeAll(async () => {
    service = await startAskedService(await engine.createDatabase(), () => "It retries [[lib:retry.ts#L1]].");
    key = await service.key();
    await service.addLib(key);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  async function connect(): Promise<Client> {
    const client = new Client({ name: "test", version: "1" });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
    return client;
  }

  test("the official client lists the tools and calls each of them", async () => {
    await using client = disposable(await connect());
    const { tools } = await client.value.listTools();
    expect(tools.map(({ name }) => name).toSorted()).toEqual(allTools);
    await service.git.commit("second", { "a.ts": "export const otters = 0;\n" });
    await service.git.commit("second", { "a.ts": "export const otters = 1;\n" });
    const calls: [string, Record<string, unknown>][] = [
      ["addResource", { type: "git", name: "second", url: service.git.url("second") }],
      ["sync", { resource: "second" }],
      ["listResources", {}],
      ["search", { query: "otters", mode: "exact" }],
      ["read", { resource: "second", path: "a.ts" }],
      ["history", { resource: "second", place: "a.ts" }],
      ["compare", { before: "second@HEAD~1", after: "HEAD" }],
      ["listRevisions", { resource: "second" }],
      ["verify", { text: "See second:a.ts:1.", resources: ["second"] }],
      ["ask", { question: "How often does it retry?", resources: ["lib"] }],
    ];
    for (const [name, args] of calls) {
      expect({ name, ...(await client.value.callTool({ name, arguments: args })) }).toMatchObject({
        name,
        isError: false,
      });
      // On a busy machine the fetch takes longer than a call waits for it.
      if (name === "sync") await service.untilFetched();
    }
  });

  test("an answer has its checked citations in structuredContent", async () => {
    const { isError, structuredContent } = await service.call(key, "ask", {
      question: "Does it retry?",
      resources: ["lib"],
    });
    expect({ isError, structuredContent }).toMatchObject({
      isError: false,
      structuredContent: {
        resources: ["lib"],
        citations: [{ resource: "lib", path: "retry.ts", startLine: 1, endLine: 1, state: "not-read" }],
      },
    });
  });

  test("results name no path of the server", async () => {
    const { content, structuredContent } = await service.call(key, "ask", { question: "Does it retry?" });
    expect(JSON.stringify([content, structuredContent])).not.toMatch(/citewell-test-|\/tmp\//);
  });

  test.each([["application/json"], ["*/*"], ["text/html"]])(
    "a client without initialize that accepts %s gets JSON",
    async (accept) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept };
      const response = await service.send(key, listCall, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toContain("application/json");
      expect(await response.json()).toMatchObject({ jsonrpc: "2.0", id: 7, result: { isError: false } });
    },
  );

  test("with results=text, results and the list of tools have text only", async () => {
    const send = async (message: unknown) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const init = { method: "POST", headers, body: JSON.stringify(message) };
      return (await fetch(`${service.url}?results=text`, init)).text();
    };
    expect(await send({ ...listCall, method: "tools/list" })).not.toContain("outputSchema");
    for (const [name, args] of [
      ["listResources", {}],
      ["ask", { question: "Does it retry?" }],
    ]) {
      const reply = await send({ ...listCall, params: { name, arguments: args } });
      expect(reply).toContain('"isError":false');
      expect(reply).not.toContain("structuredContent");
    }
  });

  test("results that are neither text nor structured are refused", async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(ping) };
    const response = await fetch(`${service.url}?results=xml`, init);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining("xml") } });
  });

  test("an id may be a text, and a project may be named that is the key's", async () => {
    const params = { ...listCall.params, project: service.project.name };
    const response = await service.send(key, { ...listCall, id: "seven", params });
    expect(await response.json()).toMatchObject({ id: "seven", result: { isError: false } });
  });

  test("a number beyond its limit is taken as the limit, and the result says so", async () => {
    const { isError, content } = await service.call(key, "search", { query: "retries", limit: 500 });
    expect(isError).toBe(false);
    expect(content[0]?.text).toMatch(/limit is at most 100: 100 was taken\.$/);
  });

  test.each([
    ["an unknown tool", "nonsense", {}, "InvalidRequest: no tool"],
    ["missing arguments", "ask", {}, "InvalidRequest: question"],
    ["an unknown resource", "ask", { question: "?", resources: ["none"] }, "ResourceNotFound"],
    ["a package that is not registered", "search", { query: "a", resources: ["npm:zod"] }, "ResourceNotFound"],
    ["a local folder", "addResource", { type: "local", name: "etc", path: "/etc" }, "InvalidRequest: type"],
    ["a private address", "addResource", { type: "git", name: "x", url: "https://10.0.0.1/a" }, "AddressNotAllowed"],
    [
      "a package at an address",
      "addResource",
      { type: "npm", name: "x", package: "zod", version: "https://10.0.0.1/x.tgz" },
      "InvalidRequest: version",
    ],
    [
      "a package in a folder",
      "addResource",
      { type: "npm", name: "x", package: "file:/etc" },
      "InvalidRequest: package",
    ],
    ["a name that is taken", "addResource", { type: "npm", name: "lib", package: "zod" }, "ResourceNameTaken"],
    ["syncing an unknown resource", "sync", { resource: "none" }, "ResourceNotFound: no resource named"],
  ])("%s is a result with isError", async (_name, tool, args, text) => {
    const { isError, content } = await service.call(key, tool, args);
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain(text);
  });

  test.each([
    ["sync", { name: "lib" }, "sync has no argument `name`; did you mean `resource`?"],
    ["ask", { question: "x", resource: "lib" }, "ask has no argument `resource`; did you mean `resources`?"],
    ["search", { query: "x", resource: "lib" }, "search has no argument `resource`; did you mean `resources`?"],
    ["listResources", { foo: 1 }, "listResources has no argument `foo`"],
    [
      "addResource",
      { type: "npm", name: "ms", package: "ms", branch: "dev" },
      "addResource of type npm has no argument `branch`",
    ],
  ])("%s refuses an unknown argument of %j by name", async (tool, input, error) => {
    const { isError, content } = await service.call(key, tool, input);
    expect({ isError, text: content[0]?.text }).toEqual({ isError: true, text: expect.stringContaining(error) });
  });

  test("null means absent, in params, arguments and _meta", async () => {
    const call = { name: "search", arguments: { query: "retries", resources: null, limit: null }, _meta: null };
    for (const message of [
      { ...listCall, method: "tools/list", params: null },
      { ...listCall, params: { name: "listResources", arguments: null } },
      { ...listCall, params: call },
    ]) {
      const response = await service.send(key, message);
      const body: unknown = await response.json();
      expect(body).toHaveProperty("result");
      expect(body).not.toHaveProperty("result.isError", true);
    }
  });

  test("an unknown method is a JSON-RPC error", async () => {
    const response = await service.send(key, { ...ping, method: "nonsense" });
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32_601 } });
  });

  test("a tool that is taken for a method is answered with the call that works", async () => {
    const reply = await service.send(key, { jsonrpc: "2.0", id: "x", method: "listResources" });
    const { id, error } = RpcFailure.parse(await reply.json());
    expect([id, error.code]).toEqual(["x", -32_601]);
    const [call = ""] = /\{.*\}/.exec(error.message) ?? [];
    const answer = await service.send(key, { jsonrpc: "2.0", id: 2, ...JSON.parse(call) });
    expect(await answer.json()).toMatchObject({ id: 2, result: { isError: false } });
  });

  test("a notification is accepted without a body", async () => {
    const response = await service.send(key, { jsonrpc: "2.0", method: "notifications/initialized" });
    expect([response.status, await response.text()]).toEqual([202, ""]);
  });

  test.each([
    ["a batch", [ping, ping], -32_600],
    ["an empty batch", [], -32_600],
    ["no JSON-RPC", { hello: 1 }, -32_700],
    ["an id that is null", { ...ping, id: null }, -32_700],
  ])("%s is refused", async (_name, message, code) => {
    const response = await service.send(key, message);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code } });
  });

  test.each([
    ["an empty object", {}, /jsonrpc: .*; method: /],
    ["no jsonrpc", { id: 1, method: "ping" }, /jsonrpc: missing: /],
    ["another jsonrpc", { ...ping, jsonrpc: "1.0" }, /jsonrpc: "1\.0": /],
    ["a method that is no text", { ...ping, method: 7 }, /method: 7: /],
    ["an id that is null", { ...ping, id: null }, /id: null: /],
    ["parameters in a list", { ...ping, params: [] }, /params: /],
    ["a text", "ping", /"ping"/],
    ["null", null, /null/],
  ])("the message of a refusal names the field: %s", async (_name, sent, said) => {
    const { id, error, message } = RpcFailure.parse(await (await service.send(key, sent)).json());
    expect([id, error]).toEqual([null, { code: -32_700, message }]);
    expect(message).toMatch(said);
  });

  test("a body that is no JSON, no JSON type or too large is refused", async () => {
    const authorization = `Bearer ${key}`;
    const broken = await service.send(key, undefined, { body: "{" });
    expect([broken.status, await broken.json()]).toMatchObject([400, { error: { code: -32_700 } }]);
    const text = await service.send(key, ping, { headers: { authorization, "content-type": "text/plain" } });
    expect([text.status, await text.json()]).toMatchObject([415, { error: "NotJson" }]);
    const large = await service.send(key, { ...ping, params: { text: "x".repeat(2 ** 21) } });
    expect([large.status, await large.json()]).toMatchObject([413, { error: "RequestTooLarge" }]);
  });

  test.each(["GET", "DELETE", "PUT"])("%s is 405", async (method) => {
    const response = await fetch(service.url, { method, headers: { authorization: `Bearer ${key}` } });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await response.json()).toEqual({ error: "MethodNotAllowed", message: expect.any(String) });
  });

  test.each([
    ["no key", {}],
    ["another scheme", { authorization: "Basic abc" }],
    ["a text that is no key", { authorization: "Bearer abc" }],
  ])("%s is 401", async (_name, headers) => {
    const response = await service.send(key, ping, { headers: { ...headers, "content-type": "application/json" } });
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect(await response.json()).toEqual({ error: "KeyInvalid", message: expect.any(String) });
  });

  test("a revoked key is 401 at once", async () => {
    const { key: own, listing } = await createKey(service.store, service.project, { name: "brief", scopes: ["read"] });
    expect((await service.send(own, ping)).status).toBe(200);
    await revokeKey(service.store, service.project, listing.id);
    expect((await service.send(own, ping)).status).toBe(401);
  });

  test("a key without the scope is 403, and its tools are not listed", async () => {
    const reading = await service.key(["read"]);
    const call = { ...listCall, params: { name: "ask", arguments: { question: "?" } } };
    const response = await service.send(reading, call);
    expect([response.status, await response.json()]).toEqual([
      403,
      { error: "OperationNotAllowed", message: 'the tool "ask" needs the scope ask (this key has read)' },
    ]);
    const listed = await service.send(reading, { ...ping, method: "tools/list" });
    const { result } = ToolList.parse(await listed.json());
    expect(result.tools.map(({ name }) => name).toSorted()).toEqual(readingTools);
  });

  test("a project sees nothing of another's, and naming another one is 403", async () => {
    const stranger = await createProject(service.store, "stranger");
    const { key: own } = await createKey(service.store, stranger, { name: "own", scopes: ["ask", "read", "manage"] });
    expect((await service.call(own, "listResources")).structuredContent).toEqual({ resources: [] });
    expect((await service.call(own, "read", { resource: "lib", path: "retry.ts" })).isError).toBe(true);
    const foreign = { ...listCall, params: { ...listCall.params, project: service.project.id } };
    expect((await service.send(own, foreign)).status).toBe(403);
  });

  test("health and readiness need no key", async () => {
    const [health, readiness] = await Promise.all(
      ["/healthz", "/readyz"].map((path) => fetch(new URL(path, service.url))),
    );
    expect([health?.status, await health?.json()]).toEqual([200, { ok: true, service: "citewell", version: "1.2.3" }]);
    expect([readiness?.status, await readiness?.json()]).toEqual([200, { ok: true }]);
  });

  test("adding a resource is in the audit log", async () => {
    const entries = await listAudit(service.store, service.project.id);
    expect(entries).toContainEqual(expect.objectContaining({ action: "resource.added", target: "lib" }));
  });

  test("an unsupported protocol version is refused with those that are supported", async () => {
    const headers = {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "mcp-protocol-version": "1999-01-01",
    };
    const response = await service.send(key, ping, { headers });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("supported versions");
  });
});

function disposable(value: Client): AsyncDisposable & { value: Client } {
  return { value, [Symbol.asyncDispose]: () => value.close() };
}
