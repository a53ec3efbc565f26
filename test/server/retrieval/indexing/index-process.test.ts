import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Snapshot } from "../../../../server/resources/snapshot.ts";
import { openTree } from "../../../../server/resources/tree.ts";
import { openStoredIndex, type StoredIndex } from "../../../../server/retrieval/index/stored-index.ts";
import { createRetrieval } from "../../../../server/retrieval/retrieval.ts";
import { type Folder, temporaryFolder } from "../../../support/folder.ts";
import { bundle } from "../../../support/run-bundled.ts";

let folder: Folder;
let root: string;
let worker: URL;
let made = 0;

beforeAll(async () => {
  folder = await temporaryFolder();
  root = path.join(folder.path, "tree");
  await build({
    entryPoints: ["index-worker", "term-worker"].map((name) => path.resolve(`server/retrieval/indexing/${name}.ts`)),
    outdir: folder.path,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
  });
  worker = pathToFileURL(path.join(folder.path, "index-worker.mjs"));
  await mkdir(path.join(root, "src"), { recursive: true });
  // More than two segments, so that there are several parts.
  for (let file = 0; file < 60; file++) {
    const lines = Array.from({ length: 600 }, (_, line) => `export const retry${file}x${line} = ${file * line};`);
    await writeFile(path.join(root, `src/${file}.ts`), lines.join("\n"));
  }
  // More than are told of at once.
  for (let file = 0; file < 1100; file++)
    await writeFile(path.join(root, `copy-${file}.ts`), `export const same = ${file % 3};\n`);
  // So much that it is no small tree.
  for (const number of [1, 2, 3]) await writeFile(path.join(root, `data-${number}.bin`), Buffer.alloc(6 * 1024 * 1024));
  await writeFile(path.join(root, "a.min.js"), `retry();${"x".repeat(5000)}`);
});

afterAll(() => folder[Symbol.asyncDispose]());

const openDemo = () =>
  openTree(root, { info: { resource: "demo", type: "git", revision: "r1", label: "demo", fetchedAt: null } });

/** A place for indexes of its own. */
const newDirectory = () => path.join(folder.path, `index-${made++}`);

async function indexOf(snapshot: Snapshot, directory: string, worker?: URL): Promise<Omit<StoredIndex, "facts">> {
  const preparing = createRetrieval({ directory, worker }).prepare(snapshot);
  await preparing.done;
  const [name = ""] = readdirSync(directory).filter((file) => file.endsWith(".index"));
  const { key, segments, places, skipped, files } = openStoredIndex(readFileSync(path.join(directory, name)));
  const bytes = segments.map((id) => readFileSync(path.join(directory, `${id}.segment`)).toString("base64"));
  return { key, segments: bytes, places, skipped, files };
}

/** A process of the test's own, and the ids of those that were started. */
async function processRunning(source: string): Promise<{ worker: URL; ids: () => number[] }> {
  const file = path.join(folder.path, `process-${made++}.mjs`);
  const idsFile = `${file}.ids`;
  await writeFile(idsFile, "");
  const tellId = `(await import("node:fs")).appendFileSync(${JSON.stringify(idsFile)}, process.pid + "\\n");`;
  await writeFile(file, `${tellId}\n${source}\n`);
  const ids = () => readFileSync(idsFile, "utf8").split("\n").filter(Boolean).map(Number);
  return { worker: pathToFileURL(file), ids };
}

let here: ReturnType<typeof indexOf> | undefined;
/** The index of the demo that this process makes by itself, for all tests. */
const indexMadeHere = (snapshot: Snapshot) => (here ??= indexOf(snapshot, newDirectory()));

const real = () => `await import(${JSON.stringify(worker.href)});`;
const untilEnded = (id: number) => vi.waitFor(() => expect(() => process.kill(id, 0)).toThrow("ESRCH"), 60_000);

test("the index is the one that is made in this process", async () => {
  await using snapshot = await openDemo();
  const here = await indexMadeHere(snapshot);
  const lastFile = path.join(folder.path, "last");
  const tellLast = `
    const { writeFileSync } = await import("node:fs");
    const send = process.send.bind(process);
    process.send = (part) => { if (part.isLast) writeFileSync(${JSON.stringify(lastFile)}, ""); send(part); };`;
  const { worker: own, ids } = await processRunning(`${real()} ${tellLast}`);
  expect(here.segments.length).toBeGreaterThan(2);
  expect(here.skipped.map(({ path }) => path)).toEqual(["data-1.bin", "data-2.bin", "data-3.bin", "a.min.js"]);
  expect(await indexOf(snapshot, newDirectory(), own)).toEqual(here);
  // Nobody stood in for it.
  expect(existsSync(lastFile)).toBe(true);
  const [id = 0, ...others] = ids();
  expect(others).toEqual([]);
  await untilEnded(id);
});

const failing = {
  "does not start": 'throw new Error("no process here");',
  "answers nothing that is understood": 'process.on("message", () => process.send({}));',
  "ends after its first part": `
    await import("WORKER");
    const send = process.send.bind(process);
    process.send = (part) => send(part, () => process.exit());`,
};
test.each(Object.entries(failing))("a process that %s is stood in for", async (_, source) => {
  await using snapshot = await openDemo();
  const { worker: own } = await processRunning(source.replace("WORKER", worker.href));
  const here = await indexMadeHere(snapshot);
  const { places, skipped } = await indexOf(snapshot, newDirectory(), own);
  expect(places.map((place) => place === undefined)).toEqual(here.places.map((place) => place === undefined));
  expect(new Set(skipped)).toEqual(new Set(here.skipped));
});

test("where its thread fails the process ends, and is stood in for", async () => {
  await using snapshot = await openDemo();
  const place = path.join(folder.path, "failing");
  await mkdir(place);
  await copyFile(worker, path.join(place, "index-worker.mjs"));
  await writeFile(path.join(place, "term-worker.mjs"), 'throw new Error("no thread here");');
  const { worker: own, ids } = await processRunning(
    `await import(${JSON.stringify(pathToFileURL(path.join(place, "index-worker.mjs")).href)});`,
  );
  const here = await indexMadeHere(snapshot);
  const { places } = await indexOf(snapshot, newDirectory(), own);
  expect(places.map((place) => place === undefined)).toEqual(here.places.map((place) => place === undefined));
  await untilEnded(ids()[0] ?? 0);
});

test("where segments cannot be written, they are made in this process, and last as long", async () => {
  await using snapshot = await openDemo();
  const retrieval = createRetrieval({ directory: path.join(root, "data.bin", "index"), worker });
  await retrieval.prepare(snapshot).done;
  const { passages, pendingFiles } = await retrieval.search([snapshot], {
    query: "retry7x7",
    limit: 1,
    signal: undefined,
  });
  expect({ paths: passages.map(({ path }) => path), pendingFiles }).toEqual({ paths: ["src/7.ts"], pendingFiles: 0 });
});

test("a cancelled build ends the process, without a fallback", async () => {
  await using snapshot = await openDemo();
  const { worker: endless, ids } = await processRunning("setInterval(() => {}, 1000);");
  const directory = newDirectory();
  const preparing = createRetrieval({ directory, worker: endless }).prepare(snapshot);
  const id = await vi.waitFor(() => ids()[0] ?? expect.fail("not started"), 60_000);
  await preparing[Symbol.asyncDispose]();
  await untilEnded(id);
  expect(existsSync(directory)).toBe(false);
});

test("two builds at once share a process, and one that is given up leaves the other be", async () => {
  await using one = await openDemo();
  await using snapshot = await openDemo();
  const two = { ...snapshot, revision: "r2" };
  const { worker: own, ids } = await processRunning(real());
  const retrieval = createRetrieval({ directory: newDirectory(), worker: own });
  const left = retrieval.prepare(one);
  const whole = retrieval.prepare(two);
  await left[Symbol.asyncDispose]();
  await whole.done;
  const { passages } = await retrieval.search([two], { query: "retry7x7", limit: 1, signal: undefined });
  expect(passages.map(({ path }) => path)).toEqual(["src/7.ts"]);
  const [id = 0, ...others] = ids();
  expect(others).toEqual([]);
  await untilEnded(id);
});

test("small trees that come one after the other are indexed by one process, however many, which ends with ours", async () => {
  const folders = await Promise.all(
    ["one", "two", "three"].map(async (name) => {
      const place = path.join(folder.path, name);
      const lines = Array.from({ length: 9000 }, (_, line) => `export const ${name}${line} = "small";`);
      await mkdir(place, { recursive: true });
      await writeFile(path.join(place, "a.ts"), lines.join("\n"));
      // So much that two of them are no small tree.
      for (const number of [1, 2])
        await writeFile(path.join(place, `data-${number}.bin`), Buffer.alloc(5 * 1024 * 1024));
      return place;
    }),
  );
  await using script = await bundle("index-folder.ts");
  const { worker: own, ids } = await processRunning(real());
  await using run = script.start({ folders, query: "small", directory: newDirectory(), worker: own.href });
  let output = "";
  run.process.stdout?.on("data", (data) => (output += String(data)));
  await once(run.process, "close");
  expect(output).toBe("found 3\nfound 3\nfound 3\n");
  const [id = 0, ...others] = ids();
  expect(others).toEqual([]);
  await untilEnded(id);
});

test("nothing that the process says comes out of ours, which ends when it has what it wants", async () => {
  await using script = await bundle("index-folder.ts");
  const { worker: loud, ids } = await processRunning(`${real()} console.log("noise"); console.error("noise");`);
  await using run = script.start({ folders: [root], query: "retry", directory: newDirectory(), worker: loud.href });
  let output = "";
  run.process.stdout?.on("data", (data) => (output += String(data)));
  await once(run.process, "close");
  expect(output).toBe("found 3\n");
  expect(ids()).toHaveLength(1);
});

test("the process ends with the one that started it, even where that is killed", async () => {
  const source = `
    import { spawn } from "node:child_process";
    const child = spawn(process.execPath, process.argv.slice(2), { stdio: ["ignore", "ignore", "ignore", "ipc"] });
    child.once("spawn", () => console.log(child.pid));`;
  const file = path.join(folder.path, "parent.mjs");
  await writeFile(file, source);
  const parent = spawn(process.execPath, [file, fileURLToPath(worker)], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(parent.stdout, "data");
  const id = Number(line);
  expect(process.kill(id, 0)).toBe(true);
  parent.kill("SIGKILL");
  await untilEnded(id);
});

/** The messages that a process gets, each once it has come; `source` runs in it first. */
async function recordingProcess(source = ""): Promise<{ worker: URL; ids: () => number[]; messages: () => string[] }> {
  const file = path.join(folder.path, `messages-${made++}`);
  await writeFile(file, "");
  const record = `
    process.on("message", ({ type }) => appendFileSync(${JSON.stringify(file)}, type + " at " + getPriority() + "\\n"));`;
  const imports = `const { appendFileSync } = await import("node:fs"); const { getPriority } = await import("node:os");`;
  const own = await processRunning(`${imports} ${source} ${real()} ${record}`);
  return { ...own, messages: () => readFileSync(file, "utf8").split("\n").filter(Boolean) };
}

test("what no search waits for is indexed at low priority, and is the same index", async () => {
  await using snapshot = await openDemo();
  const { worker: own, messages } = await recordingProcess();
  const directory = newDirectory();
  const preparing = createRetrieval({ directory, worker: own }).prepare(snapshot, { isBackground: true });
  await preparing.done;
  expect(messages().filter((message) => message.startsWith("index"))).toEqual([`index at ${low}`]);
  expect(await indexOf(snapshot, directory, own)).toEqual(await indexOf(snapshot, newDirectory()));
  expect(readdirSync(directory).filter((file) => file.endsWith(".lock"))).toEqual([]);
});

/** A background build that does not end by itself: the first process withholds its last part. */
async function startedInBackground(snapshot: Snapshot) {
  const mark = JSON.stringify(path.join(folder.path, `first-${made++}`));
  const withhold = `
    const { existsSync, writeFileSync } = await import("node:fs");
    const isFirst = !existsSync(${mark});
    writeFileSync(${mark}, "");
    const send = process.send.bind(process);
    process.send = (part) => part.isLast && isFirst ? undefined : send(part);`;
  const recording = await recordingProcess(withhold);
  const retrieval = createRetrieval({ directory: newDirectory(), worker: recording.worker });
  const preparing = retrieval.prepare(snapshot, { isBackground: true });
  await vi.waitFor(() => expect(indexMessages(recording)).toHaveLength(1), 60_000);
  return { ...recording, retrieval, preparing };
}

const indexMessages = ({ messages }: { messages: () => string[] }) =>
  messages().filter((message) => message.startsWith("index"));
const low = Math.max(os.getPriority(), os.constants.priority.PRIORITY_BELOW_NORMAL);

test("a search that waits on a busy machine has the rest indexed at usual priority, by one process at a time", async () => {
  await using snapshot = await openDemo();
  using _ = vi.spyOn(os, "loadavg").mockReturnValue([99, 0, 0]);
  const background = await startedInBackground(snapshot);
  const { retrieval, preparing, ids } = background;
  const query = { query: "retry7x7", limit: 1, patienceMs: 60_000, signal: undefined };
  const { passages, pendingFiles } = await retrieval.search([snapshot], query);
  expect({ paths: passages.map(({ path }) => path), pendingFiles }).toEqual({ paths: ["src/7.ts"], pendingFiles: 0 });
  expect(indexMessages(background)).toEqual([`index at ${low}`, `index at ${os.getPriority()}`]);
  const [first = 0, ...others] = ids();
  expect(others).toHaveLength(1);
  await untilEnded(first);
  await preparing.done;
});

test("on a machine that is not busy, a search leaves the build to the process of low priority", async () => {
  await using snapshot = await openDemo();
  using _ = vi.spyOn(os, "loadavg").mockReturnValue([0, 0, 0]);
  const background = await startedInBackground(snapshot);
  const query = { query: "retry7x7", limit: 1, patienceMs: 0, signal: undefined };
  await background.retrieval.search([snapshot], query);
  expect(indexMessages(background)).toEqual([`index at ${low}`]);
  expect(background.ids()).toHaveLength(1);
  await background.preparing[Symbol.asyncDispose]();
});

test("indexing rests while an exact search reads the files, and goes on afterwards", async () => {
  await using snapshot = await openDemo();
  const { worker: own, messages } = await recordingProcess();
  const retrieval = createRetrieval({ directory: newDirectory(), worker: own });
  const preparing = retrieval.prepare(snapshot);
  await vi.waitFor(() => expect(messages().some((message) => message.startsWith("index"))).toBe(true), 60_000);
  const found = await retrieval.grep([snapshot], {
    pattern: "retry7x5 ",
    isRegex: false,
    ignoreCase: false,
    wholeWord: false,
    contextLines: 0,
    limit: 10,
    signal: undefined,
  });
  expect(found.files).toMatchObject([{ path: "src/7.ts" }]);
  await preparing.done;
  const types = messages().map((message) => message.split(" ")[0]);
  expect(types.filter((type) => type === "pause" || type === "resume")).toEqual(["pause", "resume"]);
});

test("where nothing can be written, nothing is indexed in the background", async () => {
  await using snapshot = await openDemo();
  const file = path.join(folder.path, "no-directory");
  await writeFile(file, "");
  const { worker: own, ids } = await processRunning(real());
  const preparing = createRetrieval({ directory: file, worker: own }).prepare(snapshot, { isBackground: true });
  await preparing.done;
  expect(ids()).toEqual([]);
});

test("one of two processes indexes a folder in the background, and the other one finds it done", async () => {
  await using snapshot = await openDemo();
  const directory = newDirectory();
  const [one, two] = [await processRunning(real()), await processRunning(real())];
  const preparations = [one, two].map(({ worker }) =>
    createRetrieval({ directory, worker }).prepare(snapshot, { isBackground: true }),
  );
  await Promise.all(preparations.map(({ done }) => done));
  expect([...one.ids(), ...two.ids()]).toHaveLength(1);
});
