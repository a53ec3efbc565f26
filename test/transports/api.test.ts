import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { silentLog } from "../../server/lib/log.ts";
import { ErrorBody } from "../../server/protocol/error.ts";
import { errorKinds } from "../../server/protocol/error-tags.ts";
import { type Operation, type OperationName, operations } from "../../server/protocol/operations.ts";
import { serveHttp } from "../../server/transports/http/http.ts";
import { statusByKind } from "../../server/transports/http/status.ts";
import { localApp } from "../support/connect.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startLsp } from "../support/lsp.ts";
import { scriptedModel } from "../support/scripted-model.ts";

/** The rows of docs/contract.md, "Local server API", over the real application. */
const rows: Record<string, (api: Api) => Promise<void>> = {
  "GET / is the health check": async (api) => {
    expect(await api.call("GET /")).toEqual({ status: 200, body: { ok: true, service: "citewell", version: "1.2.3" } });
  },
  "GET /config summarises what is in force": async (api) => {
    const { body } = await api.call("GET /config", undefined, "getConfig");
    expect(body).toMatchObject({
      provider: "openai-compat",
      model: "scripted",
      providerTimeoutMs: 300_000,
      maxSteps: 40,
      resourceCount: 1,
      sources: { provider: "global", model: "global" },
    });
  },
  "PUT /config/model answers the same fields and where they went": async (api) => {
    const choice = { provider: "builtin", model: "extractive" };
    expect(await api.call("PUT /config/model", choice, "setModel")).toMatchObject({
      status: 200,
      body: { ...choice, savedTo: "global" },
    });
    expect((await api.call("GET /config")).body).toMatchObject(choice);
    expect(await readFile(api.configFile, "utf8")).toContain("// ours");
  },
  "PUT /config/model for the compatible server needs its address": async (api) => {
    await api.call("PUT /config/model", { provider: "builtin", model: "extractive" });
    const options = { baseURL: "http://127.0.0.1:9/v1", name: "local" };
    const set = await api.call(
      "PUT /config/model",
      { provider: "openai-compat", model: "m", providerOptions: options },
      "setModel",
    );
    expect(set).toMatchObject({
      status: 200,
      body: { provider: "openai-compat", model: "m", providerOptions: options },
    });
  },
  "PUT /config/model asks the provider whether it serves the model": async (api) => {
    expect(await api.call("PUT /config/model", { provider: "openai-compat", model: "script" })).toEqual({
      status: 400,
      body: {
        tag: "ModelNotFound",
        error: 'the provider openai-compat has no model "script"',
        hint: "did you mean scripted?",
      },
    });
    const { body } = await api.call("PUT /config/model", { provider: "openai-compat", model: "scripted" }, "setModel");
    expect(body).not.toHaveProperty("hint");
    const unasked = await api.call("PUT /config/model", { provider: "anthropic", model: "new" }, "setModel");
    expect(unasked).toMatchObject({
      status: 200,
      body: { hint: "the model was not checked: the provider anthropic has no key" },
    });
  },
  "PUT /config/model refuses what is incomplete or unknown": async (api) => {
    expect(await api.call("PUT /config/model", { provider: "builtin" })).toMatchObject({
      status: 400,
      body: { tag: "InvalidRequest", error: expect.stringContaining("model: missing") },
    });
    expect(await api.call("PUT /config/model", { provider: "nobody", model: "x" })).toMatchObject({ status: 400 });
    expect(await api.call("PUT /config/model", { provider: "builtin", model: "x" })).toMatchObject({ status: 400 });
  },
  "a row of GET /resources may be sent to POST /config/resources": async (api) => {
    const npm = { type: "npm", name: "ms", package: "ms", version: "2.1.3" };
    await api.call("POST /config/resources", npm, "addResource");
    const { body } = await api.call("GET /resources", undefined, "listResources");
    const { resources } = z.object({ resources: z.array(z.looseObject({ name: z.string() })) }).parse(body);
    expect(resources.length).toBeGreaterThan(1);
    for (const resource of resources) {
      await api.call("DELETE /config/resources", { name: resource.name }, "removeResource");
      const { status, body: added } = await api.call("POST /config/resources", resource, "addResource");
      expect({ status, added }).toMatchObject({ status: 200, added: { name: resource.name } });
      expect(added).not.toHaveProperty("warnings");
    }
    expect((await api.call("GET /resources", undefined, "listResources")).body).toMatchObject({
      resources: expect.arrayContaining(resources.map(({ name }) => expect.objectContaining({ name }))),
    });
  },
  "POST /config/resources adds and returns the resource": async (api) => {
    const created = { type: "git", name: "svelte", url: "https://github.com/sveltejs/svelte", branch: "main" };
    const page = { ...created, branch: undefined, url: "https://github.com/sveltejs/svelte/tree/main/packages" };
    expect(await api.call("POST /config/resources", page, "addResource")).toEqual({ status: 200, body: created });
    const taken = await api.call("POST /config/resources", page);
    expect(taken).toMatchObject({ status: 400, body: { tag: "ResourceNameTaken" } });
  },
  "POST /config/resources names every field at fault": async (api) => {
    const { status, body } = await api.call("POST /config/resources", { type: "git", name: "a..b", url: "http://x/y" });
    expect(status).toBe(400);
    expect(body).toMatchObject({ tag: "InvalidRequest", error: expect.stringMatching(/name: "a\.\.b".*url: "http:/) });
  },
  "DELETE /config/resources takes the name from the body": async (api) => {
    const answer = await api.call("DELETE /config/resources", { name: "demo" }, "removeResource");
    expect(answer).toEqual({ status: 200, body: { success: true, name: "demo" } });
    expect((await api.call("GET /resources")).body).toEqual({ resources: [] });
  },
  "DELETE /config/resources takes the name from the query, and 404 for one that is unknown": async (api) => {
    expect(await api.call("DELETE /config/resources?name=demo")).toMatchObject({ status: 200 });
    const gone = await api.call("DELETE /config/resources?name=demo");
    expect(gone).toMatchObject({ status: 404, body: { tag: "ResourceNotFound" } });
  },
  "GET /resources lists every field, null where it does not apply": async (api) => {
    const { body } = await api.call("GET /resources", undefined, "listResources");
    expect(body).toMatchObject({
      resources: [{ type: "local", name: "demo", url: null, branch: null, searchPath: null, state: "ready" }],
    });
  },
  "GET /providers tells who can be asked": async (api) => {
    const { body } = await api.call("GET /providers", undefined, "listProviders");
    expect(body).toMatchObject({ connected: expect.arrayContaining(["builtin", "openai-compat"]) });
    const all = z.object({ all: z.array(z.object({ id: z.string() })) }).parse(body).all;
    expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining(["builtin", "openai-compat"]));
  },
  "POST /question answers whole": async (api) => {
    const { status, body } = await api.call(
      "POST /question",
      { question: "How long?", resources: ["demo"] },
      "question",
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      answer: expect.stringContaining("100 ms"),
      model: { provider: "openai-compat", model: "scripted" },
      resources: ["demo"],
      collection: { key: "demo", path: expect.any(String) },
      citations: [{ path: "src/retry.ts", state: "not-read" }],
    });
  },
  "POST /reload-config returns the names in force": async (api) => {
    const answer = await api.call("POST /reload-config", {}, "reloadConfig");
    expect(answer).toEqual({ status: 200, body: { ok: true, resources: ["demo"] } });
  },
  "POST /clear counts the clones it removed, and never touches a folder": async (api) => {
    expect(await api.call("POST /clear", {}, "clear")).toEqual({ status: 200, body: { cleared: 0 } });
    expect(await readFile(path.join(api.folder, "demo/src/retry.ts"), "utf8")).toContain("delayMs");
  },
  "POST /search finds ranked passages": async (api) => {
    const { body } = await api.call("POST /search", { query: "retry delay" }, "search");
    expect(body).not.toHaveProperty("hasMore");
    expect((await api.call("POST /search", { query: "retry delay", limit: 1 }, "search")).body).toMatchObject({
      results: [expect.anything()],
      hasMore: true,
    });
    expect(body).toMatchObject({
      results: expect.arrayContaining([
        expect.objectContaining({
          resource: "demo",
          path: "src/retry.ts",
          kind: "code",
          preview: expect.stringContaining("delayMs"),
        }),
      ]),
      skipped: [],
    });
  },
  "POST /search that finds nothing says how much was searched, and which files may be meant": async (api) => {
    expect((await api.call("POST /search", { query: "retyr", mode: "exact" }, "search")).body).toMatchObject({
      results: [],
      searchedFiles: expect.any(Number),
      nearest: [{ resource: "demo", path: "src/retry.ts" }],
    });
  },
  "POST /search finds exact text and expressions, of the kinds that are wanted": async (api) => {
    const exact = await api.call("POST /search", { query: "delayMs = 100", mode: "exact" }, "search");
    expect(exact.body).toMatchObject({ results: [{ path: "src/retry.ts", startLine: 2, endLine: 2 }] });
    const regex = await api.call("POST /search", { query: "\\b100\\b", mode: "regex", kinds: ["docs"] }, "search");
    expect(regex.body).toMatchObject({ results: [{ path: "README.md", kind: "docs" }] });
    const page = {
      query: "RETRY|delayMs\\b",
      mode: "regex",
      ignoreCase: true,
      contextLines: 1,
      glob: "src/**",
      limit: 1,
    };
    expect((await api.call("POST /search", { ...page, offset: 1 }, "search")).body).toMatchObject({
      results: [{ path: "src/retry.ts", startLine: 1, endLine: 3 }],
      matches: 2,
      cut: ["1 of 2 matching lines is shown"],
    });
    expect(await api.call("POST /search", { query: "(", mode: "regex" })).toMatchObject({ status: 400 });
    expect(await api.call("POST /search", { query: "x", limit: 101 })).toMatchObject({ status: 400 });
  },
  "POST /search counts the lines of each file that match": async (api) => {
    const request = { query: "delayMs", mode: "exact", counts: true, glob: "src/**" };
    expect((await api.call("POST /search", request, "search")).body).toMatchObject({
      results: [],
      counts: [{ resource: "demo", path: "src/retry.ts", matches: expect.any(Number) }],
      matchingFiles: 1,
      matches: expect.any(Number),
    });
  },
  "POST /history finds the commits of a place, and says where there are none": async (api) => {
    const request = { resource: "demo", place: "src/retry.ts:1" };
    const none = await api.call("POST /history", request);
    expect(none).toMatchObject({ status: 404, body: { tag: "RepositoryNotFound" } });
    const identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false"];
    for (const args of [
      ["init", "--quiet"],
      ["add", "."],
      ["commit", "--quiet", "--message=Retry"],
    ]) {
      execFileSync("git", [...identity, ...args], { cwd: path.join(api.folder, "demo") });
    }
    expect((await api.call("POST /history", request, "history")).body).toMatchObject({
      of: "src/retry.ts:1",
      commits: [{ subject: "Retry", author: "Ada", files: [{ path: "src/retry.ts", change: "added" }] }],
    });
    expect(await api.call("POST /history", { place: "a", limit: 51 })).toMatchObject({ status: 400 });
  },
  "POST /upgrade is about a dependency of the open project": async (api) => {
    expect(await api.call("POST /upgrade", { package: "zod" })).toMatchObject({ status: 400 });
    expect(await api.call("POST /upgrade", { package: "" })).toMatchObject({ status: 400 });
    expect(await api.call("POST /upgrade", { package: "zod", limit: 0 })).toMatchObject({ status: 400 });
  },
  "POST /compare is about two versions of one thing": async (api) => {
    expect(await api.call("POST /compare", { before: "npm:zod@3", after: "npm:hono@4" })).toMatchObject({
      status: 400,
    });
    expect(await api.call("POST /compare", { before: "npm:zod@3" })).toMatchObject({ status: 400 });
    expect(await api.call("POST /compare", { before: "nothing", after: "2" })).toMatchObject({ status: 404 });
  },
  "GET /thread returns a conversation, by its whole id": async (api) => {
    const asked = await api.call("POST /question", { question: "What is delayMs?", thread: "new" });
    const { thread: id } = z.object({ thread: z.string() }).parse(asked.body);
    const { status, body } = await api.call(`GET /thread?id=${id}`);
    expect({ status, body }).toMatchObject({ status: 200, body: { id, turns: [{ question: "What is delayMs?" }] } });
    const unknown = await api.call("GET /thread?id=none");
    expect(unknown).toMatchObject({ status: 404, body: { tag: "ThreadNotFound" } });
    expect(await api.call("GET /thread")).toMatchObject({ status: 400, body: { tag: "InvalidRequest" } });
  },
  "anything else is 404 or 405, with the error object": async (api) => {
    expect(await api.call("GET /nothing")).toMatchObject({ status: 404, body: { tag: "RouteNotFound" } });
    expect(await api.call("POST /providers", {})).toMatchObject({ status: 405, body: { tag: "MethodNotAllowed" } });
  },
};

describe.each([
  ["http", connectHttp],
  ["lsp", connectLsp],
] as const)("over %s", (wire, connect) => {
  const all = Object.entries(rows).filter(([name]) => wire === "http" || !httpOnly.includes(name));
  test.each(all)("%s", async (_, check) => {
    await using api = await openApi(connect);
    await check(api);
  });
});

test("every row that is of HTTP alone is a row", () => {
  expect(Object.keys(rows)).toEqual(expect.arrayContaining(httpOnly));
});

/** What is of the wire itself, or is not offered by the other. */
const httpOnly = [
  "GET / is the health check",
  "POST /question answers whole",
  "GET /thread returns a conversation, by its whole id",
  "anything else is 404 or 405, with the error object",
];

describe("every operation that has a route", () => {
  const routes = Object.values(operations).flatMap((operation) => ("http" in operation ? [operation.http] : []));
  const streamed = ["POST /question/stream"];
  test.each(routes.filter((route) => !streamed.includes(route)))("%s has a row here", (route) => {
    expect(Object.keys(rows).some((row) => row.startsWith(`${route} `))).toBe(true);
  });
});

interface Reply {
  status: number;
  body: unknown;
}

interface Api extends AsyncDisposable {
  folder: string;
  configFile: string;
  /** What the server really sends is held against the documented shape: that of `operation`, or the error object. */
  call(route: string, body?: unknown, operation?: OperationName): Promise<Reply>;
}

async function openApi(connect: Connect): Promise<Api> {
  const folder = await temporaryFolder(
    "//- demo/src/retry.ts\nexport function retry() {\n  const delayMs = 100;\n}\n//- demo/README.md\nRetries wait 100 ms.\n",
  );
  const model = await scriptedModel(["It waits 100 ms [[demo:src/retry.ts#L2]]."]);
  const config = JSON.stringify({
    ...model.config,
    resources: [{ type: "local", name: "demo", path: `${folder.path}/demo` }],
  });
  await folder.write(`//- .home/citewell.config.jsonc\n// ours\n${config}\n`);
  const wire = await connect(folder.path);
  return {
    folder: folder.path,
    configFile: path.join(folder.path, ".home/citewell.config.jsonc"),
    async call(route, body, operation) {
      const reply = await wire.send(route, body);
      if (reply.status !== 200) ErrorBody.parse(reply.body);
      else if (operation !== undefined) expect(operations[operation].output.parse(reply.body)).toEqual(reply.body);
      return reply;
    },
    async [Symbol.asyncDispose]() {
      await wire[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

interface Wire extends AsyncDisposable {
  send(route: string, body: unknown): Promise<Reply>;
}
type Connect = (folder: string) => Promise<Wire>;

async function connectHttp(folder: string): Promise<Wire> {
  const app = localApp(folder);
  const server = await serveHttp({ app, version: "1.2.3", port: 0, log: silentLog });
  return {
    async send(route, body) {
      const [method = "", address = ""] = route.split(" ");
      const json =
        body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
      const response = await fetch(`http://127.0.0.1:${server.port}${address}`, { method, ...json });
      return { status: response.status, body: await response.json() };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await app[Symbol.asyncDispose]();
    },
  };
}

/** The same operations by their other names. An error has the status that HTTP would give to its tag. */
async function connectLsp(folder: string): Promise<Wire> {
  const client = await startLsp({ folder });
  return {
    async send(route, body) {
      const [path = "", query = ""] = route.split("?");
      const operation: Operation | undefined = Object.values(operations).find(
        (row) => "http" in row && row.http === path,
      );
      const reply = await client.call(operation?.lsp ?? "", {
        ...Object.fromEntries(new URLSearchParams(query)),
        ...toObject(body),
      });
      if ("result" in reply) return { status: 200, body: reply.result };
      return { status: statusOf(reply.body?.tag), body: reply.body };
    },
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function toObject(body: unknown): object {
  return typeof body === "object" && body !== null ? body : {};
}

function statusOf(tag: string | undefined): number {
  const known = Object.entries(errorKinds).find(([name]) => name === tag);
  if (known === undefined) throw new Error(`no such tag: ${tag}`);
  return statusByKind[known[1]];
}
