import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService, type ToolResult } from "../../../support/hosted.ts";
import { type ScriptedModel, scriptedModel } from "../../../support/scripted-model.ts";
import { testEngines } from "../../../support/stores.ts";

// Opening an embedded database takes seconds on a busy machine.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const listCall = { jsonrpc: "2.0", id: 1, method: "tools/list" };

describe.each(testEngines())("a key for some resources on $name", (engine) => {
  let git: GitServer;
  let model: ScriptedModel;
  let service: TestService;
  let whole: string;
  /** For `lib`; the project also has `hidden`, and `secret`, which is private. */
  let limited: string;
  beforeAll(async () => {
    git = await startGitServer();
    const token = "glpat-0123456789";
    git.intercept((request, response) => {
      const isAllowed = request.headers.authorization === `Basic ${btoa(`oauth2:${token}`)}`;
      if (request.url?.startsWith("/secret") !== true || isAllowed) return false;
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return true;
    });
    model = await scriptedModel(() => "See [[lib:a.ts#L1]], [[hidden:a.ts#L1]] and [[absent:a.ts#L1]].");
    service = await startService(await engine.createDatabase(), {
      config: { ...model.config },
      env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    });
    const { store, keys, project } = service;
    const place = { host: `${new URL(git.origin).host}/secret`, username: "oauth2" };
    await addGitToken({ store, keys, project, actor: "operator" }, { ...place, name: "ci", token });
    whole = await service.key();
    for (const name of ["lib", "hidden", "secret"]) {
      await git.commit(name, { "a.ts": "export const otters = 2;\n" });
      await git.commit(name, { "a.ts": "export const otters = 3;\n" });
      await service.call(whole, "addResource", { type: "git", name, url: git.url(name) });
    }
    await service.untilFetched();
    limited = await service.key(["ask", "read", "manage"], ["lib"]);
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await model[Symbol.asyncDispose]();
    await git[Symbol.asyncDispose]();
  });

  type Call = (name: string, args: Record<string, unknown>) => Promise<unknown>;
  const inEra = async (mode: "legacy" | { pin: string }, work: (call: Call) => Promise<void>) => {
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${limited}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url), { requestInit }));
    await work((name, args) => client.callTool({ name, arguments: args }));
    await client.close();
  };

  test.each<[string, (work: (call: Call) => Promise<void>) => Promise<void>]>([
    ["without MCP", (work) => work((name, args) => service.call(limited, name, args))],
    ["of the older era", (work) => inEra("legacy", work)],
    ["of the current era", (work) => inEra({ pin: "2026-07-28" }, work)],
  ])("shows a client %s its own resources only", async (_name, withCall) => {
    await withCall(async (call) => {
      expect(await call("listResources", {})).toMatchObject({ structuredContent: { resources: [{ name: "lib" }] } });
      expect(await call("read", { resource: "lib", path: "a.ts" })).toMatchObject({ isError: false });
      expect(await call("read", { resource: "hidden", path: "a.ts" })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^ResourceNotFound: no resource named "hidden"\n/) }],
      });
    });
  });

  test.each([
    ["ask", (name: string) => ({ question: "Why?", resources: [name] })],
    ["ask", (name: string) => ({ question: "Why?", resources: ["lib", name] })],
    ["search", (name: string) => ({ query: "otters", resources: [name] })],
    ["read", (name: string) => ({ resource: name, path: "a.ts" })],
    ["history", (name: string) => ({ resource: name, place: "a.ts" })],
    ["search", (name: string) => ({ query: "otters", resources: [`${name}@main`] })],
    ["compare", (name: string) => ({ before: `${name}@HEAD~1`, after: "HEAD" })],
    ["listRevisions", (name: string) => ({ resource: name })],
    ["verify", (name: string) => ({ text: "[[a.ts#L1]]", resources: [name] })],
    ["verify", (name: string) => ({ text: `[[${name}:a.ts#L1]] and ${name}/a.ts:1` })],
    ["sync", (name: string) => ({ resource: name })],
  ])("%s answers for another resource as for one that does not exist", async (tool, argsFor) => {
    const answers = await Promise.all(
      ["hidden", "secret", "hiddem"].map(async (name) =>
        JSON.parse(JSON.stringify(await service.call(limited, tool, argsFor(name))).replaceAll(name, "NAME")),
      ),
    );
    expect(answers[0]).toEqual(answers[2]);
    expect(answers[1]).toEqual(answers[2]);
    expect(JSON.stringify(answers)).not.toMatch(/hidden|secret/);
    expect(await service.call(whole, tool, argsFor("hidden"))).not.toMatchObject({ isError: true });
  });

  test("questions and searches without names are about its own resources, whatever the text mentions", async () => {
    await service.store.query("update resource set asked_at = null");
    const before = model.requests.length;
    const { structuredContent } = await service.call(limited, "ask", { question: "What is in @hidden and @secret?" });
    expect(structuredContent).toMatchObject({ resources: ["lib"] });
    const states = citationsOf(structuredContent).map(({ path, state }) => [path, state]);
    expect(states).toEqual([
      ["a.ts", "not-read"],
      ["hidden:a.ts", "missing"],
      ["absent:a.ts", "missing"],
    ]);
    const { body } = await model.request(before);
    for (const name of ["hidden", "secret"]) expect(JSON.stringify(body.messages)).not.toContain(git.url(name));
    const found = await service.call(limited, "search", { query: "otters" });
    expect(found.structuredContent).toMatchObject({ results: [{ resource: "lib" }] });
    // The daily fetch of the others is not requested either.
    const asked = await service.store.query("select name from resource where asked_at is not null");
    expect(asked.rows).toEqual([{ name: "lib" }]);
  });

  test("verify does not open a private repository by its URL", async () => {
    const text = `See [[${git.url("secret")}:a.ts#L1]].`;
    const verify = async (key: string) => (await service.call(key, "verify", { text })).structuredContent;
    expect(await verify(whole)).toMatchObject({ citations: [{ state: "verified" }] });
    expect(await verify(limited)).toMatchObject({ snapshots: [], unavailable: [{ tag: "RepositoryNotFound" }] });
  });

  test("sync without a name fetches its own resources only", async () => {
    const times = async () => {
      const { rows } = await service.store.query("select resource, finished_at::text as at from job order by resource");
      return new Map(rows.map(({ resource, at }) => [resource, at]));
    };
    await service.untilFetched();
    const before = await times();
    const { structuredContent } = await service.call(limited, "sync");
    expect(structuredContent).toMatchObject({ resources: [{ name: "lib" }] });
    await service.untilFetched();
    const after = await times();
    const fetched = [...after].filter(([name, at]) => before.get(name) !== at);
    expect(fetched.map(([name]) => name)).toEqual(["lib"]);
  });

  test("adding a resource is refused, and the tool is not listed", async () => {
    const args = { type: "git", name: "more", url: git.url("lib") };
    const call = { ...listCall, method: "tools/call", params: { name: "addResource", arguments: args } };
    const response = await service.send(limited, call);
    expect([response.status, await response.json()]).toEqual([
      403,
      {
        error: "OperationNotAllowed",
        message: "a key that is limited to some resources cannot add one (use a key for all resources)",
      },
    ]);
    const listed = await (await service.send(limited, listCall)).text();
    expect(listed).toContain('"sync"');
    expect(listed).not.toContain('"addResource"');
  });

  test("the name decides: a removed resource is gone, and another one with its name is there", async () => {
    const add = async (repository: string) => {
      await service.call(whole, "addResource", { type: "git", name: "temporary", url: git.url(repository) });
      await service.untilFetched();
    };
    const remove = () => service.store.query("delete from resource where name = 'temporary'");
    await add("lib");
    const key = await service.key(["read"], ["temporary"]);
    await remove();
    expect((await service.call(key, "listResources")).structuredContent).toEqual({ resources: [] });
    expect(await service.call(key, "search", { query: "otters" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("ResourceNotFound") }],
    });
    await add("hidden");
    expect(await service.call(key, "read", { resource: "temporary", path: "a.ts" })).toMatchObject({ isError: false });
    await remove();
  });
});

const Citations = z.object({ citations: z.array(z.object({ path: z.string(), state: z.string() })) });

function citationsOf(content: ToolResult["structuredContent"]) {
  return Citations.parse(content).citations;
}
