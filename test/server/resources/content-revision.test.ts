import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createContentRevisions, keptMs } from "../../../server/resources/content-revision.ts";
import { createFolderHashes } from "../../../server/resources/folder-hashes.ts";
import { clockStepMs, type WalkedFile, walkTree } from "../../../server/resources/walk.ts";
import { temporaryFolder } from "../../support/folder.ts";

const signal = new AbortController().signal;

afterEach(() => {
  vi.useRealTimers();
});

/** Moves the clock so that files have rested for so long. */
function restFor(restMs: number, files: readonly WalkedFile[]): void {
  const changedMs = Math.max(...files.map(({ stamp }) => stamp.changedMs));
  vi.useFakeTimers({ toFake: ["Date"], now: changedMs + restMs });
}

test.each([
  ["once they have rested", 2 * clockStepMs, true],
  ["but not just after they were written", 0, false],
])("unchanged files are not read again, %s", async (_when, restMs, isKnown) => {
  await using folder = await temporaryFolder("//- a.ts\nA\n");
  const { files } = await walkTree(folder.path);
  restFor(restMs, files);
  const revisions = createContentRevisions();
  const before = await revisions.of(folder.path, files, { signal });
  // What is gone cannot be read.
  rmSync(path.join(folder.path, "a.ts"));
  const after = await revisions.of(folder.path, files, { signal });
  expect(after === before).toBe(isKnown);
});

describe("another process", () => {
  /** A folder with names of many kinds, and what one process knows of it. */
  async function knownFolder(source = "//- a.ts\nA\n//- ü/日本 b.ts\nB\n//- empty\n") {
    const folder = await temporaryFolder(source);
    const hashes = await temporaryFolder();
    const { files } = await walkTree(folder.path);
    restFor(2 * clockStepMs, files);
    const directory = path.join(hashes.path, "hashes");
    const folderHashes = createFolderHashes(directory);
    const newProcess = () => createContentRevisions({ folderHashes });
    const revisionOf = (asked = files) => newProcess().of(folder.path, asked, { signal });
    const revision = await revisionOf();
    return {
      files,
      revision,
      newProcess,
      revisionOf,
      folder: folder.path,
      directory,
      write: (source: string) => folder.write(source),
      /** Once what was written has rested. */
      async walk() {
        const { files } = await walkTree(folder.path);
        restFor(2 * clockStepMs, files);
        return files;
      },
      readHashes: () => folderHashes.read(folder.path),
      listFiles: () => readdirSync(directory).map((name) => path.join(directory, name)),
      remove: () => rmSync(folder.path, { recursive: true }),
      async [Symbol.asyncDispose]() {
        await hashes[Symbol.asyncDispose]();
        await folder[Symbol.asyncDispose]();
      },
    };
  }

  test("uses the hashes of a folder without reading it", async () => {
    await using known = await knownFolder();
    expect([...(await known.readHashes()).keys()]).toEqual(["a.ts", "empty", "ü/日本 b.ts"]);
    known.remove();
    expect(await known.revisionOf()).toBe(known.revision);
  });

  test("reads changed files once", async () => {
    await using known = await knownFolder();
    await known.write("//- a.ts\nedited\n");
    const files = await known.walk();
    const revision = await known.revisionOf(files);
    expect(revision).not.toBe(known.revision);
    known.remove();
    expect(await known.revisionOf(files)).toBe(revision);
  });

  test("reads a few edited files of a large folder again instead of writing all hashes", async () => {
    const sources = Array.from({ length: 200 }, (_, number) => `//- ${number}.ts\n${number}\n`);
    await using known = await knownFolder(sources.join(""));
    await known.write("//- 7.ts\nedited\n");
    const files = await known.walk();
    const revision = await known.revisionOf(files);
    expect(await known.revisionOf(files)).toBe(revision);
    known.remove();
    expect(await known.revisionOf(files)).not.toBe(revision);
  });

  test("stores a single file separately from its folder", async () => {
    await using known = await knownFolder();
    const revisionOfOne = () =>
      known.newProcess().of(known.folder, known.files.slice(0, 1), { place: "the file", signal });
    const one = await revisionOfOne();
    known.remove();
    expect(await revisionOfOne()).toBe(one);
    expect(await known.revisionOf()).toBe(known.revision);
  });

  test("keeps hashes in memory while they are used", async () => {
    await using known = await knownFolder();
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() });
    const revisions = known.newProcess();
    const ask = () => revisions.of(known.folder, known.files, { signal });
    await ask();
    known.remove();
    rmSync(known.directory, { recursive: true });
    vi.advanceTimersByTime(keptMs - 1);
    expect(await ask()).toBe(known.revision);
    vi.advanceTimersByTime(keptMs);
    expect(await ask()).not.toBe(known.revision);
  });

  test("detects damage in any byte", async () => {
    await using known = await knownFolder();
    const [file = ""] = known.listFiles();
    const whole = readFileSync(file);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(whole.length - 1),
        fc.integer({ min: 1, max: 255 }),
        fc.boolean(),
        async (at, by, isCut) => {
          const bytes = Buffer.from(isCut ? whole.subarray(0, at) : whole);
          if (!isCut) bytes[at] = (bytes[at] ?? 0) ^ by;
          writeFileSync(file, bytes);
          expect(await known.readHashes()).toEqual(new Map());
          expect(await known.revisionOf()).toBe(known.revision);
        },
      ),
    );
  });

  test("reads the files if hashes cannot be stored", async () => {
    await using known = await knownFolder();
    rmSync(known.directory, { recursive: true });
    writeFileSync(known.directory, "a file in its place");
    expect(await known.revisionOf()).toBe(known.revision);
  });

  test.each([
    ["not used for a month is forgotten", false],
    ["somebody asks about is known for another month", true],
  ])("a folder that %s", async (_what, isAsked) => {
    await using known = await knownFolder();
    const dayMs = 24 * 3600 * 1000;
    const weeksAgo = new Date(Date.now() - 29 * dayMs);
    for (const file of known.listFiles()) utimesSync(file, weeksAgo, weeksAgo);
    if (isAsked) await known.revisionOf();
    const later = createFolderHashes(known.directory, { now: () => Date.now() + 2 * dayMs });
    await later.write("/another", new Map());
    known.remove();
    expect((await known.revisionOf()) === known.revision).toBe(isAsked);
  });
});
