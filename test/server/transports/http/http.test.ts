import { describe, expect, test } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import { createLog } from "../../../../server/lib/log.ts";
import type { QuestionReply } from "../../../../server/protocol/ask.ts";
import type { ConfigSummary } from "../../../../server/protocol/config.ts";
import type { ErrorTag } from "../../../../server/protocol/error-tags.ts";
import type { ProviderList } from "../../../../server/protocol/provider.ts";
import type { ResourceListing, ResourceSpec } from "../../../../server/protocol/resource.ts";
import { startHttp } from "../../../support/http.ts";

const summary: ConfigSummary = {
  provider: "builtin",
  model: "extractive",
  providerTimeoutMs: 300_000,
  maxSteps: 40,
  dataDirectory: "/data",
  resourcesDirectory: "/data/resources",
  resourceCount: 0,
  sources: { provider: "default", model: "default" },
};

function fail(): Promise<never> {
  return Promise.reject(new TypeError("x is not a secret function"));
}

const reply: QuestionReply = {
  answer: "because",
  model: { provider: "builtin", model: "extractive" },
  resources: ["zod"],
  collection: { key: "zod", path: "/data" },
  citations: [],
  snapshots: [],
};

describe("the routes of docs/contract.md", () => {
  test("GET / says that it is there, and its version", async () => {
    await using server = await startHttp();
    const response = await server.send("GET /");
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ ok: true, service: "citewell", version: "1.2.3" });
  });

  test("GET /config answers the summary", async () => {
    await using server = await startHttp({ getConfig: async () => summary });
    const response = await server.send("GET /config");
    expect([response.status, await response.json()]).toEqual([200, summary]);
  });

  test("POST /config/resources answers 200 with the resource, whose branch is main when it is left out", async () => {
    await using server = await startHttp({ addResource: async (spec) => spec });
    const response = await server.send("POST /config/resources", {
      type: "git",
      name: "a",
      url: "https://h.example/r",
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ type: "git", name: "a", url: "https://h.example/r", branch: "main" });
  });

  test.each<[ResourceSpec]>([
    [{ type: "local", name: "a", path: "/code", specialNotes: null }],
    [{ type: "npm", name: "@a/b", package: "@a/b", version: "1.x" }],
  ])("POST /config/resources takes %j", async (spec) => {
    await using server = await startHttp({ addResource: async (input) => input });
    expect(await (await server.send("POST /config/resources", spec)).json()).toEqual(spec);
  });

  test("POST /config/resources refuses what breaks a rule with 400, the field and why", async () => {
    await using server = await startHttp();
    const response = await server.send("POST /config/resources", {
      type: "git",
      name: "a",
      url: "http://h.example/r",
      branch: "-x",
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'url: "http://h.example/r": a git URL must use https; branch: "-x": a branch must not start with \'-\'',
      tag: "InvalidRequest",
      hint: "GET /openapi.json describes every request",
    });
  });

  test("POST /config/resources with a name that is taken is 400", async () => {
    const taken = new CitewellError("ResourceNameTaken", 'the name "a" is taken', { hint: "choose another name" });
    await using server = await startHttp({ addResource: () => Promise.reject(taken) });
    const response = await server.send("POST /config/resources", { type: "npm", name: "a", package: "a" });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: 'the name "a" is taken',
      tag: "ResourceNameTaken",
      hint: "choose another name",
    });
  });

  test.each([
    ["the body", "DELETE /config/resources", { name: "@a/b" }],
    ["?name=", "DELETE /config/resources?name=%40a%2Fb", undefined],
    ["?name= beside an empty body", "DELETE /config/resources?name=@a/b", {}],
  ] as const)("DELETE /config/resources takes the name from %s", async (_, call, body) => {
    await using server = await startHttp({ removeResource: async ({ name }) => ({ success: true, name }) });
    const response = await server.send(call, body);
    expect([response.status, await response.json()]).toEqual([200, { success: true, name: "@a/b" }]);
  });

  test("DELETE /config/resources with an unknown name is 404, without a name 400", async () => {
    const unknown = new CitewellError("ResourceNotFound", 'no resource named "a"');
    await using server = await startHttp({ removeResource: () => Promise.reject(unknown) });
    expect((await server.send("DELETE /config/resources", { name: "a" })).status).toBe(404);
    const nameless = await server.send("DELETE /config/resources");
    expect([nameless.status, await nameless.json()]).toMatchObject([
      400,
      { error: "name: missing: must be a string", tag: "InvalidRequest" },
    ]);
    expect((await server.send("DELETE /config/resources?name=a&name=b")).status).toBe(400);
  });

  test("GET /resources answers the list, null where a field does not apply", async () => {
    const listing: ResourceListing = {
      type: "npm",
      name: "zod",
      url: null,
      branch: null,
      searchPath: null,
      searchPaths: null,
      path: null,
      origin: "listed",
      package: "zod",
      version: null,
      specialNotes: null,
      refresh: null,
      state: "absent",
      revision: null,
      fetchedAt: null,
      sizeBytes: null,
      fileCount: null,
      failure: null,
    };
    await using server = await startHttp({ listResources: async () => ({ resources: [listing] }) });
    expect(await (await server.send("GET /resources")).json()).toEqual({ resources: [listing] });
  });

  test("GET /providers answers all of them, and those that are connected", async () => {
    const providers: ProviderList = {
      all: [{ id: "builtin", name: "Built-in", auth: ["none"], models: { extractive: { name: "Extracts" } } }],
      connected: ["builtin"],
    };
    await using server = await startHttp({ listProviders: async () => providers });
    expect(await (await server.send("GET /providers")).json()).toEqual(providers);
  });

  test("POST /question answers whole", async () => {
    await using server = await startHttp({ question: async () => reply });
    const response = await server.send("POST /question", { question: "why?", resources: ["zod"] });
    expect([response.status, await response.json()]).toEqual([200, reply]);
  });

  test("POST /question hands over the whole request", async () => {
    const request = { question: "why?", resources: ["zod", "npm:a@1"], quiet: true, thread: "new", progress: false };
    let received: unknown;
    await using server = await startHttp({
      question: async (input) => {
        received = input;
        return reply;
      },
    });
    await server.send("POST /question", request);
    expect(received).toEqual({ scope: "configured", ...request });
  });

  test("GET /openapi.json answers the description", async () => {
    await using server = await startHttp();
    const response = await server.send("GET /openapi.json");
    expect(await response.json()).toMatchObject({ openapi: "3.1.0", info: { version: "2.0.0" } });
  });

  test.each([
    "GET /nope",
    "POST /question/",
    "GET /Resources",
    "GET /config/../etc",
    "GET /%E0%A4%A",
    "DELETE /nope",
  ] as const)("anything else is 404 with the error object: %s", async (call) => {
    await using server = await startHttp();
    const response = await server.send(call);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ tag: "RouteNotFound", hint: "GET /openapi.json lists the routes" });
  });

  test.each([
    ["GET /question", "POST"],
    ["GET /question/stream", "POST"],
    ["PUT /config/resources", "POST, DELETE"],
    ["POST /resources", "GET, HEAD"],
    ["OPTIONS /config", "GET, HEAD"],
    ["PATCH /", "GET, HEAD"],
  ] as const)("a known path with another method is 405 with Allow: %s", async (call, allowed) => {
    await using server = await startHttp();
    const response = await server.send(call);
    expect([response.status, response.headers.get("allow")]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({ tag: "MethodNotAllowed" });
  });

  test("HEAD answers as GET does, without the body", async () => {
    await using server = await startHttp();
    const response = await server.send("HEAD /");
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect((await server.send("HEAD /question")).status).toBe(405);
  });
});

describe("every failure is the error object, with the status of its kind", () => {
  test.each<[ErrorTag, number]>([
    ["InvalidRequest", 400],
    ["ResourceNameTaken", 400],
    ["ModelNotFound", 400],
    ["ProviderNotConnected", 401],
    ["ResourceNotFound", 404],
    ["RepositoryNotFound", 404],
    ["ProviderFailed", 502],
    ["RepositoryFailed", 502],
    ["RegistryFailed", 502],
    ["ProviderTimeout", 504],
    ["RepositoryTimeout", 504],
    ["RegistryTimeout", 504],
    ["ConfigInvalid", 500],
    ["StorageFailed", 500],
  ])("%s is %i", async (tag, status) => {
    const failing = () => Promise.reject(new CitewellError(tag, "what happened", { hint: "what to do" }));
    await using server = await startHttp({ question: failing });
    const response = await server.send("POST /question", { question: "q" });
    expect([response.status, await response.json()]).toEqual([
      status,
      { error: "what happened", tag, hint: "what to do" },
    ]);
  });

  test("an unexpected error is Internal; its stack goes to the log, not to the client", async () => {
    let logged = "";
    const log = createLog("error", (line) => (logged += line));
    await using server = await startHttp({ question: fail }, { log });
    const response = await server.send("POST /question", { question: "q" });
    const body = await response.text();
    expect([response.status, JSON.parse(body)]).toMatchObject([500, { tag: "Internal" }]);
    expect(body).not.toContain("http.test.ts");
    expect(logged).toContain("request-failed method=POST path=/question");
    expect(logged).toContain("http.test.ts");
  });
});

describe("the log", () => {
  test("has one line for each request, without its query; none where it asks for silence", async () => {
    const lines: string[] = [];
    const log = createLog("debug", (line) => lines.push(line));
    const server = await startHttp({ question: fail }, { log });
    await server.send("POST /question", { question: "q", quiet: true });
    await server.send("GET /nope?token=secret");
    await server.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("http-request method=GET path=/nope status=404");
    expect(lines[0]).not.toContain("secret");
  });
});

test("starting on a port that is taken is ServerFailed, and says what to do", async () => {
  await using server = await startHttp();
  await expect(startHttp({}, { port: server.port })).rejects.toMatchObject({
    tag: "ServerFailed",
    message: expect.stringContaining(`cannot listen on 127.0.0.1:${server.port}`),
    hint: expect.stringContaining("--port 0"),
  });
});
