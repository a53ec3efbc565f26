import { describe, expect, test } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import type { Snapshot } from "../../../../server/resources/snapshot.ts";
import { createRetrieval, type SearchOptions } from "../../../../server/retrieval/retrieval.ts";
import { fixture } from "../../../support/fixture.ts";

const search = (snapshots: readonly Snapshot[], query: string, options: Partial<SearchOptions> = {}) =>
  createRetrieval().search(snapshots, { query, limit: 10, signal: undefined, ...options });

/** The passages found, as `path:startLine-endLine`, best first. */
async function check(source: string, query: string, expected: string[], options?: Partial<SearchOptions>) {
  const { passages } = await search([fixture(source.trimStart())], query, options);
  expect(passages.map(({ path, startLine, endLine }) => `${path}:${startLine}-${endLine}`)).toEqual(expected);
}

const filler = (name: string) => Array.from({ length: 60 }, (_, n) => `export const ${name}${n} = ${n};\n`).join("");

describe("what is found", () => {
  test("a label names a whole name only where the lines have it, else the part that they have", async () => {
    const source =
      "//- a.c\nvoid stack_save(void);\n//- b.c\nint stack = size;\n//- c.c\nrestore(retried);\n//- d.c\nint stackSave;\n";
    const { passages } = await search([fixture(source)], "how does stack_save use jq_start retry", { limit: 9 });
    const labels = passages.map(({ path, reason }) => `${path}: ${reason}`).toSorted();
    expect(labels).toEqual([
      "a.c: matches stack_save",
      "b.c: matches stack",
      "c.c: matches retry",
      "d.c: matches stack, save",
    ]);
  });

  test("a label names the definition that holds most words of the question, not the one that has a plain word", async () => {
    const source =
      "//- a.ts\nlet id = 1;\nfunction readSession(id) {\n  return parse(id);\n}\nclass Server {\n  port = 1;\n}\n" +
      "//- b.ts\nfunction port(session) {}\nclass Server {\n  read = 1;\n}\n";
    const { passages } = await search([fixture(source)], "how does the server parse the session id");
    const labels = passages.map(({ path, reason }) => `${path}: ${reason}`);
    expect(labels).toEqual(["a.ts: matches server, parse, in `readSession`", "b.ts: matches server, session"]);
  });

  test("a passage of a document is labelled by the section that holds most words, if one does", async () => {
    const page = (...sections: string[]) =>
      `## Start\nInstall a retry.\n${sections.map((one) => `## ${one}\n`).join("")}`;
    const source = `//- a.md\n${page("Delays\nA retry waits for its delay.", "End\nA retry.")}//- b.md\n${page("One\nA retry has a delay.", "Two\nA delay of a retry.")}`;
    const { passages } = await search([fixture(source)], "what delay has a retry");
    const labels = passages.map(({ path, startLine, endLine, reason }) => `${path}:${startLine}-${endLine} ${reason}`);
    expect(labels.toSorted()).toEqual(["a.md:1-6 matches delay, retry, in `Delays`", "b.md:1-6 matches delay, retry"]);
  });

  test("a drawing is no passage, unless the question is about drawings", async () => {
    const source = "//- test/order.svg\n<text>fixture scope order</text>\n//- a.py\nfixture(scope, order)\n";
    await check(source, "fixture scope order", ["a.py:1-1"]);
    await check(source, "fixture scope order svg", ["test/order.svg:1-1", "a.py:1-1"]);
    await check(source, "fixture scope order", ["test/order.svg:1-1"], { glob: "**/*.svg" });
  });

  test.each([
    ["vendor/parser/limit.c", "third-party"],
    ["yarn.lock", "lock file"],
    ["completions/tool.fish", "completions"],
    [".github/ISSUE_TEMPLATE/bug.md", "issue template"],
    ["README-ja.md", "translation"],
    ["website/versioned_docs/version-1.x/limit.md", "old version"],
  ])("%s comes last, unless the question is about it: %s", async (path, words) => {
    const often = "entries limit size\n".repeat(9);
    const source = `//- ${path}\n${often}//- a.test.ts\nlimit(entries);\nbeta(size);\n`;
    const first = async (query: string) => (await search([fixture(source)], query)).passages[0]?.path;
    expect(await first("where is the limit on the size of entries")).toBe("a.test.ts");
    expect(await first(`where is the limit on the size of entries, ${words}`)).toBe(path);
  });

  test("a copy of another project that the question names is searched as before", async () => {
    const source =
      "//- deps/hiredis/async.c\nreconnect(context);\n//- deps/hiredis/COPYING\nBSD\n//- tests/a.c\nreconnect(client, twice);\n";
    const first = async (query: string) => (await search([fixture(source)], query)).passages[0]?.path;
    expect(await first("how does a client reconnect")).toBe("tests/a.c");
    expect(await first("how does hiredis reconnect")).toBe("deps/hiredis/async.c");
  });

  test.each(["can I mount a router without a prefix?", "which router prefix is required"])(
    "documents answer %j",
    (question) =>
      check(
        "//- a.md\nMount a router without a prefix, required.\n//- a.ts\nmount(router, without, prefix, required);\n",
        question,
        ["a.md:1-1", "a.ts:1-1"],
      ),
  );

  test("a plain word finds its synonyms, below itself; a name, a capitalised or a quoted word does not", async () => {
    const source = "//- a.ts\nbeta(configuration);\n//- b.ts\nbeta(config);\n//- c.ts\ngamma(other);\n";
    await check(source, "where is the config", ["b.ts:1-1", "a.ts:1-1"]);
    await check(source, "where is the Config", ["b.ts:1-1"]);
    await check(source, 'where is "config"', ["b.ts:1-1"]);
    await check(source, "where is `config`", ["b.ts:1-1"]);
    const { passages } = await search([fixture(source)], "where is the config");
    expect(passages[1]?.reason).toBe("matches configuration");
  });

  test("a definition is shown whole, with the comment above it", () =>
    check(
      `
//- src/retry.ts
${filler("alpha")}
/** Waits longer after each attempt. */
export function retryLater(attempt: number): number {
  return 2 ** attempt;
}

${filler("beta")}
`,
      "retryLater",
      ["src/retry.ts:62-65"],
    ));

  test("names are found by their words, in any spelling", () =>
    check(
      `
//- a.ts
export function parseRetryAfter() {}
//- b.py
def parse_date():
    pass
`,
      "parse retry after",
      ["a.ts:1-1", "b.py:1-2"],
    ));

  test("words that are adjacent in a question are searched as a pair", () =>
    check(
      "//- a.ts\nfirst(token, list, count, cookie, refresh);\n//- b.ts\nfirst(list, count, refresh, token, cookie);\n",
      "refresh the token cookie",
      ["b.ts:1-1", "a.ts:1-1"],
    ));

  test("what a sentence begins with counts more in paths than what it ends with", async () => {
    const source = "//- cache/a.ts\nlimit(entries, router, size);\n//- router/b.ts\nlimit(entries, size, cache);\n";
    await check(source, "cache limits entries by size, router", ["cache/a.ts:1-1", "router/b.ts:1-1"]);
    await check(source, "router limits entries by size, cache", ["router/b.ts:1-1", "cache/a.ts:1-1"]);
  });

  test("a document that the question names comes first", () =>
    check(
      "//- README.md\nRun it behind a server.\n//- docs/proxy.md\nThe proxy settings: a proxy has an address.\n",
      "proxy settings and servers in the readme",
      ["README.md:1-1", "docs/proxy.md:1-1"],
    ));

  test("a misspelt name is found", () =>
    check("//- a.ts\nexport function parseHeaders() {}\n//- b.ts\nexport const other = 1;\n", "parseHaeders", [
      "a.ts:1-1",
    ]));

  test("a misspelt name is found, though other names share its words", () =>
    check(
      "//- a.ts\nexport function readHeaders(headers) {}\nheaders(headers);\n//- b.ts\nexport function writeHeader() {}\n",
      "writ_header",
      ["b.ts:1-1", "a.ts:1-2"],
    ));

  test("a member is found by its own name where it is defined under that of its class", () =>
    check(
      "//- a.cc\nint b = readBlock + readBlock;\n//- b.cc\nint Table::readBlock(int n) {\n  return n;\n}\n",
      "readBlock",
      ["b.cc:1-3", "a.cc:1-1"],
    ));

  test("a definition that is too long is shown from a part of its comment on", () =>
    check(
      `
//- a.ts
/**
${" * Says nothing of it.\n".repeat(55)} */
export function retryLater() {
${"  wait();\n".repeat(20)}}
`,
      "retryLater",
      ["a.ts:43-79"],
    ));

  test("a passage is where most words of the question are close together", () =>
    check(
      `
//- src/retry.ts
export function again() {
  retry(retry, retry, retry);
}

${filler("alpha")}
export function first() {
  retry();
}

export function second() {
  spend(budget);
}

${filler("beta")}
`,
      "where does a retry spend of the budget",
      ["src/retry.ts:66-125", "src/retry.ts:1-60"],
    ));

  test("words are found in their other forms", () =>
    check("//- a.md\n# Retries\nRequests are retried.\n//- b.md\n# Caching\n", "how does retrying work", ["a.md:1-2"]));

  test("a member is looked for where it is defined, though it is called a common word", () =>
    check(
      `
//- lib/app.js
app.use = function use(fn) {
  return fn;
};
//- lib/other.js
var app = create();
app.get(app);
`,
      "what does app.use do",
      ["lib/app.js:1-3", "lib/other.js:1-2"],
    ));

  test("a quoted phrase goes before its words", () =>
    check(
      `
//- a.ts
throw new Error("file module cannot be found, find another module file");
//- b.ts
throw new Error("cannot find module");
//- c.ts
find(module, cannot, find, module);
`,
      'where does "cannot find module" come from',
      ["b.ts:1-1", "c.ts:1-1", "a.ts:1-1"],
    ));

  const explained = "//- docs/retry.md\nwaits with a signal\n//- src/retry.ts\nwaits with a signal\n";

  test("code goes before documents that say as much", () =>
    check(explained, "who waits with a signal", ["src/retry.ts:1-1", "docs/retry.md:1-1"]));

  test.each([
    "an example that waits with a signal",
    "how to write what waits with a signal",
    "docs: waits with a signal",
  ])("documents go before code in %s", (question) =>
    check(explained, question, ["docs/retry.md:1-1", "src/retry.ts:1-1"]),
  );

  test("a path is found by its name", () =>
    check("//- src/retry-handler.ts\nexport class A {}\n//- src/b.ts\nretry();\n", "retry handler", [
      "src/retry-handler.ts:1-1",
      "src/b.ts:1-1",
    ]));

  test("a glob leaves other files out", () =>
    check("//- a.ts\nretry();\n//- docs/a.md\nretry\n", "retry", ["docs/a.md:1-1"], { glob: "docs/**" }));

  test("the limit holds", () =>
    check("//- a.ts\nretry();\n//- b.ts\nretry();\nretry();\n", "retry", ["b.ts:1-2"], { limit: 1 }));

  test("words beyond ASCII count", () =>
    check("//- a.md\n# Größe\nDie Größe ändern.\n//- b.md\n# Farbe\n", "Größe", ["a.md:1-2"]));
});

describe("what comes first", () => {
  const tested = `
//- src/cache.ts
export function cache() {}
//- test/cache.test.ts
cache("cache", cache);
cache("cache", cache);
`;
  test("source before its tests", () => check(tested, "cache", ["src/cache.ts:1-1", "test/cache.test.ts:1-2"]));

  test("what the first sentence is about", () =>
    check(
      "//- a.ts\ncacheEvictionOrder();\n//- b.ts\nlogger, timer, socket;\n",
      "The cache eviction order is lost. It came with the logger, timer and socket",
      ["a.ts:1-1", "b.ts:1-1"],
    ));

  test("what a question repeats", () =>
    check("//- a.ts\nopen(socket);\n//- b.ts\nopen(cookie);\n", "open the socket or cookie: no cookie is set", [
      "b.ts:1-1",
      "a.ts:1-1",
    ]));

  test("tests first when the question asks for them", () =>
    check(tested, "how is the cache tested", ["test/cache.test.ts:1-2", "src/cache.ts:1-1"]));

  test("what was compiled from a source that is there is left out", () =>
    check(
      `
//- dist/parse.cjs
function parse() {}
//- dist/parse.d.ts
export declare function parse(): void;
//- dist/parse.js
function parse() {}
//- src/parse.ts
export function parse() {}
`,
      "parse",
      ["src/parse.ts:1-1"],
    ));

  test("what was compiled is shown where only that says what is asked for", () =>
    check(
      `
//- dist/parse.js
function parse() {}
injectedByTheBundler();
//- src/parse.ts
/** What is injected runs first. */
export function parse() {}
`,
      "injectedByTheBundler",
      ["dist/parse.js:1-2", "src/parse.ts:1-2"],
    ));

  test("of a long passage the whole definition that fits, with its comment, and what is around it", async () => {
    const filler = (name: string) => `  ${name}() {\n    return this.items;\n  }\n\n`;
    const source = `//- queue.ts
export class Queue {
${filler("first")}${filler("second")}  /** Waits before the retry. */
  delay(times: number) {
    const base = 100;

    return base * times;
  }

${filler("third")}${filler("fourth")}}
`;
    const [passage] = (await search([fixture(source)], "delay before retry", { passageLines: 8 })).passages;
    expect(passage).toMatchObject({
      startLine: 10,
      endLine: 15,
      scope: [{ name: "Queue", startLine: 1, endLine: 25 }],
    });
  });

  test("of a long passage so many lines as are wanted: its first ones, unless others hold more of the question", async () => {
    const lines = (word: string) => Array.from({ length: 30 }, (_, n) => `  step(${n}); // ${word}\n`).join("");
    const head = `//- a.ts\nfunction retryLater() {\n${lines("x")}}\n`;
    await check(head, "retryLater", ["a.ts:1-5"], { passageLines: 5 });
    const below = `//- a.ts\nfunction run() {\n${lines("x")}  retry(later, after, header);\n}\n`;
    await check(below, "retry later after header", ["a.ts:28-32"], { passageLines: 5 });
    await check(below, "retry later after header", ["a.ts:1-33"]);
  });

  test("an import over several lines is no part of what fits", async () => {
    const source = `//- css.ts
import type {
  InlineStyleUrl,
  InlineStyleUrlOptions,
  ResolvedStyleUrl,
} from "./types";
import path from "node:path";

const encoder = new TextEncoder();
${Array.from({ length: 20 }, (_, n) => `export const part${n} = ${n};\n`).join("")}
export function rewrite(style: string): string {
  return style.replace(url, inline);
}
`;
    await check(source, "how is the url of a style inlined", ["css.ts:30-32"], { passageLines: 5 });
  });

  test.each([
    ["a block", "/*\n * Limits. Copyright 2026.\n *\n * Permissions and conditions limit its use.\n */\n"],
    ["lines", "// SPDX-License-Identifier: MIT\n// Permissions and conditions limit its use.\n"],
  ])("a licence in %s and names that are exported again are no part of what fits", async (_, licence) => {
    const source = `//- limits.ts
${licence}
export { Permission } from "./permission.ts";
export {
  ConditionKind,
  LimitKind,
} from "./kinds.ts";

/** Fewer permissions where a condition holds. */
export function limitPermissions(all: string[]): string[] {
  return all.filter(holds);
}
`;
    const { passages } = await search([fixture(source)], "limit permissions conditions kind", { passageLines: 40 });
    expect(passages.map(({ lines }) => lines.join("\n"))).toEqual([
      "/** Fewer permissions where a condition holds. */\n" +
        "export function limitPermissions(all: string[]): string[] {\n  return all.filter(holds);\n}",
    ]);
  });

  test("what a licence names is found where a question is about the licence", async () => {
    const source = "//- a.ts\n// Copyright 2026 Retry Ltd.\n\nexport const a = 1;\n";
    await check(source, "copyright Retry Ltd", ["a.ts:1-3"]);
  });

  test("two builds of one module are shown once, though half of their lines differ", () =>
    check(
      `
//- dist/router.js
import { a } from "a.js";
import { b } from "b.js";
retry(later);
const first = 1;
const second = 2;
export { first };
//- dist/cjs/router.js
const { a } = require("a.js");
const { b } = require("b.js");
retry(later);
const first = 1;
const second = 2;
exports.first = first;
`,
      "retry later",
      ["dist/router.js:1-6"],
    ));

  test("copies of the same lines are shown once", () =>
    check(
      `
//- lib/a.js
function retry() {
  waitLonger();
  tryAgain();
}
//- vendor/lib/a.js
function retry() {
  waitLonger();
  tryAgain();
}
`,
      "retry",
      ["lib/a.js:1-4"],
    ));

  test("the name of the resource itself hardly counts", async () => {
    const source = "//- a.ts\ndemo(demo, demo);\n//- b.ts\nexport const route = 1;\n";
    const { passages } = await search([fixture(source)], "how does demo route");
    expect(passages.map(({ path }) => path)).toEqual(["b.ts", "a.ts"]);
  });
});

describe("what a passage says", () => {
  test("where it is from, at which revision, of what kind and why", async () => {
    const source = "//- docs/use.md\n# Use\nCall retry.\n//- src/retry.ts\nexport function retry() {}\n";
    const { passages, searchedFiles } = await search(
      [fixture(source, { resource: "zod", revision: "4.0.0" })],
      "retry",
    );
    expect(passages).toEqual([
      {
        resource: "zod",
        revision: "4.0.0",
        path: "src/retry.ts",
        startLine: 1,
        endLine: 1,
        lines: ["export function retry() {}"],
        score: expect.any(Number),
        lookedUp: "retry",
        kind: "code",
        reason: "defines `retry`",
        scope: [],
      },
      {
        resource: "zod",
        revision: "4.0.0",
        path: "docs/use.md",
        startLine: 1,
        endLine: 2,
        lines: ["# Use", "Call retry."],
        score: expect.any(Number),
        lookedUp: undefined,
        kind: "docs",
        reason: "matches retry",
        scope: [],
      },
    ]);
    expect(searchedFiles).toBe(2);
  });

  test("in how many files was looked, and which were left out", async () => {
    const source = `//- src/retry.ts\nexport function retry() {}\n//- dist/a.min.js\nretry();${"x".repeat(5000)}\n`;
    const { skipped, searchedFiles } = await search([fixture(source, { resource: "zod" })], "retry");
    const reason = "minified: found by grep only";
    expect({ skipped, searchedFiles }).toEqual({
      skipped: [{ resource: "zod", path: "dist/a.min.js", reason }],
      searchedFiles: 1,
    });
  });

  test("passages of several resources are ranked together", async () => {
    const one = fixture("//- a.ts\nexport const one = retry;\n", { resource: "one" });
    const two = fixture("//- a.ts\nexport function retryLater() {}\n", { resource: "two" });
    const { passages } = await search([one, two], "retryLater");
    expect(passages.map(({ resource }) => resource)).toEqual(["two", "one"]);
  });

  test("lines are those of the file, without line ends", async () => {
    const { passages } = await search([fixture("//- a.ts\nfirst();\r\nretry();\r\n")], "retry");
    expect(passages[0]?.lines).toEqual(["first();", "retry();"]);
  });
});

describe("what is not found", () => {
  test("suggests similar names", async () => {
    const { passages, nearest } = await search([fixture("//- src/routr.ts\nexport {};\n")], "zebra router");
    expect(passages).toEqual([]);
    expect(nearest).toEqual([{ resource: "demo", path: "src/routr.ts" }]);
  });

  test.each([
    ["an empty question", ""],
    ["punctuation", "??? (*"],
    ["words that say nothing", "the of and"],
    ["one endless word", "x".repeat(5000)],
    ["names of every object", "constructor __proto__ toString"],
  ])("%s finds nothing and does not fail", async (_, query) => {
    expect((await search([fixture("//- a.ts\nretry();\n")], query)).passages).toEqual([]);
  });

  test("an empty tree, and no tree", async () => {
    expect((await search([fixture("")], "retry")).passages).toEqual([]);
    expect((await search([], "retry")).passages).toEqual([]);
  });

  test("reports what was not searched: files left out by the snapshot, unreadable, minified or large", async () => {
    const source = `//- broken.ts\n//- big.ts\n//- dist/a.min.js\n${"retry();".repeat(600)}\n//- ok.ts\nretry();\n`;
    const snapshot = fixture(source);
    const { passages, skipped } = await search(
      [
        {
          ...snapshot,
          files: snapshot.files.map((file) => (file.path === "big.ts" ? { ...file, sizeBytes: 2_000_000 } : file)),
          skipped: [{ path: "logo.png", reason: "binary" }],
          async read(path, options) {
            if (path === "broken.ts") throw new CitewellError("FileNotReadable", "changed on disk");
            return snapshot.read(path, options);
          },
        },
      ],
      "retry",
    );
    expect(passages.map(({ path }) => path)).toEqual(["ok.ts"]);
    expect(skipped).toEqual([
      { resource: "demo", path: "logo.png", reason: "binary" },
      { resource: "demo", path: "big.ts", reason: "larger than 1 MB: found by grep only" },
      { resource: "demo", path: "broken.ts", reason: "changed on disk" },
      { resource: "demo", path: "dist/a.min.js", reason: "minified: found by grep only" },
    ]);
  });

  test("reports only the unsearched files that match the filter", async () => {
    const left = ["logo.png", "docs/notes.pdf", "test/page.png"].map((path) => ({ path, reason: "binary" }));
    const snapshot = { ...fixture("//- docs/a.md\n# Retry\n//- dist/a.min.js\nretry();\n"), skipped: left };
    const told = async (options: Partial<SearchOptions>) =>
      (await search([snapshot], "retry", options)).skipped.map(({ path }) => path);
    expect(await told({ glob: "docs/**" })).toEqual(["docs/notes.pdf"]);
    expect(await told({ kinds: ["test"] })).toEqual(["test/page.png"]);
  });

  test("a passage ends before a line that is too long to show", () =>
    check(`//- a.ts\nretry();\nconst data = "${"x".repeat(2000)}";\nother();\n`, "retry", ["a.ts:1-1"]));

  test("of a line that is too long, the part that holds most of a question is shown where nothing else holds any", async () => {
    const words = (name: string) => `${name} `.repeat(150);
    const long = `${words("alpha")}retry ${words("beta")}retry later ${words("gamma")}`;
    const { passages } = await search([fixture(`//- a.md\n# Notes\n\n${long}\n\nThe end.\n`)], "retry later");
    expect(passages.map(({ startLine, endLine }) => [startLine, endLine])).toEqual([[3, 3]]);
    const [shown = ""] = passages[0]?.lines ?? [];
    expect(shown).toMatch(/^…(?:\w* )+beta retry later gamma .*…$/);
    expect(shown).toHaveLength(902);
  });
});

describe("questions at once and one after the other", () => {
  const source = "//- a.ts\nretry();\n//- b.ts\nother();\n";
  const counting = (onRead: () => void): Snapshot => {
    const snapshot = fixture(source);
    return {
      ...snapshot,
      read(path, options) {
        onRead();
        return snapshot.read(path, options);
      },
    };
  };

  test("each file is read once, however many questions are asked", async () => {
    let reads = 0;
    const snapshot = counting(() => reads++);
    const retrieval = createRetrieval();
    const ask = () => retrieval.search([snapshot], { query: "retry", limit: 5, signal: undefined });
    await Promise.all([ask(), ask()]);
    await ask();
    expect(reads).toBe(2);
  });

  test("pages hold every passage once", async () => {
    const files = Array.from({ length: 9 }, (_, n) => `//- src/part${n}.ts\n${filler(`part${n}of`)}retry(${n});\n`);
    const places = async (offset: number) => {
      const { passages } = await search([fixture(files.join(""))], "retry part", { offset, limit: 4 });
      return passages.map(({ path, startLine }) => `${path}:${startLine}`);
    };
    const pages = [...(await places(0)), ...(await places(4)), ...(await places(8))];
    expect(pages.length).toBeGreaterThan(8);
    expect(new Set(pages).size).toBe(pages.length);
  });

  test("another revision is another tree", async () => {
    const retrieval = createRetrieval();
    const ask = (text: string, revision: string) =>
      retrieval.search([fixture(text, { revision })], { query: "retry", limit: 5, signal: undefined });
    expect((await ask("//- a.ts\nretry();\n", "1")).passages).toHaveLength(1);
    expect((await ask("//- a.ts\nother();\n", "2")).passages).toHaveLength(0);
  });

  test("who cancels gets the reason; who asks the same meanwhile gets the answer", async () => {
    const controller = new AbortController();
    const retrieval = createRetrieval();
    const snapshot = counting(() => controller.abort(new Error("enough")));
    const cancelled = retrieval.search([snapshot], { query: "retry", limit: 5, signal: controller.signal });
    const patient = retrieval.search([snapshot], { query: "retry", limit: 5, signal: undefined });
    await expect(cancelled).rejects.toThrow("enough");
    expect((await patient).passages).toHaveLength(1);
  });

  test("who was cancelled before asks for nothing", async () => {
    let reads = 0;
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(search([counting(() => reads++)], "retry", { signal })).rejects.toThrow("enough");
    expect(reads).toBe(0);
  });
});

describe("a package that keeps an old major version beside its current one", () => {
  const halves = (entry: string) => `
//- package.json
{ "name": "checks", "main": "./index.cjs", "module": "./index.js" }
//- index.js
export * from "./${entry}/external.js";
//- src/v3/types.ts
${filler("alpha")}
export function checkString(input: string) { return input; }
checkString("a"); checkString("b");
//- src/v4/types.ts
${filler("beta")}
export function checkString(input: string) { return input; }
//- .citewell-package/README.md
# Checks
A string is checked.
A number is checked.
//- README.md
# Checks
A string is checked.
A number is checked.
`;
  const firstOf = async (source: string, query: string) => {
    const { passages } = await search([fixture(source.trimStart())], query);
    return passages.map(({ path }) => path).find((path) => path.startsWith("src/"));
  };

  test.each([
    { entry: "v4", query: "check a string", first: "src/v4/types.ts" },
    { entry: "v3", query: "check a string", first: "src/v3/types.ts" },
    { entry: "v4", query: "check a string in v3", first: "src/v3/types.ts" },
  ])("with an entry point in $entry, “$query” finds $first first", async ({ entry, query, first }) => {
    expect(await firstOf(halves(entry), query)).toBe(first);
  });

  test("in a repository of several, the nearest manifest says which one is current", async () => {
    const repository = `//- package.json
{ "name": "all", "main": "packages/other/src/v3/index.js" }
${halves("v4").trim().replaceAll("//- ", "//- packages/checks/")}
`;
    const { passages } = await search([fixture(repository)], "check a string");
    expect(passages.map(({ path }) => path).find((path) => path.includes("/src/"))).toBe(
      "packages/checks/src/v4/types.ts",
    );
  });

  test("its own README is found, and not the registry's copy of it", async () => {
    const { passages } = await search([fixture(halves("v4").trimStart())], "readme of checks");
    expect(passages.map(({ path }) => path).filter((path) => path.endsWith("README.md"))).toEqual(["README.md"]);
  });
});
