import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { CitewellError, toErrorBody } from "../../../server/errors.ts";
import { acquireLock } from "../../../server/lib/lock.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { ownedName } from "../../../server/lib/owner.ts";
import type { Progress } from "../../../server/resources/source.ts";
import { createStore } from "../../../server/resources/store.ts";
import { sourceName } from "../../../server/resources/stored.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { createOrigin, openSandbox } from "../../support/store-sandbox.ts";

const dayMs = 24 * 3600 * 1000;

describe("a fetched snapshot", () => {
  test("is used for the next question, with its counts and details", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await using first = await sandbox.open(origin);
    await using second = await sandbox.open(origin);
    expect(await readdir(second.directory)).toEqual(["a.txt"]);
    expect(second).toMatchObject({
      directory: first.directory,
      revision: "one",
      fetchedAt: "2026-01-01T00:00:00.000Z",
      fileCount: 1,
      sizeBytes: 3,
      details: { branch: "main" },
      skipped: [{ path: "big.bin", reason: "too large" }],
    });
    expect(second.stale).toBeUndefined();
    expect(origin.calls).toEqual(["resolve", "fetch one"]);
  });

  test("can be moved: it does not contain its location", async () => {
    await using sandbox = await openSandbox();
    await using tree = await sandbox.open(createOrigin("one"));
    expect(await readFile(path.join(tree.directory, "..", "snapshot.json"), "utf8")).not.toContain(sandbox.directory);
  });

  test("is fetched again if it was damaged", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    const tree = await sandbox.open(origin);
    await writeFile(path.join(tree.directory, "..", "snapshot.json"), "{");
    await tree[Symbol.asyncDispose]();
    await using again = await sandbox.open(origin);
    expect(await readdir(again.directory)).toEqual(["a.txt"]);
    expect(origin.calls).toEqual(["resolve", "fetch one", "resolve", "fetch one"]);
  });
});

describe("concurrent questions", () => {
  test("share one fetch, and all see its progress", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    const seen: Progress[][] = [[], []];
    const trees = await Promise.all(seen.map((list) => sandbox.open(origin, { onProgress: (it) => list.push(it) })));
    expect(origin.calls).toEqual(["resolve", "fetch one"]);
    expect(trees[0]?.directory).toBe(trees[1]?.directory);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[0]?.map(({ phase }) => phase)).toEqual(["resolve", "fetch", "index"]);
  });

  test("continue the fetch when one is cancelled", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one", { isHeld: true });
    const cancelled = new AbortController();
    const first = sandbox.open(origin, { signal: cancelled.signal });
    const second = sandbox.open(origin);
    await origin.fetching;
    cancelled.abort();
    await expect(first).rejects.toThrow("aborted");
    origin.release();
    expect((await second).revision).toBe("one");
    expect(origin.calls).toEqual(["resolve", "fetch one"]);
  });

  test("cancel the fetch with the last of them, which leaves nothing", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one", { isHeld: true });
    const cancelled = new AbortController();
    const both = [1, 2].map(() => sandbox.open(origin, { signal: cancelled.signal }));
    await origin.fetching;
    cancelled.abort();
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(origin.calls).toEqual(["resolve", "fetch one", "aborted"]);
    expect(await sandbox.list("temporary")).toEqual([]);
    expect(await sandbox.list("snapshots")).toEqual([]);
    expect(await sandbox.describe(origin)).toMatchObject({ state: "absent" });
  });
});

describe("refreshing", () => {
  test("always: each question checks for a newer revision, which replaces the old one", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await (await sandbox.open(origin))[Symbol.asyncDispose]();
    origin.revision = "two";
    await using tree = await sandbox.open(origin, { refresh: "always" });
    expect(tree.revision).toBe("two");
    expect(await sandbox.list("snapshots")).toHaveLength(1);
  });

  test("daily: a day must have passed since the last check", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await sandbox.open(origin);
    origin.revision = "two";
    sandbox.advance(dayMs);
    expect((await sandbox.open(origin)).revision).toBe("one");
    sandbox.advance(1);
    expect((await sandbox.open(origin)).revision).toBe("two");
  });

  test("manual: the snapshot on disk is kept", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await sandbox.open(origin);
    origin.revision = "two";
    sandbox.advance(365 * dayMs);
    expect(await sandbox.open(origin, { refresh: "manual" })).toMatchObject({ revision: "one" });
    expect(await sandbox.describe(origin, "manual")).toMatchObject({ state: "ready" });
  });

  test("an unchanged origin is checked and not fetched", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await sandbox.open(origin);
    sandbox.advance(2 * dayMs);
    await using tree = await sandbox.open(origin);
    expect(tree.stale).toBeUndefined();
    expect(tree.fetchedAt).toBe("2026-01-01T00:00:00.000Z");
    expect(origin.calls).toEqual(["resolve", "fetch one", "resolve"]);
  });

  test("a failure is reported with the age, and does not fail the question", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await sandbox.open(origin);
    sandbox.advance(3 * dayMs);
    origin.fault = new CitewellError("RepositoryFailed", "git.example could not be reached");
    await using tree = await sandbox.open(origin);
    expect(tree).toMatchObject({ revision: "one", stale: "fetched 3 days ago; git.example could not be reached" });
    expect(await sandbox.describe(origin)).toMatchObject({ state: "stale", revision: "one" });
  });

  test("a recent failure is not retried at once, and still reported", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await sandbox.open(origin);
    sandbox.advance(3 * dayMs);
    origin.fault = new CitewellError("RepositoryFailed", "git.example could not be reached");
    await sandbox.open(origin);
    sandbox.advance(59_000);
    const again = await sandbox.open(origin);
    expect(again.stale).toBe("fetched 3 days ago; git.example could not be reached");
    expect(origin.calls).toEqual(["resolve", "fetch one", "resolve"]);
    sandbox.advance(2000);
    origin.fault = undefined;
    expect((await sandbox.open(origin)).stale).toBeUndefined();
  });

  test("a slow refresh continues in the background", async () => {
    await using sandbox = await openSandbox({ waitMs: { daily: 1 } });
    const origin = createOrigin("one");
    await sandbox.open(origin);
    sandbox.advance(2 * dayMs);
    origin.revision = "two";
    origin.hold();
    const tree = await sandbox.open(origin);
    expect(tree).toMatchObject({ revision: "one", stale: "fetched 2 days ago; the update is still running" });
    origin.release();
    await expect.poll(async () => (await sandbox.describe(origin)).revision).toBe("two");
    expect(await readFile(path.join(tree.directory, "a.txt"), "utf8")).toBe("one");
  });

  test("a background refresh ends when the store is closed", async () => {
    await using sandbox = await openSandbox({ waitMs: { daily: 1 } });
    const origin = createOrigin("one");
    await sandbox.open(origin);
    sandbox.advance(2 * dayMs);
    origin.revision = "two";
    origin.hold();
    await sandbox.open(origin);
    await origin.fetching;
    await sandbox.store[Symbol.asyncDispose]();
    expect(origin.calls.at(-1)).toBe("aborted");
    expect(await sandbox.list("temporary")).toEqual([]);
  });

  test("a first fetch that takes too long for its question continues for the next one", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one", { isHeld: true });
    await expect(sandbox.open(origin, { waitMs: 1 })).rejects.toMatchObject({ tag: "NotReadyYet" });
    origin.release();
    expect(await sandbox.open(origin)).toMatchObject({ revision: "one" });
    expect(origin.calls).toEqual(["resolve", "fetch one"]);
  });

  test("a first fetch that just failed is not repeated by a question that does not wait for it", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    origin.fault = new CitewellError("RepositoryTimeout", "git.example does not answer");
    await expect(sandbox.open(origin, { waitMs: 60_000 })).rejects.toMatchObject({ tag: "RepositoryTimeout" });
    origin.fault = undefined;
    const again = { tag: "RepositoryTimeout", message: "git.example does not answer" };
    await expect(sandbox.open(origin, { waitMs: 60_000 })).rejects.toMatchObject(again);
    expect(origin.calls).toEqual(["resolve"]);
    expect(await sandbox.open(origin)).toMatchObject({ revision: "one" });
  });

  test("a refresh ends with the question that waits for it", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await sandbox.open(origin);
    sandbox.advance(2 * dayMs);
    origin.revision = "two";
    origin.hold();
    const cancelled = new AbortController();
    const opening = sandbox.open(origin, { signal: cancelled.signal });
    await origin.fetching;
    cancelled.abort();
    await expect(opening).rejects.toThrow("aborted");
    await expect.poll(() => origin.calls.at(-1)).toBe("aborted");
  });
});

describe("failures", () => {
  test("with nothing on disk, a failed fetch fails the question and is stored", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    origin.fault = new CitewellError("BranchNotFound", "no such branch");
    await expect(sandbox.open(origin)).rejects.toMatchObject({ tag: "BranchNotFound" });
    expect(await sandbox.describe(origin)).toEqual({
      state: "failed",
      revision: null,
      fetchedAt: null,
      sizeBytes: null,
      fileCount: null,
      failure: "no such branch",
    });
  });

  test("a full disk is reported with the path, and leaves no partial files", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    origin.fetchFault = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    const error = await sandbox.open(origin).catch(toErrorBody);
    expect(error).toEqual({
      error: `cannot write to ${path.join(sandbox.directory, "temporary")}: no space is left on the disk`,
      tag: "StorageFailed",
      hint: "free some space, or run: citewell clear",
    });
    expect(await sandbox.list("temporary")).toEqual([]);
    expect(await sandbox.list("snapshots")).toEqual([]);
  });

  test("a data directory that cannot be created is reported with the path", async () => {
    await using folder = await temporaryFolder("//- file\nnot a folder\n");
    const directory = path.join(folder.path, "file", "resources");
    const store = createStore({ directory, log: silentLog });
    const error = await store.open(createOrigin("one").source, { refresh: "daily" }).catch(toErrorBody);
    expect(error).toMatchObject({ tag: "StorageFailed", error: expect.stringContaining(directory) });
  });

  test("Node's ENOENT for a folder to create is reported with the path", async () => {
    await using folder = await temporaryFolder();
    // A link to nowhere gives the ENOENT that a read-only file system gives.
    await symlink(path.join(folder.path, "nowhere"), path.join(folder.path, "locks"));
    const store = createStore({ directory: folder.path, log: silentLog });
    const error = await store.open(createOrigin("one").source, { refresh: "daily" }).catch(toErrorBody);
    expect(error).toEqual({
      error: `cannot write to ${folder.path}: no folder can be made there`,
      tag: "StorageFailed",
      hint: "check for a read-only file system or a broken link, or set dataDirectory to another folder",
    });
  });

  test("the snapshot on disk is read without write access", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    await (await sandbox.open(origin))[Symbol.asyncDispose]();
    // Root may write anywhere: files in place of the folders do what a read-only disk does.
    for (const name of ["leases", "locks", "temporary"]) {
      await rm(path.join(sandbox.directory, name), { recursive: true, force: true });
      await writeFile(path.join(sandbox.directory, name), "");
    }
    origin.revision = "two";
    await using tree = await sandbox.open(origin, { refresh: "always" });
    expect(tree.revision).toBe("one");
    expect(tree.stale).toMatch(/^fetched just now; cannot write to /);
  });

  test("waiting for another process's fetch has a time limit", async () => {
    await using sandbox = await openSandbox({ waitMs: { lock: 0 } });
    const origin = createOrigin("one");
    const locks = path.join(sandbox.directory, "locks");
    await mkdir(locks, { recursive: true });
    await using _lock = await acquireLock(path.join(locks, sourceName(origin.source.key)), { waitMs: 0 });
    await expect(sandbox.open(origin)).rejects.toMatchObject({ tag: "LockTimeout" });
    expect(origin.calls).toEqual(["resolve"]);
  });

  test("leftovers of a killed process are removed, those of a running one are not", async () => {
    await using sandbox = await openSandbox();
    const own = ownedName("source");
    const abandoned = own.replace(`.${process.pid}.`, `.${await deadProcess()}.`);
    for (const name of [own, abandoned])
      await mkdir(path.join(sandbox.directory, "temporary", name, "tree"), { recursive: true });
    await sandbox.open(createOrigin("one"));
    expect(await sandbox.list("temporary")).toEqual([own]);
  });
});

describe("clearing", () => {
  test("counts the removed snapshots, and keeps those in use", async () => {
    await using sandbox = await openSandbox();
    const [read, unread] = [createOrigin("one", { key: "read" }), createOrigin("one", { key: "unread" })];
    await using tree = await sandbox.open(read);
    await (await sandbox.open(unread))[Symbol.asyncDispose]();
    expect(await sandbox.store.clear()).toBe(1);
    expect(await readdir(tree.directory)).toEqual(["a.txt"]);
    expect(await sandbox.describe(read)).toMatchObject({ state: "ready" });
    expect(await sandbox.describe(unread)).toMatchObject({ state: "absent" });
    await tree[Symbol.asyncDispose]();
    expect(await sandbox.store.clear()).toBe(1);
    expect(await sandbox.store.clear()).toBe(0);
  });

  test("ignores a killed reader", async () => {
    await using sandbox = await openSandbox();
    await sandbox.open(createOrigin("one"));
    const [snapshot = ""] = await sandbox.list("leases");
    const [lease = ""] = await sandbox.list(path.join("leases", snapshot));
    const abandoned = lease.replace(`.${process.pid}.`, `.${await deadProcess()}.`);
    await rename(
      path.join(sandbox.directory, "leases", snapshot, lease),
      path.join(sandbox.directory, "leases", snapshot, abandoned),
    );
    expect(await sandbox.store.clear()).toBe(1);
  });

  test("keeps a superseded revision while it is read", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one");
    const old = await sandbox.open(origin);
    origin.revision = "two";
    await using tree = await sandbox.open(origin, { refresh: "always" });
    expect(tree.revision).toBe("two");
    expect(await readFile(path.join(old.directory, "a.txt"), "utf8")).toBe("one");
    await old[Symbol.asyncDispose]();
    expect(await sandbox.list("snapshots")).toHaveLength(1);
  });
});

describe("a limit of bytes", () => {
  test("removes the snapshots that were not opened for longest, but none that is read or was just fetched", async () => {
    await using sandbox = await openSandbox({ maxBytes: 8 });
    const [old, used, next, large] = ["old", "used", "next", "large"].map((key) => createOrigin(key, { key }));
    if (old === undefined || used === undefined || next === undefined || large === undefined) throw new RangeError();
    const open = async (origin: typeof old) => (await sandbox.open(origin))[Symbol.asyncDispose]();
    const states = () =>
      Promise.all([old, used, next, large].map(async (origin) => (await sandbox.describe(origin)).state));
    await open(old);
    await open(used);
    for (const name of await sandbox.list("snapshots")) {
      const file = path.join(sandbox.directory, "snapshots", name, "snapshot.json");
      await utimes(file, new Date(0), new Date(0));
    }
    await open(used);
    await open(next);
    expect(await states()).toEqual(["absent", "ready", "ready", "absent"]);
    await using reading = await sandbox.open(used);
    await open(large);
    expect(await states()).toEqual(["absent", "ready", "absent", "ready"]);
    expect(await readFile(path.join(reading.directory, "a.txt"), "utf8")).toBe("used");
  });
});

describe("a limit of a fetch", () => {
  const fetchLimit = { bytes: 1, name: "the 1 byte of this test", hint: "fetch less" };
  const refused = {
    tag: "ResourceTooLarge",
    message: "its files have more than the 1 byte of this test; they were not stored",
    hint: "fetch less",
  };

  test("stops a fetch that does not end, which leaves nothing but the reason", async () => {
    await using sandbox = await openSandbox({ fetchLimit });
    const origin = createOrigin("one", { isHeld: true });
    await expect(sandbox.open(origin)).rejects.toMatchObject(refused);
    expect(origin.calls).toEqual(["resolve", "fetch one", "aborted"]);
    expect([await sandbox.list("temporary"), await sandbox.list("snapshots")]).toEqual([[], []]);
    expect(await sandbox.describe(origin)).toMatchObject({ state: "failed", failure: refused.message });
  });

  test("refuses a snapshot that is one byte too large, and allows the limit", async () => {
    const limit = (bytes: number) => ({ fetchLimit: { ...fetchLimit, bytes } });
    await using small = await openSandbox(limit(2));
    await expect(small.open(createOrigin("one"))).rejects.toMatchObject(refused);
    await using enough = await openSandbox(limit(3));
    await using tree = await enough.open(createOrigin("one"));
    expect(tree.diskBytes).toBe(3);
  });

  test("that cannot be stored after files were added is no failure", async () => {
    await using sandbox = await openSandbox();
    await using tree = await sandbox.open(createOrigin("one"));
    const file = path.join(tree.directory, "..", "snapshot.json");
    await rm(file);
    await mkdir(file);
    await expect(tree.measure()).resolves.toBeUndefined();
  });

  test("of one tenant is no failure for others, whose fetch it neither stops nor uses", async () => {
    await using sandbox = await openSandbox();
    const origin = createOrigin("one", { isHeld: true });
    const limited = { fetchLimit: async () => fetchLimit };
    await expect(sandbox.open(origin, limited)).rejects.toMatchObject(refused);
    expect(await sandbox.describe(origin)).toMatchObject({ state: "absent", failure: null });
    origin.hold();
    const other = sandbox.open(origin);
    await origin.fetching;
    const waiting = sandbox.open(origin, limited);
    origin.release();
    const trees = await Promise.all([other, waiting]);
    expect(trees.map(({ revision }) => revision)).toEqual(["one", "one"]);
    expect(origin.calls.filter((call) => call === "fetch one")).toHaveLength(2);
    await Promise.all(trees.map((tree) => tree[Symbol.asyncDispose]()));
  });
});

async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "close");
  return child.pid ?? 0;
}
