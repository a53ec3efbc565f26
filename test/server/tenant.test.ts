import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { localCaller } from "../../server/caller.ts";
import { toErrorBody } from "../../server/errors.ts";
import type { Config } from "../../server/config/config.ts";
import type { OneOff } from "../../server/protocol/kinds/kinds.ts";
import type { LoadedTenant } from "../../server/tenant.ts";
import type { ResourceSpec } from "../../server/protocol/resource.ts";
import { temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { startTenants, type TestTenant } from "../support/tenants.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const oneLine = { query: "otters", mode: "exact", limit: 5 } as const;

test("1,000 tenants in one process share one clone, one index and one set of search threads", async () => {
  const revision = await server.commit("shared", { "a.js": "// otters sleep afloat\n" });
  await using world = await tenantsWorld();
  const tenants = Array.from({ length: 1000 }, (_, index) => {
    const name = `lib-${index}`;
    return { name, ...world.add(name, { resources: [repository(name, "shared")] }) };
  });
  const found = async (searching: typeof tenants) => {
    const replies = await Promise.all(
      searching.map(({ name, app }) => app.search({ ...oneLine, mode: "ranked", resources: [name] })),
    );
    return replies.filter(({ results }) => results[0]?.path === "a.js").length;
  };
  expect(await found(tenants.slice(0, 10))).toBe(10);
  const requestsOfOneClone = server.requests.length;
  expect(await found(tenants.slice(-10))).toBe(10);
  const listings = await Promise.all(tenants.map(({ app }) => app.listResources({})));
  expect(listings.filter(({ resources }) => resources[0]?.revision === revision)).toHaveLength(1000);

  expect(server.requests).toHaveLength(requestsOfOneClone);
  // One POST reads the branch, one fetches.
  expect(server.requests.filter((request) => request.startsWith("POST"))).toHaveLength(2);
  const indexes = await readdir(path.join(world.data, "index"));
  expect(indexes.filter((file) => file.endsWith(".index"))).toHaveLength(1);
  const contexts = await Promise.all(tenants.map(({ tenant }) => tenant.contextFor(localCaller)));
  expect(new Set(contexts.map(({ node }) => node.retrieval)).size).toBe(1);
});

describe("a tenant does not see another's", () => {
  test("threads", async () => {
    await using model = await scriptedModel(["Afloat."]);
    await using world = await tenantsWorld();
    const settings: Partial<Config> = {
      provider: "openai-compat",
      model: "scripted",
      providerOptions: { "openai-compat": { baseURL: model.baseURL, name: "scripted" } },
      resources: [{ type: "local", name: "notes", path: world.folder }],
    };
    const [a, b] = [world.add("a", settings), world.add("b", settings)];
    const { thread = "" } = await a.app.question({ question: "How?", resources: ["notes"], thread: "new" });
    expect((await a.app.getThread({ id: thread })).id).toBe(thread);
    expect(await b.app.listThreads({})).toEqual({ threads: [] });
    expect(await b.app.getThread({ id: thread }).catch(toErrorBody)).toMatchObject({ tag: "ThreadNotFound" });
    expect(await b.app.deleteThread({ id: thread }).catch(toErrorBody)).toMatchObject({ tag: "ThreadNotFound" });
  });

  test("keys", async () => {
    await using world = await tenantsWorld();
    const [a, b] = [world.add("a"), world.add("b")];
    await a.credentials.set("anthropic", { type: "api", key: "key-of-a" }, { baseURL: "https://api.anthropic.com/v1" });
    const connected = async ({ app }: TestTenant) => (await app.listProviders({})).connected;
    expect(await connected(a)).toContain("anthropic");
    expect(await connected(b)).not.toContain("anthropic");
  });

  test("names of resources, not even in the hint of an error", async () => {
    await using world = await tenantsWorld();
    const [a, b] = [
      world.add("a", { resources: [repository("lib-of-a", "shared")] }),
      world.add("b", { resources: [repository("lib-of-b", "shared")] }),
    ];
    expect((await a.app.listResources({})).resources).toMatchObject([{ name: "lib-of-a" }]);
    expect((await b.app.listResources({})).resources).toMatchObject([{ name: "lib-of-b" }]);
    const error = await b.app.search({ ...oneLine, resources: ["lib-of"] }).catch(toErrorBody);
    expect(error).toMatchObject({ tag: "ResourceNotFound" });
    expect(JSON.stringify(error)).not.toContain("lib-of-a");
  });

  test("clones of private sources, though they share a data directory", async () => {
    await server.commit("secret", { "a.js": "// otters\n" });
    await using world = await tenantsWorld();
    const resources = [repository("secret", "secret")];
    const keptBy = (name: string) => ({
      privateSources: [{ directory: path.join(world.folder, `private-${name}`), includes: isSecret }],
    });
    const a = world.add("a", { resources }, keptBy("a"));
    expect((await a.app.search({ ...oneLine, resources: ["secret"] })).results).toHaveLength(1);
    const [b, c] = [world.add("b", { resources }, keptBy("b")), world.add("c", { resources })];
    server.intercept((_request, response) => {
      response.writeHead(401).end();
      return true;
    });
    const refused = await Promise.all(
      [b, c].map(({ app }) => app.search({ ...oneLine, resources: ["secret"] }).catch(toErrorBody)),
    );
    server.intercept(undefined);
    expect(refused).toMatchObject([{ tag: "RepositoryNotFound" }, { tag: "RepositoryNotFound" }]);
    expect((await b.app.listResources({})).resources).toMatchObject([{ name: "secret", revision: null }]);
  });

  test("clones cleared, but for private sources of its own", async () => {
    await server.commit("public", { "a.js": "// otters\n" });
    await server.commit("secret", { "a.js": "// otters\n" });
    await using world = await tenantsWorld();
    const resources = [repository("public", "public"), repository("secret", "secret")];
    const privateSources = [{ directory: path.join(world.folder, "private"), includes: isSecret }];
    const { app } = world.add("a", { resources }, { privateSources });
    await app.search({ ...oneLine, resources: ["public", "secret"] });
    const remote = app.as({ id: "ann", isLocal: false, limits: {}, logFields: {} });
    expect(await remote.clear({})).toEqual({ cleared: 1 });
    expect((await app.listResources({})).resources).toMatchObject([
      { name: "public", revision: expect.any(String) },
      { name: "secret", revision: null },
    ]);
    expect(await app.clear({})).toEqual({ cleared: 1 });
  });

  test("clones, if its data directory is its own", async () => {
    await server.commit("private", { "a.js": "// otters\n" });
    await using world = await tenantsWorld();
    const resources = [repository("private", "private")];
    const a = world.add("a", { resources });
    expect((await a.app.search({ ...oneLine, resources: ["private"] })).results).toHaveLength(1);
    const b = world.add("b", { resources, dataDirectory: path.join(world.folder, "data-of-b") });
    server.intercept((_request, response) => {
      response.writeHead(401).end();
      return true;
    });
    const refused = await b.app.search({ ...oneLine, resources: ["private"] }).catch(toErrorBody);
    server.intercept(undefined);
    expect(refused).toMatchObject({ tag: "RepositoryNotFound" });
  });
});

function isSecret(target: ResourceSpec | OneOff): boolean {
  return "url" in target && target.url.includes("secret");
}

function repository(name: string, of: string): ResourceSpec {
  return { type: "git", name, url: server.url(of), branch: "main" };
}

async function tenantsWorld() {
  const folder = await temporaryFolder("//- notes.md\notters\n");
  const tenants = await startTenants(folder.path, {
    NODE_EXTRA_CA_CERTS: server.caFile,
    SSL_CERT_FILE: server.caFile,
  });
  const data = path.join(folder.path, "data");
  return {
    folder: folder.path,
    data,
    add: (name: string, config: Partial<Config> = {}, options: Pick<LoadedTenant, "privateSources"> = {}) =>
      tenants.add(name, { allowHosts: ["localhost"], dataDirectory: data, resources: [], ...config }, options),
    async [Symbol.asyncDispose]() {
      await tenants[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
