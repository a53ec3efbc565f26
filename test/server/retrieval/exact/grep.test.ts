import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CitewellError, toErrorBody } from "../../../../server/errors.ts";
import type { Snapshot } from "../../../../server/resources/snapshot.ts";
import { grepSnapshots } from "../../../../server/retrieval/exact/grep.ts";
import { createMemoryIndexStore } from "../../../../server/retrieval/index/index-store.ts";
import { createFileIndexer } from "../../../../server/retrieval/indexing/index-files.ts";
import { createIndexes } from "../../../../server/retrieval/indexing/indexes.ts";
import { createSegmentMaker } from "../../../../server/retrieval/indexing/segment-maker.ts";
import {
  type CountOptions,
  type CountResult,
  createRetrieval,
  type GrepOptions,
  hitsOf,
} from "../../../../server/retrieval/retrieval.ts";
import { createTextStore } from "../../../../server/retrieval/text-store.ts";
import { fixture } from "../../../support/fixture.ts";

const plain = {
  isRegex: false,
  ignoreCase: false,
  wholeWord: false,
  contextLines: 0,
  limit: 50,
  signal: undefined,
};
async function grep(snapshots: readonly Snapshot[], pattern: string, options: Partial<GrepOptions> = {}) {
  const { files, ...result } = await createRetrieval().grep(snapshots, { ...plain, pattern, ...options });
  return { ...result, hits: hitsOf(files, { ...plain, ...options }) };
}

const demo = fixture(
  `
//- src/a.ts
const total = 1;
export const subtotal = total + 1;

// Total
return (total);
//- src/b.ts
a.b(c)
aXb(c)
//- docs/a.md
The total.
//- test/a.test.ts
total();
`.trimStart(),
);

/** The matching lines, as `path:line text`, in the order of the result. */
async function check(pattern: string, expected: string[], options?: Partial<GrepOptions>) {
  const { hits } = await grep([demo], pattern, options);
  const matching = hits.flatMap(({ path, startLine, lines, matchLines }) =>
    matchLines.map((line) => `${path}:${line} ${lines[line - startLine]}`),
  );
  expect(matching).toEqual(expected);
}

describe("what matches", () => {
  test("a text as it is, source before documents before tests", () =>
    check("total", [
      "src/a.ts:1 const total = 1;",
      "src/a.ts:2 export const subtotal = total + 1;",
      "src/a.ts:5 return (total);",
      "docs/a.md:1 The total.",
      "test/a.test.ts:1 total();",
    ]));

  test("what means something in an expression means itself in a text", () => check("a.b(c)", ["src/b.ts:1 a.b(c)"]));

  test("an expression", () => check("^a.b", ["src/b.ts:1 a.b(c)", "src/b.ts:2 aXb(c)"], { isRegex: true }));

  test("from one matching line on, to the end of a page", () =>
    check("total", ["src/a.ts:5 return (total);", "docs/a.md:1 The total."], { offset: 2, limit: 2 }));

  test("in files of some kinds only", () => check("total", ["docs/a.md:1 The total."], { kinds: ["docs", "config"] }));

  test("upper and lower case alike", () => check("TOTAL = 1", ["src/a.ts:1 const total = 1;"], { ignoreCase: true }));

  test("case set in the expression, as ripgrep has it", () =>
    check("(?i)^// TOTAL$", ["src/a.ts:4 // Total"], { isRegex: true }));

  test("whole words", () =>
    check(
      "total",
      ["src/a.ts:1 const total = 1;", "src/a.ts:2 export const subtotal = total + 1;", "src/a.ts:5 return (total);"],
      {
        wholeWord: true,
        glob: "src/**",
      },
    ));

  test.each([
    { ignoreCase: false, isRegex: false },
    { ignoreCase: true, isRegex: false },
    { ignoreCase: false, isRegex: true },
  ])("no letter of any language beside a whole word: %o", async (options) => {
    const { hits } = await grep([fixture("//- a.txt\ncafé\n“caf”\nécaf\ncaf語\ncaf\u0301\n語。caf\n")], "caf", {
      ...options,
      wholeWord: true,
    });
    expect(hits.flatMap(({ matchLines }) => matchLines)).toEqual([2, 6]);
  });

  test("files that a glob accepts", () => check("total", ["docs/a.md:1 The total."], { glob: "*.md" }));

  test("Unicode classes", () => check("^\\p{Lu}he", ["docs/a.md:1 The total."], { isRegex: true }));

  test("lines end before a carriage return", async () => {
    const { hits } = await grep([fixture("//- a.ts\none\r\ntwo\r\n")], "one$", { isRegex: true });
    expect(hits[0]?.lines).toEqual(["one"]);
  });
});

describe("an index", () => {
  const source = Array.from({ length: 30 }, (_, number) => {
    const path = ["src", "test", "docs"][number % 3] ?? "";
    return `//- ${path}/${number}.ts\n${number % 2 === 0 ? "const needle_12" : "let Needle_x7"} = ${number};\n`;
  }).join("");
  const whole = fixture(`${source}//- src/image.png\nneedle\0\n`);

  test.each(["needle", "Needle_x7 = 2", "needle_[0-9]+ = \\d", "absent", "[a-z]+", "^(const|let) [Nn]eedle"])(
    "leaves of %s what a scan finds, and a glob what it accepts of that, in the same order",
    async (pattern) => {
      const retrieval = createRetrieval();
      await retrieval.search([whole], { query: "needle", limit: 1, patienceMs: 60_000, signal: undefined });
      const options = { ...plain, pattern, isRegex: true };
      const scanned = await createRetrieval().grep([whole], options);
      expect(await retrieval.grep([whole], options)).toEqual(scanned);
      const { files } = await retrieval.grep([whole], { ...options, glob: "{src,docs}/*" });
      expect(files).toEqual(scanned.files.filter(({ path }) => !path.startsWith("test/")));
    },
  );
});

describe("what is shown", () => {
  test("context; matches whose context touches are one hit", async () => {
    const { hits } = await grep([demo], "total", { contextLines: 1, glob: "src/a.ts" });
    expect(hits).toEqual([
      {
        resource: "demo",
        path: "src/a.ts",
        startLine: 1,
        endLine: 5,
        lines: ["const total = 1;", "export const subtotal = total + 1;", "", "// Total", "return (total);"],
        matchLines: [1, 2, 5],
      },
    ]);
  });

  test("so many lines as are asked for; the rest is counted", async () => {
    const { hits, total, filesWithHits, searchedFiles, cut } = await grep([demo], "total", { limit: 2 });
    expect(hits.flatMap(({ matchLines }) => matchLines)).toEqual([1, 2]);
    expect({ total, filesWithHits, searchedFiles, cut }).toEqual({
      total: 5,
      filesWithHits: 3,
      searchedFiles: 4,
      cut: ["2 of 5 matching lines are shown"],
    });
  });

  test("a page is that part of all matching lines, each hit with its lines", async () => {
    const lines = fc.array(fc.constantFrom("total", "", "else"), { maxLength: 12 });
    const numbers = fc.nat(4);
    await fc.assert(
      fc.asyncProperty(lines, lines, numbers, numbers, numbers, async (a, b, offset, limit, contextLines) => {
        const files = new Map([
          ["a.ts", a],
          ["b.ts", b],
        ]);
        const source = [...files].map(([path, lines]) => `//- ${path}\n${lines.map((line) => `${line}\n`).join("")}`);
        const { hits } = await grep([fixture(source.join(""))], "total", { offset, limit, contextLines });
        const all = [...files].flatMap(([path, lines]) =>
          lines.flatMap((line, index) => (line === "total" ? [`${path}:${index + 1}`] : [])),
        );
        const found = hits.flatMap(({ path, matchLines }) => matchLines.map((line) => `${path}:${line}`));
        expect(found).toEqual(all.slice(offset, offset + limit));
        for (const { path, startLine, endLine, lines } of hits) {
          expect(lines).toEqual(files.get(path)?.slice(startLine - 1, endLine));
        }
      }),
    );
  });

  test("of a long line, the part that matches", async () => {
    const source = `//- a.js\n${"x".repeat(5000)}needle${"y".repeat(5000)}\n`;
    const { hits } = await grep([fixture(source)], "needle");
    expect(hits[0]?.lines[0]).toBe(`…${"x".repeat(100)}needle${"y".repeat(794)}…`);
  });

  test("nothing found is no fault", async () => {
    const { hits, total, searchedFiles, cut } = await grep([demo], "absent");
    expect({ hits, total, searchedFiles, cut }).toEqual({ hits: [], total: 0, searchedFiles: 4, cut: [] });
  });

  test("files that were not searched, and why", async () => {
    const snapshot: Snapshot = {
      ...demo,
      skipped: [{ path: "logo.png", reason: "binary" }],
      async read(path, options) {
        if (path === "src/a.ts") throw new CitewellError("FileNotReadable", "changed on disk");
        return demo.read(path, options);
      },
    };
    const { total, skipped } = await grep([snapshot], "total");
    expect(total).toBe(2);
    expect(skipped).toEqual([
      { resource: "demo", path: "src/a.ts", reason: "changed on disk" },
      { resource: "demo", path: "logo.png", reason: "binary" },
    ]);
  });

  test("lists only the unsearched files that match the filter", async () => {
    const left = ["logo.png", "docs/notes.pdf", "test/page.png"].map((path) => ({ path, reason: "binary" }));
    const told = async (options: Partial<GrepOptions>) =>
      (await grep([{ ...demo, skipped: left }], "total", options)).skipped.map(({ path }) => path);
    expect(await told({ glob: "docs/**" })).toEqual(["docs/notes.pdf"]);
    expect(await told({ kinds: ["test"] })).toEqual(["test/page.png"]);
  });
});

describe("counts", () => {
  const count = (options: Partial<CountOptions> = {}, snapshot = demo) =>
    createRetrieval().count([snapshot], { ...plain, pattern: "total", ...options });
  const counts = ({ files }: CountResult) => files.map(({ path, count }) => `${path} ${count}`);

  test("the lines of each file, not the places in them; the most first", async () => {
    const counted = await count();
    expect(counts(counted)).toEqual(["src/a.ts 3", "docs/a.md 1", "test/a.test.ts 1"]);
    expect(counted).toMatchObject({ total: 5, filesWithHits: 3, searchedFiles: 4, cut: [], skipped: [] });
  });

  test("a page of files, of all that match", async () => {
    const counted = await count({ offset: 1, limit: 1 });
    expect(counts(counted)).toEqual(["docs/a.md 1"]);
    expect(counted).toMatchObject({ total: 5, filesWithHits: 3, cut: ["1 of 3 files is shown"] });
  });

  test("however many there are", async () => {
    const lines = "total\n".repeat(3000);
    expect((await count({ limit: 1 }, fixture(`//- a.ts\n${lines}//- b.ts\n${lines}`))).total).toBe(6000);
  });

  test("none, where nothing matches", async () => {
    expect(await count({ pattern: "absent" })).toMatchObject({
      files: [],
      total: 0,
      filesWithHits: 0,
      searchedFiles: 4,
    });
  });
});

describe("expressions that would never end", () => {
  const trap = "a".repeat(50);

  test("cost their file and no other", async () => {
    const snapshot = fixture(`//- a.ts\n${trap}!\n//- b.ts\naaa\n`);
    const { hits, skipped } = await grep([snapshot], "(a+)+$", { isRegex: true });
    expect(hits.map(({ path }) => path)).toEqual(["b.ts"]);
    expect(skipped).toEqual([
      { resource: "demo", path: "a.ts", reason: "the pattern takes too long in it; a simpler one may not" },
    ]);
  });

  test("are no reason to refuse such an expression where it ends", async () => {
    expect((await grep([fixture("//- a.ts\naaa\n")], "(a*)*b|(a+)+$", { isRegex: true })).total).toBe(1);
  });

  test("can be cancelled", async () => {
    const controller = new AbortController();
    const source = Array.from({ length: 50 }, (_, n) => `//- ${n}.ts\n${trap}!\n`).join("");
    const endless = grep([fixture(source)], "(a+)+$", { isRegex: true, signal: controller.signal });
    setImmediate(() => controller.abort(new Error("enough")));
    await expect(endless).rejects.toThrow("enough");
  });
});

test("a search that takes longer than it may says how much it left", async () => {
  const texts = createTextStore({ limit: 1000 });
  const store = createMemoryIndexStore();
  const indexes = createIndexes({
    store,
    indexFiles: createFileIndexer({ store, texts, maker: createSegmentMaker() }),
  });
  const rooms = { texts, indexes, searchInThread: undefined, deadlineMs: -1000 };
  const { total, searchedFiles, cut } = await grepSnapshots([demo], { ...plain, pattern: "total", ...rooms });
  expect({ total, searchedFiles, cut }).toEqual({
    total: 0,
    searchedFiles: 0,
    cut: ["stopped after -1 s with 4 of 4 files unsearched"],
  });
});

describe("patterns that cannot be searched", () => {
  test.each([
    ["an empty one", "", false, "the pattern is empty"],
    ["several lines", "a\nb", false, "the pattern has more than one line"],
    ["too long a one", "a".repeat(1001), false, "the pattern has 1001 characters, the limit is 1000"],
    ["a broken expression", "a(b", true, '"a(b" is not a valid regular expression: unterminated group'],
  ])("%s", async (_, pattern, isRegex, error) => {
    const thrown = await grep([demo], pattern, { isRegex }).catch(toErrorBody);
    expect(thrown).toMatchObject({ error, tag: "InvalidRequest" });
  });

  test("an empty glob", async () => {
    const thrown = await grep([demo], "total", { glob: " " }).catch(toErrorBody);
    expect(thrown).toEqual({ error: "the glob is empty", tag: "InvalidRequest", hint: "use ** for every file" });
  });
});
