import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { CitewellError } from "../../../server/errors.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { createStore } from "../../../server/resources/store.ts";
import { createOrigin, openSandbox } from "../../support/store-sandbox.ts";

const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;
const offline = new CitewellError("RegistryFailed", "the registry could not be reached");

test("concurrent questions share one fetch, which leaves no temporary folder", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  const trees = await Promise.all([sandbox.openOneOff(origin), sandbox.openOneOff(origin)]);
  expect(origin.calls).toEqual(["resolve", "fetch one"]);
  expect(path.relative(sandbox.directory, trees[0].directory)).toMatch(/^one-offs\/snapshots\/[0-9a-f-]{41}\/tree$/);
  expect(await sandbox.list("one-offs/temporary")).toEqual([]);
  expect(await sandbox.list("snapshots")).toEqual([]);
});

test("within a day the origin is not contacted again, in another process too", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await closed(sandbox.openOneOff(origin));
  origin.fault = offline;
  sandbox.advance(23 * hourMs);
  await closed(sandbox.openOneOff(origin));
  await using other = createStore({ directory: sandbox.directory, log: silentLog, now: sandbox.now });
  await using tree = await other.open(origin.source, { refresh: "daily", oneOff: "npm:pkg" });
  expect(await readFile(path.join(tree.directory, "a.txt"), "utf8")).toBe("one");
  expect(tree.stale).toBeUndefined();
  expect(origin.calls).toEqual(["resolve", "fetch one"]);
});

test("after a day a newer revision is checked for", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await closed(sandbox.openOneOff(origin));
  origin.revision = "two";
  sandbox.advance(dayMs + 1);
  await using tree = await sandbox.openOneOff(origin);
  expect(tree.revision).toBe("two");
  expect(await sandbox.list("one-offs/snapshots")).toHaveLength(1);
});

test("a pinned one is never checked again", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await closed(sandbox.openOneOff(origin, { refresh: "manual" }));
  sandbox.advance(3 * dayMs);
  await closed(sandbox.openOneOff(origin, { refresh: "manual" }));
  expect(origin.calls).toEqual(["resolve", "fetch one"]);
});

test("after a day without a network it is still used, with its age", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await closed(sandbox.openOneOff(origin));
  origin.fault = offline;
  sandbox.advance(10 * dayMs);
  await using tree = await sandbox.openOneOff(origin);
  expect(tree).toMatchObject({ revision: "one", stale: "fetched 1 week ago; the registry could not be reached" });
});

test("a failure leaves nothing, and the next question fetches again", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  origin.fetchFault = new CitewellError("RepositoryFailed", "no");
  await expect(sandbox.openOneOff(origin)).rejects.toMatchObject({ tag: "RepositoryFailed" });
  expect(await sandbox.list("one-offs/temporary")).toEqual([]);
  expect(await sandbox.list("one-offs/snapshots")).toEqual([]);
  origin.fetchFault = undefined;
  await using tree = await sandbox.openOneOff(origin);
  expect(tree.revision).toBe("one");
});

test("a configured resource's snapshot is used, and its current revision does not change", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await closed(sandbox.open(origin));
  await closed(sandbox.openOneOff(origin));
  expect(origin.calls).toEqual(["resolve", "fetch one"]);
  origin.revision = "two";
  sandbox.advance(2 * dayMs);
  await using tree = await sandbox.openOneOff(origin);
  expect(tree.revision).toBe("two");
  await using configured = await sandbox.open(origin, { refresh: "manual" });
  expect(configured.revision).toBe("one");
});

test("without a network, a configured resource's snapshot is used, with its age", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await closed(sandbox.open(origin));
  sandbox.advance(2 * dayMs);
  origin.fault = offline;
  await using tree = await sandbox.openOneOff(origin);
  expect(tree).toMatchObject({ revision: "one", stale: "fetched 2 days ago; the registry could not be reached" });
});

test("a fetch removes entries unused for a day, unless a conversation refers to them", async () => {
  await using sandbox = await openSandbox({ oneOffs: { namesInUse: async () => new Set(["discussed"]) } });
  const ask = (...keys: string[]) => closed(...keys.map((key) => sandbox.openOneOff(createOrigin(key, { key }))));
  await ask("old", "discussed", "used");
  sandbox.advance(20 * hourMs);
  await ask("used");
  sandbox.advance(20 * hourMs);
  await ask("fresh");
  await sandbox.store[Symbol.asyncDispose]();
  expect(await keptIn(sandbox.directory)).toEqual(["discussed", "fresh", "used"]);
});

test("the least recently used are removed if all are too large, also if conversations refer to them", async () => {
  const limits = { limitBytes: 8, namesInUse: async () => new Set(["first"]) };
  await using sandbox = await openSandbox({ oneOffs: limits });
  for (const key of ["first", "second", "third"]) {
    // Four bytes each.
    await closed(sandbox.openOneOff(createOrigin(key.slice(0, 4), { key })));
    sandbox.advance(1000);
  }
  await sandbox.store[Symbol.asyncDispose]();
  expect(await keptIn(sandbox.directory)).toEqual(["seco", "thir"]);
});

test("one that is read is not removed", async () => {
  await using sandbox = await openSandbox({ oneOffs: { limitBytes: 0 } });
  await using tree = await sandbox.openOneOff(createOrigin("one", { key: "read" }));
  await closed(sandbox.openOneOff(createOrigin("two", { key: "other" })));
  await sandbox.store[Symbol.asyncDispose]();
  expect(await readdir(tree.directory)).toEqual(["a.txt"]);
});

test("any question removes entries unused for a week", async () => {
  await using sandbox = await openSandbox();
  await closed(sandbox.openOneOff(createOrigin("old", { key: "old" })));
  sandbox.advance(8 * dayMs);
  await using later = createStore({ directory: sandbox.directory, log: silentLog, now: sandbox.now });
  await closed(later.open(createOrigin("configured", { key: "configured" }).source, { refresh: "daily" }));
  await later[Symbol.asyncDispose]();
  expect(await keptIn(sandbox.directory)).toEqual([]);
});

test("clearing removes all of them", async () => {
  await using sandbox = await openSandbox();
  await closed(sandbox.openOneOff(createOrigin("one")));
  expect(await sandbox.store.clear()).toBe(1);
  expect(await sandbox.list("one-offs/uses")).toEqual([]);
  expect(await sandbox.list("one-offs/sources")).toEqual([]);
});

test("an entry on disk is read without the origin, at its revision", async () => {
  await using sandbox = await openSandbox();
  const origin = createOrigin("one");
  await closed(sandbox.openOneOff(origin));
  const { key } = origin.source;
  const signal = new AbortController().signal;
  await using tree = await sandbox.store.openStored(key, { revision: "one", signal });
  expect(tree?.revision).toBe("one");
});

async function closed(...opening: Promise<AsyncDisposable>[]): Promise<void> {
  for (const tree of await Promise.all(opening)) await tree[Symbol.asyncDispose]();
}

/** The texts of the snapshots. */
async function keptIn(directory: string): Promise<string[]> {
  const snapshots = path.join(directory, "one-offs", "snapshots");
  const names = await readdir(snapshots);
  const texts = await Promise.all(names.map((name) => readFile(path.join(snapshots, name, "tree", "a.txt"), "utf8")));
  return texts.toSorted();
}
