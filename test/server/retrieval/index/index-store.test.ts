import { readdirSync, readlinkSync } from "node:fs";
import { readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createDiskIndexStore } from "../../../../server/retrieval/index/index-store.ts";
import { describePaths } from "../../../../server/retrieval/index/path-facts.ts";
import { structureOf } from "../../../../server/retrieval/indexing/file-structure.ts";
import { createSegmentMaker } from "../../../../server/retrieval/indexing/segment-maker.ts";
import { temporaryFolder } from "../../../support/folder.ts";

const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;

const indexOf = (segments: string[]) => ({
  key: "1",
  segments,
  places: [],
  facts: describePaths([]),
  files: [],
  skipped: [],
});

async function segmentOf(text: string): Promise<Uint8Array> {
  using segment = await createSegmentMaker().begin();
  await segment.add({ hash: "00".repeat(16), text, structure: structureOf("a.ts", text) });
  return segment.finish();
}

async function namesIn(folder: string, ending: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith(ending));
}

/** Left by a process that was killed, two hours ago. */
async function leaveBehind(folder: string, names: readonly string[]): Promise<void> {
  const longAgo = new Date(Date.now() - 2 * hourMs);
  for (const name of names) {
    await writeFile(path.join(folder, name), "");
    await utimes(path.join(folder, name), longAgo, longAgo);
  }
}

test("what a killed process left half written goes after an hour", async () => {
  await using folder = await temporaryFolder();
  await leaveBehind(folder.path, ["aa.segment.4711", "bb.index.12", "cc.segment"]);
  await writeFile(path.join(folder.path, "fresh.segment.99"), "");
  await createDiskIndexStore(folder.path).write("demo", indexOf([]));
  const left = await readdir(folder.path);
  expect(left.filter((name) => !name.endsWith(".index"))).toEqual(["fresh.segment.99"]);
  expect(left).toHaveLength(2);
});

test("a process that runs for days looks once a day for what is to go", async () => {
  await using folder = await temporaryFolder();
  let now = Date.now();
  const store = createDiskIndexStore(folder.path, { now: () => now });
  await store.write("demo", indexOf([]));
  await leaveBehind(folder.path, ["cc.segment"]);
  now += dayMs - 1;
  await store.write("demo", indexOf([]));
  expect(await namesIn(folder.path, ".segment")).toEqual(["cc.segment"]);
  now += 1;
  await store.write("demo", indexOf([]));
  expect(await namesIn(folder.path, ".segment")).toEqual([]);
});

test("what is open is in use, however long ago it was read", async () => {
  await using folder = await temporaryFolder();
  let now = Date.now();
  const store = createDiskIndexStore(folder.path, { now: () => now });
  const [used, unused] = [
    await store.addSegment(await segmentOf("used")),
    await store.addSegment(await segmentOf("unused")),
  ];
  await store.write("used", indexOf([used]));
  await store.write("unused", indexOf([unused]));
  const segment = store.open(used);
  now += 31 * dayMs;
  await store.write("other", indexOf([]));
  expect(await namesIn(folder.path, ".segment")).toEqual([`${used}.segment`]);
  expect(await store.read("unused")).toBeUndefined();
  expect(segment.postings("used")?.chunks).toEqual(Uint32Array.of(0));
});

test("more segments are read than files are open at once", async () => {
  await using folder = await temporaryFolder();
  const store = createDiskIndexStore(folder.path);
  const ids: string[] = [];
  // Of several blocks each, most of which are read only when they are asked for.
  for (let number = 0; number < 100; number++) {
    const words = Array.from({ length: 3000 }, (_, word) => `word${number}of${word}`);
    ids.push(await store.addSegment(await segmentOf(words.join(" "))));
  }
  const segments = ids.map((id) => store.open(id));
  for (const [number, segment] of segments.entries())
    expect(segment.postings(`word${number}of2999`)?.chunks.length).toBe(1);
  expect(ids.every((id, number) => store.open(id) === segments[number])).toBe(true);
  expect(openFilesIn(folder.path).length).toBeLessThanOrEqual(64);
});

test("a segment that was removed is gone for who asks for it again", async () => {
  await using folder = await temporaryFolder();
  const store = createDiskIndexStore(folder.path);
  const id = await store.addSegment(await segmentOf("retry"));
  store.open(id);
  await store.discard(id);
  expect(() => store.open(id)).toThrow(/ENOENT/);
});

/** Other systems do not tell. */
function openFilesIn(folder: string): string[] {
  if (process.platform !== "linux") return [];
  const files = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`);
    } catch {
      return "";
    }
  });
  return files.filter((file) => file.startsWith(folder));
}
