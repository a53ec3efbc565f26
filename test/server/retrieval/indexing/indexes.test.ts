import { copyFileSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import type { Snapshot } from "../../../../server/resources/snapshot.ts";
import { createMemoryIndexStore } from "../../../../server/retrieval/index/index-store.ts";
import { openStoredIndex } from "../../../../server/retrieval/index/stored-index.ts";
import { createFileIndexer } from "../../../../server/retrieval/indexing/index-files.ts";
import { createIndexes, keptMs } from "../../../../server/retrieval/indexing/indexes.ts";
import { createSegmentMaker } from "../../../../server/retrieval/indexing/segment-maker.ts";
import { createRetrieval, type Retrieval } from "../../../../server/retrieval/retrieval.ts";
import { createTextStore } from "../../../../server/retrieval/text-store.ts";
import { fixture } from "../../../support/fixture.ts";
import { temporaryFolder } from "../../../support/folder.ts";

/** Counts what is read of a snapshot. */
function counted(snapshot: Snapshot, reads: string[]): Snapshot {
  return {
    ...snapshot,
    read(file, options) {
      reads.push(file);
      return snapshot.read(file, options);
    },
  };
}

/** A folder that people work in: one place, and a stamp for each state of a file. */
function living(files: Readonly<Record<string, string>>): Snapshot {
  const source = Object.entries(files).map(([name, text]) => `//- ${name}\n${text}\n`);
  const snapshot = fixture(source.join(""));
  return {
    ...snapshot,
    info: { ...snapshot.info, directory: "/work/demo" },
    stampOf: (name) => JSON.stringify(files[name]),
  };
}

const find = (retrieval: Retrieval, snapshot: Snapshot, query: string) =>
  retrieval.search([snapshot], { query, limit: 20, signal: undefined });

const grepFor = (
  retrieval: Retrieval,
  snapshot: Snapshot,
  pattern: string,
  { isRegex = false, ignoreCase = false } = {},
) =>
  retrieval.grep([snapshot], {
    pattern,
    isRegex,
    ignoreCase,
    wholeWord: false,
    contextLines: 0,
    limit: 1000,
    signal: undefined,
  });

const demo = `
//- src/retry.ts
/** Waits longer each time. */
export function retryAfter(attempt: number) {
  return 100 * attempt;
}
//- src/other.ts
export const other = "retry";
//- README.md
# Retries
Each one waits longer.
`.trimStart();

test("an index stays open for as long as somebody asks, and a while longer", async () => {
  const store = createMemoryIndexStore();
  const indexFiles = createFileIndexer({ store, texts: createTextStore({ limit: 0 }), maker: createSegmentMaker() });
  const indexes = createIndexes({ store, indexFiles });
  const snapshot = fixture(demo);
  const open = async () => (await indexes.of(snapshot, { patienceMs: 10_000, signal: undefined })).index;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const first = await open();
    vi.advanceTimersByTime(keptMs - 1);
    expect(await open()).toBe(first);
    vi.advanceTimersByTime(keptMs - 1);
    expect(await open()).toBe(first);
    vi.advanceTimersByTime(keptMs);
    const second = await open();
    expect(second).not.toBe(first);
    expect(second.files).toEqual(first.files);
  } finally {
    vi.useRealTimers();
  }
});

describe("an index on disk", () => {
  test("serves the next process without a file being read for it", async () => {
    await using folder = await temporaryFolder("");
    const reads: string[] = [];
    const first = await find(createRetrieval({ directory: folder.path }), fixture(demo), "retry after");
    await grepFor(createRetrieval({ directory: folder.path }), counted(fixture(demo), reads), "no such text");
    expect(reads).toEqual([]);
    expect(await find(createRetrieval({ directory: folder.path }), fixture(demo), "retry after")).toEqual(first);
  });

  test("knows what is binary, so that no search reads it again", async () => {
    await using folder = await temporaryFolder("");
    const snapshot = fixture(`${demo}//- logo.png\nretry\0\n//- src/icon.ico\nretry\0\n`);
    await find(createRetrieval({ directory: folder.path }), snapshot, "retry after");
    const reads: string[] = [];
    const retrieval = createRetrieval({ directory: folder.path });
    const found = await grepFor(retrieval, counted(snapshot, reads), "retry");
    expect(reads).toEqual(["src/other.ts", "src/retry.ts"]);
    expect(found).toMatchObject({ total: 2, searchedFiles: 3 });
    expect(found.skipped).toEqual(
      ["logo.png", "src/icon.ico"].map((path) => ({ resource: "demo", path, reason: "binary" })),
    );
  });

  test("holds equal texts once, at any distance", async () => {
    await using folder = await temporaryFolder("");
    const lines = Array.from({ length: 20_000 }, (_, index) => `export const value${index} = ${index};`).join("\n");
    const same = "export const same = 1;\n";
    const tree = `//- a.ts\n${same}//- b.ts\n${lines}\n//- c.ts\n${same}`;
    await find(createRetrieval({ directory: folder.path }), fixture(tree), "same");
    const [name = ""] = readdirSync(folder.path).filter((file) => file.endsWith(".index"));
    const [a, b, c] = openStoredIndex(readFileSync(path.join(folder.path, name))).places;
    expect(a).toBeDefined();
    expect(c).toEqual(a);
    expect(b?.segment).toBe(0);
  });

  test("is shared by revisions: of a new one, only new text makes a new segment", async () => {
    await using folder = await temporaryFolder("");
    const retrieval = createRetrieval({ directory: folder.path });
    await find(retrieval, fixture(demo), "retry");
    const before = readdirSync(folder.path).filter((name) => name.endsWith(".segment"));
    await find(retrieval, fixture(demo, { revision: "renamed" }), "retry");
    expect(readdirSync(folder.path).filter((name) => name.endsWith(".segment"))).toEqual(before);
    await find(retrieval, fixture(`${demo}//- src/new.ts\nexport const added = 1;\n`), "added");
    expect(readdirSync(folder.path).filter((name) => name.endsWith(".segment"))).toHaveLength(before.length + 1);
  });

  test("follows a folder: only what has changed is read", async () => {
    await using folder = await temporaryFolder("");
    const retrieval = createRetrieval({ directory: folder.path });
    const files = { "a.ts": "const apple = 1;", "b.ts": "const berry = 1;", "c.ts": "const cherry = 1;" };
    await find(retrieval, living(files), "apple");
    const reads: string[] = [];
    const changed = counted(living({ ...files, "b.ts": "const banana = 1;" }), reads);
    expect((await grepFor(createRetrieval({ directory: folder.path }), changed, "banana")).total).toBe(1);
    reads.length = 0;
    const found = await find(createRetrieval({ directory: folder.path }), changed, "banana");
    expect(found.passages[0]).toMatchObject({ path: "b.ts" });
    expect(reads.filter((file) => file !== "b.ts")).toEqual([]);
  });

  test("retries a file that could not be read, without a sign of change", async () => {
    await using folder = await temporaryFolder("");
    const files = { "a.ts": "const apple = 1;", "b.ts": "const berry = 1;", "c.ts": "const cherry = 1;\0" };
    const locked: Snapshot = { ...living(files), stampOf: (name) => name };
    const read: Snapshot["read"] = async (file, options) => {
      if (file === "b.ts") throw new CitewellError("FileNotReadable", "b.ts cannot be read (EACCES)");
      return locked.read(file, options);
    };
    const first = await find(createRetrieval({ directory: folder.path }), { ...locked, read }, "apple");
    expect(first.skipped.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      "b.ts cannot be read (EACCES)",
      "c.ts binary",
    ]);
    const reads: string[] = [];
    const unlocked = counted({ ...locked, revision: "unlocked" }, reads);
    const found = await find(createRetrieval({ directory: folder.path }), unlocked, "berry");
    expect(found.skipped.map(({ path }) => path)).toEqual(["c.ts"]);
    expect(new Set(reads)).toEqual(new Set(["b.ts"]));
  });

  test("two processes may build the same one at once", async () => {
    await using folder = await temporaryFolder("");
    const [one, two] = await Promise.all(
      [1, 2].map(() => find(createRetrieval({ directory: folder.path }), fixture(demo), "retry after")),
    );
    expect(one).toEqual(two);
  });

  test("that several processes build, follow and read at once is right for each", async () => {
    await using folder = await temporaryFolder("");
    const process = async (own: string) => {
      for (let edit = 0; edit < 6; edit++) {
        const files = {
          "a.ts": `const apple${own} = ${edit};`,
          "b.ts": "const berry = 1;",
          [`${own}.ts`]: `const c = "${own}";`,
        };
        const retrieval = createRetrieval({ directory: folder.path });
        const query = `apple${own} berry`;
        expect(await find(retrieval, living(files), query)).toEqual(
          await find(createRetrieval(), living(files), query),
        );
        expect((await grepFor(retrieval, living(files), `apple${own} = ${edit}`)).total).toBe(1);
      }
    };
    await Promise.all(["one", "two", "three"].map(process));
  });

  test("that follows many edits does not fall into ever more pieces", async () => {
    await using folder = await temporaryFolder("");
    const names = Array.from({ length: 30 }, (_, index) => `file-${index}.ts`);
    const files = new Map(names.map((name) => [name, `const before = "${name}";`]));
    for (const name of ["none", ...names]) {
      if (files.has(name)) files.set(name, `const edited = "${name}";`);
      await find(createRetrieval({ directory: folder.path }), living(Object.fromEntries(files)), "edited");
    }
    const [name = ""] = readdirSync(folder.path).filter((file) => file.endsWith(".index"));
    expect(openStoredIndex(readFileSync(path.join(folder.path, name))).segments.length).toBeLessThan(10);
    const found = await grepFor(
      createRetrieval({ directory: folder.path }),
      living(Object.fromEntries(files)),
      "edited",
    );
    expect(found.filesWithHits).toBe(30);
  });

  test("whose folder cannot be written still answers", async () => {
    await using folder = await temporaryFolder("//- file\nnot a folder\n");
    const found = await find(
      createRetrieval({ directory: path.join(folder.path, "file", "index") }),
      fixture(demo),
      "retry",
    );
    expect(found.passages).not.toEqual([]);
  });
});

describe("damage to an index is noticed and mended, never served:", () => {
  const damages = {
    "any byte changed": (bytes: Buffer, at: number, change: number) => {
      bytes[at] = (bytes[at] ?? 0) ^ change;
      return bytes;
    },
    "cut off anywhere": (bytes: Buffer, at: number) => bytes.subarray(0, at),
    "bytes that were not there": (bytes: Buffer, at: number, change: number) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.from([change]), bytes.subarray(at)]),
  };

  test.each(Object.entries(damages))("%s", async (_, damage) => {
    await using folder = await temporaryFolder("");
    const ask = async () => {
      const retrieval = createRetrieval({ directory: folder.path });
      const { passages } = await find(retrieval, fixture(demo), "retry after");
      const { files } = await grepFor(retrieval, fixture(demo), "retry");
      const { passages: misspelt } = await find(retrieval, fixture(demo), "retryAftr");
      return { passages, files, misspelt };
    };
    const expected = await ask();
    const positions = fc.record({
      file: fc.nat(),
      at: fc.double({ min: 0, max: 0.9999, noNaN: true }),
      change: fc.integer({ min: 1, max: 255 }),
    });
    await fc.assert(
      fc.asyncProperty(positions, async ({ file, at, change }) => {
        const names = readdirSync(folder.path);
        const damaged = path.join(folder.path, names[file % names.length] ?? "");
        const bytes = readFileSync(damaged);
        writeFileSync(damaged, damage(bytes, Math.floor(at * bytes.length), change));
        expect(await ask()).toEqual(expected);
      }),
      { numRuns: 100 },
    );
  });

  test("a file that may not be opened, as one that is a link to itself", async () => {
    await using folder = await temporaryFolder("");
    const ask = () => find(createRetrieval({ directory: folder.path }), fixture(demo), "retry after");
    const expected = await ask();
    for (const ending of [".segment", ".index"]) {
      const name = readdirSync(folder.path).find((file) => file.endsWith(ending)) ?? "";
      rmSync(path.join(folder.path, name));
      symlinkSync(name, path.join(folder.path, name));
      expect(await ask()).toEqual(expected);
    }
  });

  test("another file of its kind in its place", async () => {
    await using folder = await temporaryFolder("");
    const namesOf = (ending: string) => readdirSync(folder.path).filter((file) => file.endsWith(ending));
    const ask = (text: string) => find(createRetrieval({ directory: folder.path }), fixture(text), "retry after");
    const expected = await ask(demo);
    const own = [".segment", ".index"].flatMap(namesOf);
    await ask(demo.replaceAll("retry", "later"));
    for (const name of own) {
      const other = namesOf(path.extname(name)).find((file) => !own.includes(file)) ?? "";
      copyFileSync(path.join(folder.path, other), path.join(folder.path, name));
      expect(await ask(demo)).toEqual(expected);
    }
  });

  test("a file that is gone", async () => {
    await using folder = await temporaryFolder("");
    const ask = () => find(createRetrieval({ directory: folder.path }), fixture(demo), "retry after");
    const expected = await ask();
    for (const ending of [".index", ".segment"]) {
      const name = readdirSync(folder.path).find((file) => file.endsWith(ending)) ?? "";
      rmSync(path.join(folder.path, name));
      expect(await ask()).toEqual(expected);
    }
  });
});

const word = fc.constantFrom(
  "retry",
  "after",
  "Handler",
  "parseUrl",
  "x",
  "été",
  "𝒳",
  "a_b",
  "HTTP2",
  "(",
  ".",
  "\t",
  " ",
  "\u0000b",
);
const line = fc.array(word, { maxLength: 6 }).map((words) => words.join(" ").replaceAll("\u0000", ""));
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
const names = ["src/a.ts", "src/b.py", "docs/c.md", "test/d.test.ts", "e"] as const;
const tree = fc.record({ "src/a.ts": text, "src/b.py": text, "docs/c.md": text, "test/d.test.ts": text, e: text });
const edit = fc.record({ name: fc.constantFrom(...names), text: fc.option(text) });

/** A tree after some edits; a text that is null removes its file. */
function editAll(files: Record<string, string>, edits: readonly { name: string; text: string | null }[]) {
  const edited = new Map(Object.entries(files));
  for (const { name, text } of edits) {
    if (text === null) edited.delete(name);
    else edited.set(name, text);
  }
  return Object.fromEntries(edited);
}

test("an index that followed any edits finds what one built afresh finds", async () => {
  await fc.assert(
    fc.asyncProperty(
      tree,
      fc.array(edit, { maxLength: 8 }),
      fc.constantFrom("retry after", "parseUrl", "Handlr", "été"),
      async (files, edits, query) => {
        const followed = createRetrieval();
        for (let count = 0; count <= edits.length; count++)
          await find(followed, living(editAll(files, edits.slice(0, count))), query);
        const last = living(editAll(files, edits));
        expect(await find(followed, last, query)).toEqual(await find(createRetrieval(), last, query));
      },
    ),
    { numRuns: 150 },
  );
});

const pattern = fc.oneof(
  fc
    .constantFrom("retry", "etry af", "Handler retry", "été", "(", ".", "HTTP2", "x x")
    .map((source) => ({ source, isRegex: false })),
  fc
    .array(
      fc.constantFrom(
        "retry",
        "af",
        "ter",
        "Hand.er",
        "(?:retry|after)",
        "[a-z]+",
        "parse(?=Url)",
        "x{2,}",
        "a?",
        "é",
        "\\s",
        "\\bx\\b",
        "(HTTP2)+",
        "^",
        "$",
        "|",
      ),
      { minLength: 1, maxLength: 4 },
    )
    .map((parts) => ({ source: parts.join(""), isRegex: true })),
);

test("with an index, exact and regular-expression search find what a scan finds", async () => {
  await fc.assert(
    fc.asyncProperty(tree, pattern, fc.boolean(), async (files, { source, isRegex }, ignoreCase) => {
      const snapshot = living(files);
      const indexed = createRetrieval();
      await find(indexed, snapshot, "anything");
      const [withIndex, scanned] = await Promise.all(
        [indexed, createRetrieval()].map((retrieval) => grepFor(retrieval, snapshot, source, { isRegex, ignoreCase })),
      );
      expect(withIndex).toEqual(scanned);
    }),
    { numRuns: 400 },
  );
});
