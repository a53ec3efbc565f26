import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toErrorBody } from "../../../server/errors.ts";
import type { RefreshEvent } from "../../../server/protocol/resource.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { type NpmRegistry, startNpmRegistry } from "../../support/npm-registry.ts";

let server: GitServer;
let registry: NpmRegistry;
beforeAll(async () => {
  [server, registry] = await Promise.all([startGitServer(), startNpmRegistry()]);
});
afterAll(() => Promise.all([server[Symbol.asyncDispose](), registry[Symbol.asyncDispose]()]));

test("fetches a repository under any policy, with progress, and returns its state", async () => {
  const first = await server.commit("lib", { "a.js": "a\n" });
  await using world = await refreshWorld([{ type: "git", name: "lib", url: server.url("lib"), refresh: "manual" }]);
  const events = await world.refresh("lib");
  expect(events[0]).toMatchObject({ type: "progress", resource: "lib", phase: "resolve" });
  expect(events.at(-1)).toMatchObject({ type: "done", resource: { name: "lib", state: "ready", revision: first } });
  const second = await server.commit("lib", { "a.js": "b\n" });
  expect((await world.refresh("lib")).at(-1)).toMatchObject({ resource: { revision: second, fileCount: 1 } });
});

test("where it fails the reason is thrown, what was there stays, and the listing says so", async () => {
  const first = await server.commit("flaky", { "a.js": "a\n" });
  await using world = await refreshWorld([{ type: "git", name: "flaky", url: server.url("flaky") }]);
  await world.refresh("flaky");
  server.intercept((_request, response) => {
    response.writeHead(500).end();
    return true;
  });
  expect(await world.refresh("flaky").catch(toErrorBody)).toMatchObject({ tag: "RepositoryFailed" });
  server.intercept(undefined);
  const { resources } = await world.app.listResources({});
  expect(resources).toMatchObject([{ state: "stale", revision: first }]);
  expect(await world.app.read({ resource: "flaky", path: "a.js" })).toMatchObject({ revision: first });
});

test("a commit and a version that are there are not asked for again; a tag is", async () => {
  const commit = await server.commit("pinned", { "a.js": "a\n" });
  registry.publish({ name: "pad", version: "1.0.0", files: "//- i.js\n1\n" });
  await using world = await refreshWorld([
    { type: "git", name: "pinned", url: server.url("pinned"), branch: commit },
    { type: "npm", name: "exact", package: "pad", version: "1.0.0" },
    { type: "npm", name: "newest", package: "pad", version: "latest" },
  ]);
  for (const name of ["pinned", "exact", "newest"]) await world.refresh(name);
  registry.publish({ name: "pad", version: "1.1.0", files: "//- i.js\n2\n" });
  const requestCount = () => server.requests.length + registry.requests.length;
  const before = requestCount();
  expect((await world.refresh("pinned")).at(-1)).toMatchObject({ resource: { revision: commit } });
  const isVersion = (version: string) => ({ resource: { revision: expect.stringMatching(`^${version}`) } });
  expect((await world.refresh("exact")).at(-1)).toMatchObject(isVersion("1.0.0"));
  expect(requestCount()).toBe(before);
  expect((await world.refresh("newest")).at(-1)).toMatchObject(isVersion("1.1.0"));
});

test("a folder is as it is, and an unknown name is refused with what comes near it", async () => {
  await using world = await refreshWorld([]);
  expect(await world.refresh("notes")).toMatchObject([{ type: "done", resource: { name: "notes", state: "ready" } }]);
  expect(await world.refresh("note").catch(toErrorBody)).toMatchObject({
    tag: "ResourceNotFound",
    hint: "did you mean notes?",
  });
});

test("leaving the stream, or its signal, stops the fetch", async () => {
  await server.commit("slow", { "a.js": "a\n" });
  await using world = await refreshWorld([{ type: "git", name: "slow", url: server.url("slow") }]);
  server.intercept(() => new Promise<boolean>(() => {}));
  for await (const event of world.app.refreshResource({ name: "slow" })) {
    expect(event.type).toBe("progress");
    break;
  }
  const cancelling = new AbortController();
  const refreshing = world.refresh("slow", cancelling.signal);
  cancelling.abort();
  await expect(refreshing).rejects.toThrow(/aborted/);
  server.intercept(undefined);
  expect((await world.app.listResources({})).resources).toMatchObject([{ state: "absent" }]);
});

async function refreshWorld(specs: readonly object[]) {
  const folder = await temporaryFolder(`//- notes/a.md\na\n//- .npmrc\nregistry=${registry.url}\n`);
  const notes = { type: "local", name: "notes", path: path.join(folder.path, "notes") };
  const config = { allowHosts: ["localhost"], resources: specs.length === 0 ? [notes] : specs };
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}`);
  const app = localApp(folder.path, { NODE_EXTRA_CA_CERTS: server.caFile, SSL_CERT_FILE: server.caFile });
  return {
    app,
    async refresh(name: string, signal = new AbortController().signal) {
      const events: RefreshEvent[] = [];
      for await (const event of app.refreshResource({ name }, { signal })) events.push(event);
      return events;
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}
