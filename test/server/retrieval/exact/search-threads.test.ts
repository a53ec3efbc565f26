import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Snapshot } from "../../../../server/resources/snapshot.ts";
import { openTree } from "../../../../server/resources/tree.ts";
import { createRetrieval, type GrepOptions } from "../../../../server/retrieval/retrieval.ts";
import { createThreads } from "../../../../server/retrieval/exact/threads.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";

const fileCount = 250;
/** What is less than a thread is given at once is searched without one. */
const filler = "// -\n".repeat(3000);
const options: GrepOptions = {
  pattern: "needle",
  isRegex: false,
  ignoreCase: false,
  wholeWord: false,
  contextLines: 0,
  limit: 10_000,
  signal: undefined,
};
let folder: Folder;
let tree: Snapshot;
let searchWorker: URL;

beforeAll(async () => {
  folder = await temporaryFolder();
  const place = (name: string) => path.join(folder.path, "tree", name);
  await mkdir(place("src"), { recursive: true });
  await mkdir(place("test"));
  for (let number = 0; number < fileCount; number++) {
    const text = `one\r\n${number % 2 === 0 ? "a needle, näher" : "Needle"} ${number}\n\nneedles`;
    const end = number === 145 ? "z".repeat(60) : "";
    const encoding = (["utf8", "latin1", "utf16le"] as const)[number % 3] ?? "utf8";
    const mark = encoding === "utf16le" ? "\uFEFF" : "";
    await writeFile(place(`${number % 5 === 0 ? "test" : "src"}/${number}.ts`), `${mark}${filler}${text}${end}`, {
      encoding,
    });
  }
  await writeFile(place("test/zz.bin"), "needle\0");
  await writeFile(
    place("src/long.ts"),
    `\uFEFF${"line é\n".repeat(9000)}a needle, näher 7\r\n${"w".repeat(90_000)} needle 8`,
  );
  const info = { resource: "demo", type: "git", revision: "r1", label: "demo at r1", fetchedAt: null } as const;
  tree = await openTree(place(""), { info });
  const outfile = path.join(folder.path, "search-worker.mjs");
  const entry = path.resolve("server/retrieval/exact/search-worker.ts");
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm" });
  searchWorker = pathToFileURL(outfile);
});

afterAll(async () => {
  await tree[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** A thread of the test's own. */
async function threadRunning(source: string): Promise<URL> {
  const file = path.join(folder.path, `thread-${source.length}.mjs`);
  await writeFile(file, `import { parentPort } from "node:worker_threads";\n${source}\n`);
  return pathToFileURL(file);
}

const here = (wanted: Partial<GrepOptions> = {}) => createRetrieval().grep([tree], { ...options, ...wanted });
const inThreads = (wanted: Partial<GrepOptions> = {}, worker = searchWorker) =>
  createRetrieval({ searchWorker: worker }).grep([tree], { ...options, ...wanted });

const cases: Partial<GrepOptions>[] = [
  {},
  { contextLines: 1 },
  { limit: 130 },
  { limit: 0 },
  { offset: 95, limit: 20, contextLines: 1 },
  { ignoreCase: true },
  { wholeWord: true },
  { pattern: "näher" },
  { pattern: "absent" },
  { pattern: "^[Nn]eedle\\b.*\\d$", isRegex: true },
  { pattern: "^\\w+$", isRegex: true, contextLines: 2 },
  { pattern: "(a|x)\\s?needle|one$", isRegex: true, glob: "src/**" },
];

test.each(cases)("threads find what this thread finds: %j", async (wanted) => {
  expect(await inThreads(wanted)).toEqual(await here(wanted));
});

test.each(cases)("threads find by an index what this thread finds without: %j", async (wanted) => {
  // The first one makes the index, the others open it.
  const indexed = createRetrieval({ searchWorker, directory: path.join(folder.path, "index") });
  await using preparation = indexed.prepare(tree);
  await preparation.done;
  const found = await indexed.grep([tree], { ...options, ...wanted });
  // An index has read files that a page does not need.
  expect({ ...found, skipped: [] }).toEqual({ ...(await here(wanted)), skipped: [] });
});

test.each(cases)("threads count in each file the lines that are found in it: %j", async (wanted) => {
  const { files: found, filesWithHits, total } = await here({ ...wanted, offset: 0, limit: 10_000 });
  const expected = found.map(({ resource, path, matchLines }) => ({ resource, path, count: matchLines.length }));
  const counted = await createRetrieval({ searchWorker }).count([tree], {
    ...options,
    ...wanted,
    offset: 0,
    limit: 10_000,
  });
  expect(counted.files).toEqual(expected.sort((a, b) => b.count - a.count));
  expect(counted).toMatchObject({ filesWithHits, total, cut: [] });
});

const reason = "skipped by the thread";
/** Skips every file, with its path in the reason. */
const skipping = `
  parentPort.on("message", ({ files }) => {
    parentPort.postMessage(files.map(({ path }) => ({ type: "skipped", reason: path + " ${reason}" })));
  });`;

test("threads search what comes after the first files that fill a page", async () => {
  const { skipped, searchedFiles } = await inThreads({ limit: 500 }, await threadRunning(skipping));
  const inThread = skipped.filter((file) => file.reason === `${file.path} ${reason}`);
  expect({ inThread: inThread.length, searchedFiles }).toEqual({ inThread: fileCount + 2 - 200, searchedFiles: 200 });
});

test("files that a thread leaves at the end of its turn are searched in the next", async () => {
  const oneEachTurn = skipping.replace("files.map", "files.slice(0, 1).map");
  expect(await inThreads({}, await threadRunning(oneEachTurn))).toEqual(
    await inThreads({}, await threadRunning(skipping)),
  );
});

test("a thread without time left searches its first file, so that every turn makes progress", async () => {
  const threads = createThreads(searchWorker, { count: 1, idleMs: 0, resourceLimits: {} });
  const files = [tree.tree?.fileOf("src/1.ts")];
  const turn = { query: options, root: tree.tree?.root, files, limit: 10, enough: 10, timeMs: 0 };
  const run = { group: "a", until: Infinity, timeoutMs: 60_000, signal: undefined };
  expect(await threads.run(turn, run)).toMatchObject([{ type: "searched" }]);
});

test("a few small files are searched without a thread", async () => {
  const { skipped, searchedFiles } = await inThreads({ glob: "src/1?.ts" }, await threadRunning(skipping));
  expect({ skipped, searchedFiles }).toEqual({ skipped: [], searchedFiles: 8 });
});

test.each([
  ["does not start", 'throw new Error("no thread here");'],
  ["ends without an answer", 'parentPort.on("message", () => process.exit());'],
  ["searches nothing", 'parentPort.on("message", () => parentPort.postMessage([]));'],
  ["answers something else", 'parentPort.on("message", () => parentPort.postMessage("42"));'],
])("a thread that %s loses no answer", async (_, source) => {
  expect(await inThreads({}, await threadRunning(source))).toEqual(await here());
});

test("a search that is given up ends while a thread is at work", async () => {
  const leaving = new AbortController();
  const thread = await threadRunning('parentPort.on("message", () => { for (;;); });');
  const endless = inThreads({ signal: leaving.signal }, thread);
  setTimeout(() => leaving.abort(new Error("left")), 50);
  await expect(endless).rejects.toThrow("left");
});

test("an expression that does not come to an end costs the file it is in", async () => {
  const endless = { pattern: "(z+z+)+y", isRegex: true };
  const { skipped, cut, searchedFiles } = await inThreads(endless);
  expect(skipped).toEqual([
    { resource: "demo", path: "test/145.ts", reason: "the pattern takes too long in it; a simpler one may not" },
    { resource: "demo", path: "test/zz.bin", reason: "binary" },
  ]);
  expect({ cut, searchedFiles }).toEqual({ cut: [], searchedFiles: fileCount });
});

test("what is shown of a folder that people work in reads the same when they change it", async () => {
  await using work = await temporaryFolder(
    Array.from({ length: fileCount }, (_, number) => `//- ${1000 + number}.ts\nneedle ${number}\n${filler}`).join(""),
  );
  const info = { resource: "work", type: "local", revision: "r1", label: "work", fetchedAt: null } as const;
  const living = await openTree(work.path, { info, isLiving: true });
  const { total } = await createRetrieval({ searchWorker }).grep([living], options);
  await work.write("//- 1140.ts\nsomething else\n");
  expect({ total, text: (await living.read("1140.ts")).text }).toEqual({
    total: fileCount,
    text: `needle 140\n${filler}`,
  });
});
