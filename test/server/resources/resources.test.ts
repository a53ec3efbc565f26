import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toErrorBody } from "../../../server/errors.ts";
import { createSemaphore } from "../../../server/lib/semaphore.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { createContentRevisions } from "../../../server/resources/content-revision.ts";
import { createFolderHashes } from "../../../server/resources/folder-hashes.ts";
import { createResources, type ResourcesOptions } from "../../../server/resources/resources.ts";
import { createStore } from "../../../server/resources/store.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { startNpmRegistry } from "../../support/npm-registry.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
  await server.commit("demo", { "docs/a.md": "# a\n", "src/a.ts": "a\n" });
});
afterAll(() => server[Symbol.asyncDispose]());

const signal = new AbortController().signal;

test("a configured repository is read under its name, with its notes and search paths, and kept", async () => {
  await using sandbox = await openSandbox();
  const spec = {
    type: "git",
    name: "demo",
    url: server.url("demo"),
    branch: "main",
    searchPath: "docs/",
    specialNotes: "short",
  } as const;
  expect(await sandbox.resources.describe(spec, { signal })).toMatchObject({ state: "absent" });
  const snapshot = await sandbox.resources.open(spec, { signal });
  expect(snapshot).toMatchObject({ resource: "demo", notes: "short", files: [{ path: "docs/a.md" }] });
  await snapshot[Symbol.asyncDispose]();
  expect(await sandbox.resources.describe(spec, { signal })).toMatchObject({
    state: "ready",
    revision: snapshot.revision,
    sizeBytes: 4,
    fileCount: 1,
  });
  expect(await sandbox.resources.clear({ shared: true })).toEqual({ cleared: 1 });
  expect(await sandbox.resources.describe(spec, { signal })).toMatchObject({ state: "absent" });
});

test("a one-off repository is read under its URL; its temporary folder is removed, and clearing removes the rest", async () => {
  await using sandbox = await openSandbox();
  const url = server.url("demo");
  const snapshot = await sandbox.resources.open({ type: "git", canonical: url, url, searchPath: "src" }, { signal });
  expect(snapshot).toMatchObject({ resource: url, files: [{ path: "src/a.ts" }] });
  await snapshot[Symbol.asyncDispose]();
  expect(await readdir(path.join(sandbox.directory, "one-offs/temporary"))).toEqual([]);
  expect(await readdir(path.join(sandbox.directory, "one-offs/snapshots"))).toHaveLength(1);
  expect(await sandbox.resources.clear({ shared: true })).toEqual({ cleared: 1 });
});

test("commands on histories run within the limit", async () => {
  const semaphore = createSemaphore(1);
  const counts = { held: 0, most: 0, all: 0 };
  const historyRuns = {
    async acquire() {
      await semaphore.acquire();
      counts.all++;
      counts.most = Math.max(counts.most, ++counts.held);
    },
    release() {
      counts.held--;
      semaphore.release();
    },
  };
  await using sandbox = await openSandbox({ historyRuns });
  const spec = { type: "git", name: "demo", url: server.url("demo"), branch: "main" } as const;
  await using snapshot = await sandbox.resources.open(spec, { signal });
  await using history = await sandbox.resources.openHistory(spec, { revision: snapshot.revision, signal });
  const run = () => history?.run(["rev-parse", "HEAD"], { signal, timeMs: 10_000, contents: [] });
  await Promise.all([run(), run(), run()]);
  expect(counts).toEqual({ held: 0, most: 1, all: 3 });
});

test("a folder is read in place, and never cleared", async () => {
  await using sandbox = await openSandbox();
  await using folder = await temporaryFolder("//- a.ts\na\n");
  const spec = { type: "local", name: "folder", path: folder.path } as const;
  await using snapshot = await sandbox.resources.open(spec, { signal });
  expect(snapshot.pathOnDisk("a.ts")).toBe(path.join(folder.path, "a.ts"));
  expect(await sandbox.resources.clear({ shared: true })).toEqual({ cleared: 0 });
  expect(await readdir(folder.path)).toEqual(["a.ts"]);
  expect(await sandbox.resources.describe(spec, { signal })).toMatchObject({ state: "ready" });
});

test("the hashes of a folder are stored for the next process", async () => {
  await using sandbox = await openSandbox();
  await using folder = await temporaryFolder("//- a.ts\na\n");
  await using _snapshot = await sandbox.resources.open(
    { type: "local", name: "folder", path: folder.path },
    { signal },
  );
  expect(await readdir(sandbox.hashesDirectory)).toHaveLength(1);
});

test("an installed package is read from the workspace", async () => {
  await using sandbox = await openSandbox();
  await sandbox.write(
    '//- node_modules/tiny/package.json\n{ "name": "tiny", "version": "1.2.3" }\n//- node_modules/tiny/i.js\n',
  );
  await using snapshot = await sandbox.resources.open({ type: "npm", name: "tiny", package: "tiny" }, { signal });
  expect(snapshot.info).toMatchObject({ resource: "tiny", type: "npm", label: expect.stringContaining("tiny 1.2.3") });
  expect(snapshot.files.map((file) => file.path)).toEqual(["i.js", "package.json"]);
});

test.each([
  ["always", "tiny 2.0.0"],
  ["daily", "tiny 1.0.0"],
  ["manual", "tiny 1.0.0"],
] as const)("a package that is refreshed %s is %s after another one is published", async (refresh, expected) => {
  await using registry = await startNpmRegistry();
  registry.publish({ name: "tiny", version: "1.0.0" });
  await using sandbox = await openSandbox({ refresh: refresh === "always" ? "manual" : "always" });
  await sandbox.write(`//- .npmrc\nregistry=${registry.url}\n`);
  const spec = { type: "npm", name: "tiny", package: "tiny", version: "latest", refresh } as const;
  await (await sandbox.resources.open(spec, { signal }))[Symbol.asyncDispose]();
  registry.publish({ name: "tiny", version: "2.0.0" });
  await using snapshot = await sandbox.resources.open(spec, { signal });
  expect(snapshot.info.label).toContain(expected);
});

test("the list shows a requested version and the different installed one", async () => {
  await using registry = await startNpmRegistry();
  registry.publish({ name: "tiny", version: "1.0.0" });
  await using sandbox = await openSandbox();
  await sandbox.write(
    `//- .npmrc\nregistry=${registry.url}\n//- node_modules/tiny/package.json\n{ "name": "tiny", "version": "1.2.3" }\n`,
  );
  const spec = { type: "npm", name: "tiny", package: "tiny", version: "1.0.0" } as const;
  await (await sandbox.resources.open(spec, { signal }))[Symbol.asyncDispose]();
  expect(await sandbox.resources.describe(spec, { signal })).toMatchObject({ installedVersion: "1.2.3" });
});

test("a kind that is not offered is refused", async () => {
  await using sandbox = await openSandbox({ kinds: ["git", "npm"] });
  const spec = { type: "local", name: "folder", path: "/etc" } as const;
  const expected = {
    error: "local resources are not offered here",
    tag: "ResourceNotOffered",
    hint: "use one of: git, npm",
  };
  expect(await sandbox.resources.open(spec, { signal }).catch(toErrorBody)).toEqual(expected);
  expect(await sandbox.resources.describe(spec, { signal }).catch(toErrorBody)).toEqual(expected);
});

async function openSandbox(options: Partial<ResourcesOptions> = {}) {
  const workspace = await temporaryFolder("//- package.json\n{}\n");
  const directory = path.join(workspace.path, ".citewell/resources");
  const hashesDirectory = path.join(workspace.path, ".citewell/hashes");
  const store = createStore({ directory, log: silentLog });
  const resources = createResources({
    store,
    revisions: createContentRevisions({ folderHashes: createFolderHashes(hashesDirectory) }),
    kinds: ["git", "local", "npm"],
    refresh: "daily",
    allowHosts: ["localhost"],
    location: { cwd: workspace.path, homeDirectory: workspace.path, env: {}, platform: process.platform },
    network: async () => ({}),
    gitEnvironment: { PATH: process.env["PATH"] ?? "", HOME: workspace.path, GIT_SSL_CAINFO: server.caFile },
    ...options,
  });
  return {
    directory,
    hashesDirectory,
    resources,
    write: (source: string) => workspace.write(source),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await workspace[Symbol.asyncDispose]();
    },
  };
}
