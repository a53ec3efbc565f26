import { readdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { create, extract, list } from "tar";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BlobStore, createDirectoryBlobs } from "../../../../server/hosted/snapshots/blobs.ts";
import { addGitToken } from "../../../../server/hosted/secrets/git-tokens.ts";
import { createLog } from "../../../../server/lib/log.ts";
import type { StoreLocation } from "../../../../server/hosted/store/store.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { type GitServer, startGitServer } from "../../../support/git-server.ts";
import { startService, type TestService } from "../../../support/hosted.ts";
import { postgresEngines } from "../../../support/stores.ts";

let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
});
afterAll(() => git[Symbol.asyncDispose]());

interface LoggedService {
  service: TestService;
  /** The events of snapshots that it has logged. */
  events: string[];
}

/** A node with a data directory of its own. */
async function startNode(
  location: StoreLocation,
  options: { role: "web" | "worker" | "both"; blobs?: BlobStore },
): Promise<LoggedService> {
  const events: string[] = [];
  const service = await startService(location, {
    env: { SSL_CERT_FILE: git.caFile, NODE_EXTRA_CA_CERTS: git.caFile },
    log: createLog("info", (line) => {
      const [, event] = /^\S+ \w+ (snapshot-[\w-]+)/.exec(line) ?? [];
      if (event !== undefined) events.push(event);
    }),
    ...options,
  });
  return { service, events };
}

async function searchIn({ service }: LoggedService, key: string, query: string): Promise<string> {
  const { content } = await service.call(key, "search", { query, mode: "ranked" });
  return content.map(({ text }) => text).join("\n");
}

describe.each(postgresEngines())("nodes on $name", (engine) => {
  /** A worker that has fetched a repository as the resource `lib`, and a web node with a data directory of its own. */
  async function startPair(repository: string, shared: { blobs?: BlobStore } = {}) {
    const location = await engine.createDatabase();
    const worker = await startNode(location, { role: "both", ...shared });
    const web = await startNode(location, { role: "web", ...shared });
    const key = await worker.service.key();
    await worker.service.call(key, "addResource", { type: "git", name: "lib", url: git.url(repository) });
    await worker.service.untilFetched();
    return {
      worker,
      web,
      key,
      async [Symbol.asyncDispose]() {
        await web.service[Symbol.asyncDispose]();
        await worker.service[Symbol.asyncDispose]();
      },
    };
  }

  test("a snapshot is copied with its index, and a newer one is noticed", async () => {
    await git.commit("lib", {
      "retry.ts": "export const retries = 3;\n",
      "docs/link.md": { link: "../retry.ts" },
    });
    await using folder = await temporaryFolder();
    await using nodes = await startPair("lib", { blobs: createDirectoryBlobs(folder.path) });
    const { worker, web, key } = nodes;
    expect(worker.events).toEqual(["snapshot-fetched", "snapshot-shared"]);
    const [first, ...others] = await readdir(folder.path);
    expect([first, others]).toEqual([expect.stringMatching(/^[\da-f]{20}-[\da-f]{20}\.1\.tgz$/), []]);

    expect(await searchIn(web, key, "retries")).toContain("export const retries = 3;");
    expect(web.events).toEqual(["snapshot-copied"]);
    expect(await web.service.call(key, "read", { resource: "lib", path: "docs/link.md" })).toMatchObject({
      isError: false,
      content: [{ text: expect.stringContaining("export const retries = 3;") }],
    });
    const indexOf = async ({ service }: LoggedService) =>
      (await readdir(path.join(service.dataDirectory, "index"))).toSorted();
    expect(await indexOf(web)).toEqual(await indexOf(worker));

    await git.commit("lib", { "retry.ts": "export const retries = 4;\n" });
    await worker.service.call(key, "sync");
    await worker.service.untilFetched();
    expect(await searchIn(web, key, "retries")).toContain("export const retries = 4;");
    const [second, ...older] = await readdir(folder.path);
    expect([second === first, older]).toEqual([false, []]);
  });

  test("a snapshot with links that lead nowhere is copied", async () => {
    await git.commit("links", {
      "retry.ts": "export const retries = 3;\n",
      absolute: { link: "/etc/hostname" },
      outside: { link: `${"../".repeat(20)}etc/hostname` },
    });
    await using folder = await temporaryFolder();
    await using nodes = await startPair("links", { blobs: createDirectoryBlobs(folder.path) });
    const { web, key } = nodes;
    expect(await searchIn(web, key, "retries")).toContain("export const retries = 3;");
    expect(web.events).toEqual(["snapshot-copied"]);
  });

  test("without a shared store, a newer snapshot is noticed and fetched from its origin", async () => {
    await git.commit("alone", { "retry.ts": "export const retries = 3;\n" });
    await using nodes = await startPair("alone");
    const { worker, web, key } = nodes;
    expect(await searchIn(web, key, "retries")).toContain("export const retries = 3;");
    await git.commit("alone", { "retry.ts": "export const retries = 5;\n" });
    await worker.service.call(key, "sync");
    await worker.service.untilFetched();
    expect(await searchIn(web, key, "retries")).toContain("export const retries = 5;");
    expect(web.events).toEqual(["snapshot-fetched", "snapshot-fetched"]);
  });

  test.each([
    ["damaged", (file: string) => writeFile(file, "no pack")],
    ["gone", (file: string) => rm(file)],
  ])("a pack that is %s is fetched from its origin", async (_state, change) => {
    await git.commit("damaged", { "retry.ts": "export const retries = 3;\n" });
    await using folder = await temporaryFolder();
    await using nodes = await startPair("damaged", { blobs: createDirectoryBlobs(folder.path) });
    const { web, key } = nodes;
    for (const name of await readdir(folder.path)) await change(path.join(folder.path, name));
    expect(await searchIn(web, key, "retries")).toContain("export const retries = 3;");
    expect(web.events.at(-1)).toBe("snapshot-fetched");
    expect(web.events).not.toContain("snapshot-copied");
  });

  test("a pack whose tree is a link out of it shows no other file of the node", async () => {
    await git.commit("hostile", { "retry.ts": "export const retries = 3;\n" });
    await using folder = await temporaryFolder();
    await using nodes = await startPair("hostile", { blobs: createDirectoryBlobs(folder.path) });
    const { web, key } = nodes;
    const [name = ""] = await readdir(folder.path);
    const snapshot = `resources/snapshots/${name.replace(".1.tgz", "")}`;
    const file = path.join(folder.path, name);
    await using unpacked = await temporaryFolder();
    await extract({ file, cwd: unpacked.path });
    const tree = path.join(unpacked.path, snapshot, "tree");
    await rm(tree, { recursive: true });
    // While it is unpacked, this is a place in the pack; afterwards, it is the node's data directory.
    await symlink("../../..", tree);
    await create({ file, cwd: unpacked.path, gzip: true }, [snapshot]);
    await writeFile(path.join(web.service.dataDirectory, "secret.txt"), "otters\n");
    const { content } = await web.service.call(key, "search", { query: "otters", mode: "exact" });
    expect(content.map(({ text }) => text).join("\n")).not.toContain("secret.txt");
    expect(await searchIn(web, key, "retries")).toContain("export const retries = 3;");
    expect(web.events).toEqual(["snapshot-not-copied", "snapshot-fetched"]);
  });

  test("what is fetched with a project's token is not shared", async () => {
    await git.commit("private", { "retry.ts": "export const retries = 3;\n" });
    await using folder = await temporaryFolder();
    const location = await engine.createDatabase();
    const both = await startNode(location, { role: "both", blobs: createDirectoryBlobs(folder.path) });
    await using _both = both.service;
    const { store, keys, project } = both.service;
    const host = new URL(git.origin).host;
    await addGitToken({ store, keys, project, actor: "operator" }, { host, name: "ci", token: "a-token-of-the-host" });
    const key = await both.service.key();
    await both.service.call(key, "addResource", { type: "git", name: "lib", url: git.url("private") });
    await both.service.untilFetched();
    expect(await searchIn(both, key, "retries")).toContain("export const retries = 3;");
    expect(both.events).toEqual(["snapshot-fetched"]);
    expect(await readdir(folder.path)).toEqual([]);
    expect((await store.query("select 1 from snapshot_head")).count).toBe(0);
  });

  test("the index of a public repository that is stored has nothing of a private one with the same files", async () => {
    const shared = { "retry.ts": "export const retries = 3;\n", "wait.ts": "export const waitMs = 5;\n" };
    await git.commit("acme/fork", { ...shared, "secret.ts": "export const otters = 7;\n" });
    await git.commit("other/lib", shared);
    await using folder = await temporaryFolder();
    const location = await engine.createDatabase();
    const both = await startNode(location, { role: "both", blobs: createDirectoryBlobs(folder.path) });
    await using _both = both.service;
    const { store, keys, project } = both.service;
    const host = `${new URL(git.origin).host}/acme`;
    await addGitToken({ store, keys, project, actor: "operator" }, { host, name: "ci", token: "a-token-of-the-host" });
    const key = await both.service.key();
    await both.service.call(key, "addResource", { type: "git", name: "fork", url: git.url("acme/fork") });
    await both.service.untilFetched();
    expect(await searchIn(both, key, "otters")).toContain("export const otters = 7;");
    const before = (await readdir(both.service.dataDirectory, { recursive: true })).map((one) => path.basename(one));
    await both.service.call(key, "addResource", { type: "git", name: "lib", url: git.url("other/lib") });
    await both.service.untilFetched();
    const [name = ""] = await readdir(folder.path);
    const packed: string[] = [];
    await list({
      file: path.join(folder.path, name),
      onReadEntry: (entry) => void packed.push(path.basename(entry.path)),
    });
    const segments = packed.filter((one) => one.endsWith(".segment"));
    expect(segments).not.toEqual([]);
    expect(segments.filter((one) => before.includes(one))).toEqual([]);
    expect(await searchIn(both, key, "retries")).toContain("export const retries = 3;");
  });

  test("a shared store that cannot be written fails no fetch, and other nodes notice the revision", async () => {
    await git.commit("unwritable", { "retry.ts": "export const retries = 3;\n" });
    await using folder = await temporaryFolder("//- file\nno folder\n");
    const blobs = createDirectoryBlobs(path.join(folder.path, "file", "shared"));
    const both = await startNode(await engine.createDatabase(), { role: "both", blobs });
    await using _both = both.service;
    const key = await both.service.key();
    await both.service.call(key, "addResource", { type: "git", name: "lib", url: git.url("unwritable") });
    await both.service.untilFetched();
    expect(both.events).toEqual(["snapshot-not-copied", "snapshot-fetched", "snapshot-not-shared"]);
    expect((await both.service.store.query("select 1 from snapshot_head")).count).toBe(1);
    expect(await searchIn(both, key, "retries")).toContain("export const retries = 3;");
  });
});
