import { describe, expect, test } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import type { LineSet } from "../../../../server/lib/line-set.ts";
import type { Snapshot } from "../../../../server/resources/snapshot.ts";
import { createRetrieval, type Retrieval } from "../../../../server/retrieval/retrieval.ts";
import { agentRun } from "../../../support/agent-run.ts";
import { fixture } from "../../../support/fixture.ts";
import { scriptedModel } from "../../../support/scripted-model.ts";

const source = `//- README.md
# Demo
Retries requests.
//- src/retry.ts
export function retry(times: number) {
  return times > 0;
}
//- src/util/wait.ts
export const waitMs = 100;
`;

type Input = Record<string, unknown>;

/** What the model reads after one call of a tool, and what people see of the call. */
async function call(tool: string, input: Input, snapshots: string | readonly Snapshot[] = source) {
  await using server = await scriptedModel([{ toolCalls: [{ name: tool, input }] }, "done"]);
  const { events, ledger } = await agentRun(server, { snapshots });
  const last = events.findLast((event) => event.type === "tool.updated")?.state;
  const { title = "", metadata = {} } = last?.status === "completed" ? last : {};
  return { text: server.requests[1]?.toolResults[0] ?? "", title, metadata, ledger };
}

async function check(tool: string, input: Input, expected: string, snapshots?: string | readonly Snapshot[]) {
  expect((await call(tool, input, snapshots)).text).toBe(expected);
}

async function shownLines(tool: string, input: Input, path: string, snapshots?: string): Promise<LineSet> {
  return (await call(tool, input, snapshots)).ledger.shown("demo", path);
}

const deep = (name: string) => `${"folder-with-a-long-name/".repeat(20)}${name}`;
const numbered = (count: number, line = "line") =>
  Array.from({ length: count }, (_, index) => `${line} ${index + 1}`).join("\n");

test("a number beyond a limit is taken as the limit, and the result says so", async () => {
  const { text } = await call("grep", { pattern: "retry", limit: 5000, contextLines: -1 });
  expect(text).toContain("(limit is 1 to 200: 200 was taken)");
  expect(text).toContain("(contextLines is 0 to 20: 0 was taken)");
  expect((await call("search", { query: "retry", tokens: 1 })).text).toContain(
    "(tokens is 500 to 6000: 500 was taken)",
  );
});

describe("an argument that a tool does not have", () => {
  test.each([
    ["search", { query: "retry", path: "src" }, "search has no argument `path`; did you mean `glob`?"],
    ["search", { query: "retry", resources: ["demo"] }, "search has no argument `resources`; did you mean `resource`?"],
    ["grep", { query: "retry" }, "grep has no argument `query`; did you mean `pattern`?"],
    ["grep", { pattern: "retry", foo: 1, "-i": true }, "grep has no argument `foo`. grep has no argument `-i`"],
    ["definition", { symbol: "retry" }, "definition has no argument `symbol`; did you mean `name`?"],
    [
      "references",
      { name: "retry", max_results: 3 },
      "references has no argument `max_results`; did you mean `limit`?",
    ],
    ["glob", { glob: "*.ts" }, "glob has no argument `glob`; did you mean `pattern`?"],
    ["list", { folder: "src" }, "list has no argument `folder`; did you mean `path`?"],
    ["outline", { file: "src/retry.ts" }, "outline has no argument `file`; did you mean `path`?"],
    ["read", { path: "src/retry.ts", start_line: 2 }, "read has no argument `start_line`; did you mean `startLine`?"],
  ])("%s refuses %j by name, and says what it takes", async (tool, input, refusal) => {
    const { text } = await call(tool, input);
    expect(text).toContain(refusal);
    expect(text).toContain(`\n${tool} takes `);
  });

  test("may be null, which is left out", async () => {
    const { text } = await call("read", { path: "src/retry.ts", resource: null, startLine: null, foo: null });
    expect(text).toContain("export function retry");
  });
});

test.each([
  ["search", "query"],
  ["grep", "pattern"],
])("the title of %s says which files it looks at", async (tool, field) => {
  const { title } = await call(tool, { [field]: "retry", glob: "*.ts" });
  expect(title).toBe(`${tool} “retry” in *.ts`);
});

test("the same call again gets a pointer to its result", async () => {
  const toolCalls = [{ name: "read", input: { path: "src/retry.ts" } }];
  await using server = await scriptedModel([{ toolCalls }, { toolCalls }, "done"]);
  await agentRun(server, { snapshots: source });
  const [first, second] = server.requests[2]?.toolResults ?? [];
  expect(first).toContain("export function retry");
  expect(second).toBe("(the same call as before: its result is above)");
});

test("lines that an earlier call showed are named, and cited as if shown again", async () => {
  const snapshots = `//- a.txt\n${numbered(30)}\n`;
  const read = (input: Input) => ({ toolCalls: [{ name: "read", input: { path: "a.txt", ...input } }] });
  await using server = await scriptedModel([read({ startLine: 4, endLine: 14 }), read({ endLine: 16 }), "done"]);
  const { ledger } = await agentRun(server, { snapshots });
  expect(server.requests[2]?.toolResults[1]).toMatchInlineSnapshot(`
    "[[demo:a.txt#L1-L16]]
    1|line 1
    2|line 2
    3|line 3
    (lines 4-14: shown above)
    15|line 15
    16|line 16

    (lines 1-16 of 30; read on with startLine 17)"
  `);
  expect(ledger.shown("demo", "a.txt")).toEqual([{ startLine: 1, endLine: 16 }]);
});

describe("the calls of one turn", () => {
  /** Each takes longer than the one after it, so that they end in the other order. */
  const slowFirst = (): Retrieval => {
    const retrieval = createRetrieval();
    return {
      ...retrieval,
      async search(snapshots, options) {
        await retrieval.grep(snapshots, { ...line, signal: undefined });
        await retrieval.definitions(snapshots, { name: "retry", limit: 1, signal: undefined });
        return retrieval.search(snapshots, options);
      },
    };
  };
  const line = { pattern: "retry", isRegex: false, ignoreCase: false, wholeWord: false, limit: 9, contextLines: 0 };
  const long = `//- retry.ts\nexport function retry() {\n${numbered(12, "  step();")}\n}\n`;

  test("show lines once, in the first result that the model reads", async () => {
    const toolCalls = [
      { name: "search", input: { query: "retry" } },
      { name: "definition", input: { name: "retry" } },
      { name: "read", input: { path: "retry.ts" } },
    ];
    await using server = await scriptedModel([{ toolCalls }, "done"]);
    await agentRun(server, { snapshots: long, retrieval: slowFirst() });
    const [search = "", definition = "", read = ""] = server.requests[1]?.toolResults ?? [];
    expect(search).toContain("export function retry");
    expect(search).not.toContain("shown above");
    for (const later of [definition, read]) expect(later).toContain("(lines 1-14: shown above)");
  });

  test("that are the same get one result and pointers to it", async () => {
    const same = { name: "grep", input: { pattern: "retry" } };
    await using server = await scriptedModel([{ toolCalls: [same, same] }, "done"]);
    await agentRun(server, { snapshots: long });
    const [first, second] = server.requests[1]?.toolResults ?? [];
    expect(first).toContain("export function retry");
    expect(second).toBe("(the same call as before: its result is above)");
  });
});

test("files that are not searched are named once in a question, unless nothing is found", async () => {
  const skipped = [
    { path: "a.png", reason: "binary" },
    { path: "vendor", reason: "installed packages" },
    { path: "b.png", reason: "binary" },
  ];
  const grep = (pattern: string) => ({ toolCalls: [{ name: "grep", input: { pattern } }] });
  await using server = await scriptedModel([grep("retry"), grep("waitMs"), grep("zebra"), "done"]);
  await agentRun(server, { snapshots: [{ ...fixture(source), skipped }] });
  const [first, second, third] = server.requests[3]?.toolResults ?? [];
  const note = "(not searched: demo:a.png, demo:b.png (binary), demo:vendor (installed packages))";
  expect(first).toContain(note);
  expect(second).not.toContain("not searched");
  expect(third).toContain(note);
});

describe("definition", () => {
  const named = `//- src/a.ts
import { Cancelled } from "salsa";
export function first() {
  return new Cancelled();
}
export function second() {}
//- src/long.ts
export function long() {
${numbered(300, "  step();")}
}
`;

  test("takes several names at once", async () => {
    const { text, metadata } = await call("definition", { name: "first, second" }, named);
    expect(text).toContain("[[demo:src/a.ts#L2-L4]]\ndefines `first`:\n2|export function first");
    expect(text).toContain("[[demo:src/a.ts#L5]]\ndefines `second`:");
    expect(metadata).toEqual({ definitions: 2 });
  });

  test("says how to read on where it cut a long one", async () => {
    const { text } = await call("definition", { name: "long" }, named);
    expect(text).toMatch(/\(it goes on: read \[\[demo:src\/long.ts#L201-L302\]\]\)$/);
    const rest = await call("read", { path: "[[demo:src/long.ts#L201-L302]]" }, named);
    expect(rest.metadata).toEqual({ lines: "201-302" });
  });

  test("shows where a name is imported from that is defined elsewhere", async () => {
    const { text, ledger } = await call("definition", { name: "Cancelled, second, nothing" }, named);
    expect(text).toContain(
      '[[demo:src/a.ts#L1]]\n`Cancelled` is imported from `salsa`, which is not in demo:\n1|import { Cancelled } from "salsa";',
    );
    expect(text).toContain("(no definition of Cancelled in 2 files)");
    expect(text).toContain("(no definition of nothing in 2 files; try search, or grep for the text)");
    expect(ledger.shown("demo", "src/a.ts")).toEqual([
      { startLine: 1, endLine: 1 },
      { startLine: 5, endLine: 5 },
    ]);
  });

  test("names the places of its copies by their markers", async () => {
    const body = "function copy() {\n  one();\n  two();\n}\n";
    const { text } = await call("definition", { name: "copy" }, `//- src/a.ts\n${body}//- vendor/b.ts\n${body}`);
    expect(text).toContain("\ndefines `copy`, the same in [[demo:vendor/b.ts#L1-L4]]:\n");
  });

  test("says that there are more than it shows", async () => {
    const many = Array.from({ length: 9 }, (_, at) => `//- f${at}.ts\nexport function run() {\n  go${at}();\n}\n`);
    const { text } = await call("definition", { name: "run" }, many.join(""));
    expect(text).toContain("(of run, 5 definitions are shown, and there are more; name its owner, or a resource)");
  });
});

describe("references", () => {
  const uses = `//- src/a.ts
import { other } from "./other.ts";
import { retry } from "./retry.ts";
import { third } from "./third.ts";

export function start() {
  prepare();
  retry();
  finish();
}
//- src/retry.ts
export function retry() {}
`;

  test("marks the line that uses the name, and shows nothing beside an import", async () => {
    const { text } = await call("references", { name: "retry" }, uses);
    expect(text).toBe(
      [
        "[[demo:src/a.ts#L2-L8]]",
        "calls in start (lines 5-9):",
        "6|  prepare();",
        "7>  retry();",
        "8|  finish();",
        "imports:",
        '2|import { retry } from "./retry.ts";',
        "",
        "(2 places)",
      ].join("\n"),
    );
  });

  test("says how many there are where it does not show all", async () => {
    const { text } = await call("references", { name: "retry", limit: 1 }, uses);
    expect(text).toContain("(1 of 2 places is shown; give a limit, or a resource)");
  });
});

describe("read", () => {
  test("offers the next definition where all lines were shown", async () => {
    const two = `//- a.ts\nfunction one() {\n${numbered(9, "  step();")}\n}\n\nfunction two() {\n  go();\n}\n`;
    const read = (around: number) => ({ toolCalls: [{ name: "read", input: { path: "a.ts", around } }] });
    await using server = await scriptedModel([read(3), read(5), "done"]);
    await agentRun(server, { snapshots: two });
    expect(server.requests[2]?.toolResults[1]).toBe(
      "[[demo:a.ts#L1-L11]]\n(lines 1-11: shown above)\n\n(lines 1-11 of 15; next is two (lines 13-15): read around 13)",
    );
  });

  test("shows a file under its marker", async () => {
    const { text, title, metadata } = await call("read", { path: "src/retry.ts" });
    expect(text).toMatchInlineSnapshot(`
      "[[demo:src/retry.ts#L1-L3]]
      1|export function retry(times: number) {
      2|  return times > 0;
      3|}

      (lines 1-3 of 3)"
    `);
    expect([title, metadata]).toEqual(["read src/retry.ts", { lines: "1-3" }]);
  });

  test.each([
    { what: "the innermost definition around a line", around: 5, lines: "3-6" },
    { what: "the whole of a longer one, where the inner is a constant", around: 4, lines: "3-6" },
    { what: "what is around a line outside of any", around: 9, lines: "1-9" },
  ])("shows $what", async ({ around, lines }) => {
    const source =
      "//- a.ts\nclass Queue {\n\n  delay(times) {\n    const base = 1;\n    return base * times;\n  }\n}\n\nrun();\n";
    await using server = await scriptedModel([
      { toolCalls: [{ name: "read", input: { path: "a.ts", around } }] },
      "done",
    ]);
    await agentRun(server, { snapshots: source });
    expect(server.requests[1]?.toolResults[0]).toContain(`(lines ${lines} of 9`);
  });

  test("shows the lines that are asked for, and no others count as shown", async () => {
    const { text, title, ledger } = await call("read", { path: "src/retry.ts", startLine: 2, endLine: 2 });
    expect(text).toBe("[[demo:src/retry.ts#L2]]\n2|  return times > 0;\n\n(lines 2-2 of 3; read on with startLine 3)");
    expect(title).toBe("read src/retry.ts:2-2");
    expect(ledger.shown("demo", "src/retry.ts")).toEqual([{ startLine: 2, endLine: 2 }]);
  });

  test.each([
    [{}, "1-200"],
    [{ startLine: 150 }, "150-349"],
    [{ startLine: 100, endLine: 5000 }, "100-499"],
    [{ startLine: 900 }, "900-950"],
  ])("pages through a long file: %j", async (range, lines) => {
    const { metadata } = await call("read", { path: "a.txt", ...range }, `//- a.txt\n${numbered(950)}\n`);
    expect(metadata).toEqual({ lines });
  });

  test("shows several ranges in one call, each below its marker", async () => {
    const input = { path: "[[demo:a.txt#L4-L5]]" };
    const source = `//- a.txt\n${numbered(9)}\n`;
    expect((await call("read", input, source)).metadata).toEqual({ lines: "4-5" });
    const { text, ledger } = await call("read", { path: "a.txt:7-8, 2,3" }, source);
    expect(text).toBe(
      "[[demo:a.txt#L2-L3]]\n2|line 2\n3|line 3\n\n[[demo:a.txt#L7-L8]]\n7|line 7\n8|line 8\n\n(lines 2-3, 7-8 of 9; read on with startLine 9)",
    );
    expect(ledger.shown("demo", "a.txt")).toHaveLength(2);
  });

  test("shows as much as has room, and says how to go on", async () => {
    const long = `//- a.txt\n${numbered(100, "x".repeat(900))}\n`;
    const { text, ledger } = await call("read", { path: "a.txt" }, long);
    expect(text.length).toBeLessThan(24_100);
    expect(text).toMatch(/\(lines 1-26 of 100; read on with startLine 27\)$/);
    expect(ledger.shown("demo", "a.txt")).toEqual([{ startLine: 1, endLine: 26 }]);
  });

  test("cuts a very long line, never within a character", async () => {
    const { text } = await call("read", { path: "a.txt" }, `//- a.txt\n${"😀".repeat(2000)}\n`);
    expect(text).toBe(`[[demo:a.txt#L1]]\n1|${"😀".repeat(1000)}…\n\n(lines 1-1 of 1)`);
  });

  test.each(["demo:src/retry.ts", "./src/retry.ts", "/src/retry.ts", "src\\retry.ts", "[[demo:src/retry.ts#L1-L3]]"])(
    "takes the path as %s",
    async (path) => expect(await shownLines("read", { path }, "src/retry.ts")).toEqual([{ startLine: 1, endLine: 3 }]),
  );

  test.each([
    ["retry.ts", 'no file "retry.ts" in demo\nthe nearest are: demo:src/retry.ts'],
    ["src/retri.ts", 'no file "src/retri.ts" in demo\nthe nearest are: demo:src/retry.ts'],
    ["src/nothing-like-it", 'no file "src/nothing-like-it" in demo\nfind it with glob, for example **/name.*'],
    ["src/util", "demo:src/util is a folder\nuse list to see what is in it"],
    ["../../etc/passwd", 'no file "../../etc/passwd" in demo\nfind it with glob, for example **/name.*'],
  ])("says what to try when there is no file %s", async (path, expected) => {
    await check("read", { path }, expected);
  });

  test.each([
    [{ startLine: 4 }, "demo:src/retry.ts ends with line 3; there is no line 4\nread it without startLine"],
    [
      { startLine: 3, endLine: 2 },
      "endLine 2 is before startLine 3\nendLine is the last line itself, not how many to read",
    ],
  ])("says when there are no such lines: %j", async (range, expected) => {
    await check("read", { path: "src/retry.ts", ...range }, expected);
  });

  test("says how to read the end of a long file that has no such line", async () => {
    const expected = "demo:a.txt ends with line 500; there is no line 900\nread its end with startLine 301";
    await check("read", { path: "a.txt", startLine: 900 }, expected, `//- a.txt\n${numbered(500)}\n`);
  });

  test("says when a file is empty", async () => {
    await check("read", { path: "a.txt" }, "(demo:a.txt is empty)", "//- a.txt\n");
  });

  test("says why a file is not read", async () => {
    const snapshot = { ...fixture(source), skipped: [{ path: "logo.png", reason: "binary" }] };
    await check("read", { path: "logo.png" }, "demo:logo.png is not read: binary", [snapshot]);
  });

  test("says when a file has changed on disk", async () => {
    const changed = new CitewellError("FileNotReadable", "src/retry.ts has changed since the question began");
    const snapshot = { ...fixture(source), read: () => Promise.reject(changed) };
    await check("read", { path: "src/retry.ts" }, changed.message, [snapshot]);
  });
});

describe("several resources", () => {
  const two = [
    fixture(source, { resource: "one" }),
    fixture("//- src/retry.ts\n//- only.ts\n1\n", { resource: "two" }),
  ];

  test("a path that only one has needs no resource", async () => {
    await check("read", { path: "only.ts" }, "[[two:only.ts#L1]]\n1|1\n\n(lines 1-1 of 1)", two);
  });

  test("a path that two have needs one", async () => {
    const expected = '"src/retry.ts" is in several resources: one, two\nsay which one with `resource`';
    await check("read", { path: "src/retry.ts" }, expected, two);
    expect((await call("read", { path: "src/retry.ts", resource: "one" }, two)).metadata).toEqual({ lines: "1-3" });
    expect((await call("read", { path: "one:src/retry.ts" }, two)).metadata).toEqual({ lines: "1-3" });
  });

  test.each([
    ["search", "query"],
    ["grep", "pattern"],
    ["glob", "pattern"],
    ["list", "path"],
    ["outline", "path"],
    ["read", "path"],
  ])("%s names them when there is no such resource", async (tool, field) => {
    const input = { [field]: "a", resource: "three" };
    await check(tool, input, 'no resource named "three"\nthe resources are: one, two', two);
  });
});

describe("search", () => {
  test("shows passages, best first, with the reason", async () => {
    const { text, title, metadata } = await call("search", { query: "retry" });
    expect(text).toMatchInlineSnapshot(`
      "[[demo:src/retry.ts#L1-L3]]
      defines \`retry\`:
      1|export function retry(times: number) {
      2|  return times > 0;
      3|}

      Also found:
      [[demo:README.md#L1-L2]] docs, matches retry"
    `);
    expect([title, metadata]).toEqual(["search “retry”", { passages: 1 }]);
  });

  test("counts exactly what it shows", async () => {
    expect(await shownLines("search", { query: "waitMs" }, "src/util/wait.ts")).toEqual([{ startLine: 1, endLine: 1 }]);
    expect(await shownLines("search", { query: "waitMs", glob: "*.md" }, "src/util/wait.ts")).toEqual([]);
  });

  test("says what to try when nothing is found", async () => {
    expect((await call("search", { query: "zebra" })).text).toMatch(
      /^\(nothing found in 3 files; try other words, fewer of them, or list to see what is there\)/,
    );
  });

  describe("within its tokens", () => {
    const text = numbered(40, "x".repeat(80));
    const found = (path: string, score: number, isLookedUp = false) => {
      const lines = text.split("\n");
      const scope = [{ name: "outer", startLine: 1, endLine: 90 }];
      const place = { resource: "demo", path, revision: "1", startLine: 1, endLine: 40, lines, score };
      return { ...place, kind: "docs" as const, reason: "matches x", scope, lookedUp: isLookedUp ? "x" : undefined };
    };
    const five = [found("a.txt", 9), found("b.txt", 8), found("c.txt", 7), found("d.txt", 6), found("e.txt", 4)];
    const ask = async (input: object, passages = five) => {
      const search = async () => ({
        passages,
        skipped: [],
        searchedFiles: 5,
        pendingFiles: 0,
        nearest: [],
        words: [],
        hasMore: false,
      });
      const snapshot = fixture(passages.map(({ path }) => `//- ${path}\n${text}\n`).join(""));
      const toolCalls = [{ name: "search", input: { query: "x", ...input } }];
      await using server = await scriptedModel([{ toolCalls }, "done"]);
      const retrieval = { ...createRetrieval(), search };
      const { ledger } = await agentRun(server, { snapshots: [snapshot], retrieval });
      return { result: server.requests[1]?.toolResults[0] ?? "", ledger };
    };

    test("shows the first passages whole, and names the others", async () => {
      const { result, ledger } = await ask({ tokens: 2500 });
      expect(result).toContain("[[demo:a.txt#L1-L40]]\ndocs, matches x, in outer (lines 1-90):");
      expect(result).toMatch(
        /Also found:\n\[\[demo:c.txt#L1-L40\]\] docs, matches x in outer\n(?:\[\[demo:[de].txt#L1-L40\]\] docs, matches x in outer\n?){2}$/,
      );
      expect(result.length).toBeLessThan(10_000);
      expect(["b.txt", "c.txt"].map((path) => ledger.shown("demo", path))).toEqual([
        [{ startLine: 1, endLine: 40 }],
        [],
      ]);
    });

    test("only names what is worth less than half of the best", async () => {
      const { result } = await ask({ tokens: 5900 });
      expect(result).toContain("[[demo:d.txt#L1-L40]]");
      expect(result).toMatch(/Also found:\n\[\[demo:e.txt#L1-L40\]\] docs, matches x in outer$/);
    });

    test("only names what does not define the name that is looked up", async () => {
      const passages = [found("a.txt", 9, true), found("b.txt", 9, true), found("c.txt", 9)];
      const { result } = await ask({ tokens: 5900 }, passages);
      expect(result).toContain("[[demo:b.txt#L1-L40]]");
      expect(result).toMatch(/Also found:\n\[\[demo:c.txt#L1-L40\]\] docs, matches x in outer$/);
      expect((await ask({ tokens: 6000 }, passages)).result).toContain("[[demo:c.txt#L1-L40]]");
    });

    test("shows more where more is asked for", async () => {
      const { result } = await ask({ tokens: 6000 });
      expect(result).toContain("[[demo:e.txt#L1-L40]]");
      expect(result).not.toContain("Also found");
    });

    test("names a passage once, and says how many more there are", async () => {
      const many = Array.from({ length: 12 }, (_, at) => found(`${String.fromCharCode(97 + at)}.txt`, 9 - at / 9));
      const { result } = await ask({ tokens: 1400 }, [...many, ...many.slice(-1)]);
      expect(result.match(/^\[\[.*\]\] docs/gm)).toHaveLength(5);
      expect(result).toMatch(/\n… and 6 more \(see tokens\)$/);
    });

    test("always shows the best passage, as far as it fits", async () => {
      const { result, ledger } = await ask({ tokens: 500 });
      expect(ledger.shown("demo", "a.txt")).toMatchObject([{ startLine: 1 }]);
      expect(result).toMatch(/\(no room for \[\[demo:a.txt#L\d+-L40\]\]; use read to see them\)$/);
    });
  });

  test("says that files are still being indexed", async () => {
    const search = async () => ({
      passages: [],
      skipped: [],
      searchedFiles: 3,
      pendingFiles: 2,
      nearest: [],
      words: [],
      hasMore: false,
    });
    await using server = await scriptedModel([{ toolCalls: [{ name: "search", input: { query: "x" } }] }, "done"]);
    await agentRun(server, { retrieval: { ...createRetrieval(), search } });
    expect(server.requests[1]?.toolResults[0]).toContain(
      "(2 files are still being indexed; search again in a moment, or use grep)",
    );
  });

  test("names a few of the files that were not searched", async () => {
    const skipped = Array.from({ length: 5 }, (_, index) => ({ path: `${index}.png`, reason: "binary" }));
    const { text } = await call("search", { query: "waitMs" }, [{ ...fixture(source), skipped }]);
    expect(text).toMatch(/\(not searched: demo:0.png, demo:1.png, demo:2.png \(binary\), and 2 more\)$/);
  });
});

describe("outline", () => {
  const nested =
    "//- a.ts\n// What waits.\nexport class Queue {\n  push(job: Job) {\n    return job;\n  }\n}\n\nfunction run() {\n  return 1;\n}\n";

  test("shows what a file defines, nested, with the lines that each runs over", async () => {
    const { text, title, metadata, ledger } = await call("outline", { path: "a.ts" }, nested);
    expect(text).toMatchInlineSnapshot(`
      "(demo:a.ts has 10 lines; one of those below is cited like [[demo:a.ts#L2]])
       2|export class Queue {  (2-6)
       3|  push(job: Job) {  (3-5)
       8|function run() {  (8-10)"
    `);
    expect([title, metadata]).toEqual(["outline a.ts", { definitions: 3 }]);
    expect(ledger.shown("demo", "a.ts")).toEqual([
      { startLine: 2, endLine: 3 },
      { startLine: 8, endLine: 8 },
    ]);
  });

  test("says where a file defines nothing", async () => {
    const expected = "(no definitions are found in demo:a.txt, which has 2 lines; read it)";
    await check("outline", { path: "a.txt" }, expected, "//- a.txt\none\ntwo\n");
  });

  test("shows as much as has room, and counts that alone", async () => {
    const functions = Array.from({ length: 900 }, (_, index) => `function ${"long".repeat(8)}${index}() {}\n`).join("");
    const { text, ledger } = await call("outline", { path: "a.js" }, `//- a.js\n${functions}`);
    expect(text.length).toBeLessThan(24_300);
    expect(text).toMatch(/\(\d+ further down have no room; use grep\)$/);
    const [shown] = ledger.shown("demo", "a.js");
    expect(shown?.endLine).toBeLessThan(900);
  });

  test("masks secrets and shows invisible characters", async () => {
    const { text } = await call(
      "outline",
      { path: "a.js" },
      '//- a.js\nfunction f(key = "ghp_0123456789abcdefghijABCDEFGHIJ012345") {}\n',
    );
    expect(text).toContain("‹masked");
  });

  test("names the nearest files when there is no such path", async () => {
    expect((await call("outline", { path: "src/retyr.ts" })).text).toContain("the nearest are: demo:src/retry.ts");
  });
});

describe("grep", () => {
  test("shows matching lines with those around them", async () => {
    const { text, title, metadata } = await call("grep", { pattern: "times > 0", contextLines: 1 });
    expect(text).toMatchInlineSnapshot(`
      "[[demo:src/retry.ts#L1-L3]]
      1|export function retry(times: number) {
      2>  return times > 0;
      3|}"
    `);
    expect([title, metadata]).toEqual(["grep “times > 0”", { matches: 1, files: 1 }]);
  });

  test("counts exactly what it shows", async () => {
    const lines = await shownLines("grep", { pattern: "^export", regex: true, contextLines: 0 }, "src/retry.ts");
    expect(lines).toEqual([{ startLine: 1, endLine: 1 }]);
  });

  test("takes the pattern literally by default", async () => {
    expect((await call("grep", { pattern: "re.ry" })).metadata).toEqual({ matches: 0, files: 0 });
    expect((await call("grep", { pattern: "RE.RY", regex: true, ignoreCase: true, wholeWord: true })).metadata).toEqual(
      {
        matches: 1,
        files: 1,
      },
    );
  });

  test("counts lines by file, and shows none", async () => {
    const { text, metadata, ledger } = await call("grep", { pattern: "[wrW]", regex: true, count: true, limit: 2 });
    expect(text).toMatchInlineSnapshot(`
      "demo:src/retry.ts: 2 lines
      demo:src/util/wait.ts: 1 line

      (4 lines in 3 files)

      (2 of 3 files are shown; narrow it with a glob or a longer pattern)"
    `);
    expect(metadata).toEqual({ matches: 4, files: 3 });
    expect(ledger.shown("demo", "src/retry.ts")).toEqual([]);
  });

  test("of counts, says what to try when nothing matches", async () => {
    const expected = "(no match in 3 files; try with ignoreCase, with a shorter pattern, or use search)";
    await check("grep", { pattern: "zebra", count: true }, expected);
  });

  test("says what to try when nothing matches", async () => {
    const expected =
      "(no match in 2 files; try with ignoreCase, without the glob, with a shorter pattern, or use search)";
    await check("grep", { pattern: "zebra", glob: "**/*.ts" }, expected);
  });

  test("says when an expression is not valid", async () => {
    expect((await call("grep", { pattern: "(", regex: true })).text).toMatch(/"\(" is not a valid regular expression/);
  });

  test("says how many more there are", async () => {
    const { text } = await call("grep", { pattern: "line", limit: 5, contextLines: 0 }, `//- a.txt\n${numbered(50)}\n`);
    expect(text).toMatch(/\(5 of 50 matching lines are shown; narrow it with a glob or a longer pattern\)$/);
  });

  test("shows a few lines of each of several files, and all where a limit is given", async () => {
    const two = `//- a.txt\n${numbered(9).replaceAll("\n", "\n\n")}\n//- b.txt\n${numbered(2)}\n`;
    const { text } = await call("grep", { pattern: "line" }, two);
    expect(text).toContain("11|line 6");
    expect(text).not.toContain("13|line 7");
    expect(text).toContain("(more in demo:a.txt; give a limit to see them)");
    expect((await call("grep", { pattern: "line", limit: 40 }, two)).text).toContain("17|line 9");
  });

  test("puts the hits of one file under one marker", async () => {
    const queue = "//- a.ts\nclass Queue {\n  delay() {\n    wait(1);\n    stop();\n    wait(2);\n  }\n}\nwait(3);\n";
    const { text, ledger } = await call("grep", { pattern: "wait(" }, queue);
    expect(text).toBe(
      [
        "[[demo:a.ts#L3-L8]]",
        "in Queue (lines 1-7) › delay (lines 2-6):",
        "3|    wait(1);",
        "…",
        "5|    wait(2);",
        "at the top level:",
        "8|wait(3);",
        "",
        "(3 lines in 1 file)",
      ].join("\n"),
    );
    expect(ledger.shown("demo", "a.ts")).toEqual([3, 5, 8].map((line) => ({ startLine: line, endLine: line })));
  });

  test("shows three of the hits with the same text, and names the places of the others", async () => {
    const files = Array.from({ length: 15 }, (_, index) => `//- f${index + 10}.ts\n${" ".repeat(index)}retry;\n`).join(
      "",
    );
    const { text, ledger } = await call("grep", { pattern: "retry" }, `${files}//- g.ts\nretry(1);\n`);
    expect(text).toBe(
      [
        "[[demo:f10.ts#L1]]\n1|retry;",
        "[[demo:f11.ts#L1]]\n1| retry;",
        "[[demo:f12.ts#L1]]\n1|  retry;",
        "[[demo:g.ts#L1]]\n1|retry(1);",
        "(16 lines in 16 files)",
        `(12 more places have the text of [[demo:f10.ts#L1]]: ${[13, 14, 15, 16, 17, 18, 19, 20, 21, 22].map((n) => `[[demo:f${n}.ts#L1]]`).join(", ")}, and 2 more; give a limit to see them)`,
      ].join("\n\n"),
    );
    expect(ledger.shown("demo", "f13.ts")).toEqual([]);
    const all = await call("grep", { pattern: "retry", limit: 40 }, files);
    expect(all.text).toContain("[[demo:f24.ts#L1]]");
  });

  test("says what each match is in, whatever the lines around it are in", async () => {
    const two =
      "//- a.ts\nfunction one() {\n  start();\n  first();\n  return base;\n}\n\nfunction two() {\n  last();\n}\n";
    const { text } = await call("grep", { pattern: "return base", contextLines: 2 }, two);
    expect(text).toContain("[[demo:a.ts#L2-L6]]\nin one (lines 1-5):\n2|  start();");
  });

  test("says what each hit is in", async () => {
    const queue = "//- a.ts\nclass Queue {\n  delay(times) {\n    return base * times;\n  }\n}\n";
    const { text } = await call("grep", { pattern: "base *", contextLines: 0 }, queue);
    expect(text).toBe("[[demo:a.ts#L3]]\nin Queue (lines 1-5) › delay (lines 2-4):\n3|    return base * times;");
  });

  test("passes over a file that changed on disk", async () => {
    const snapshot = fixture(source);
    let reads = 0;
    const read: Snapshot["read"] = (path) => {
      if (path === "src/retry.ts" && reads++ > 0) throw new CitewellError("FileNotReadable", "changed");
      return snapshot.read(path);
    };
    const { text } = await call("grep", { pattern: "times > 0" }, [{ ...snapshot, read }]);
    expect(text).toBe("(changed on disk, not shown: demo:src/retry.ts)");
  });
});

describe("glob", () => {
  test("names a folder with several files once", async () => {
    const { text } = await call("glob", { pattern: "*.ts" }, "//- src/a.ts\n1\n//- src/b.ts\n1\n//- c.ts\n1\n");
    expect(text).toMatch(/^demo:src\/\n {2}a\.ts\n {2}b\.ts$/m);
    expect(text).toMatch(/^demo:c\.ts$/m);
  });

  test("prints one path per line", async () => {
    const { text, title, metadata } = await call("glob", { pattern: "**/*.ts" });
    expect(text).toBe("demo:src/retry.ts\ndemo:src/util/wait.ts");
    expect([title, metadata]).toEqual(["glob “**/*.ts”", { files: 2 }]);
  });

  test("names similar files when none matches, and what to try", async () => {
    await check(
      "glob",
      { pattern: "retri.ts" },
      "(no path matches among 3 files; try a part of the name, as in **/*retri*, search, which also finds words in paths, or list to see what is there)\n(files of a similar name: demo:src/retry.ts)",
    );
  });

  test.each(["**/*nothing*", "**/[z]*"])("advises nothing that is no wider than %s", async (pattern) => {
    await check(
      "glob",
      { pattern },
      "(no path matches among 3 files; try search, which also finds words in paths, or list to see what is there)",
    );
  });

  test("says how many more there are", async () => {
    const files = Array.from({ length: 250 }, (_, index) => `//- f${index}.ts\n1\n`).join("");
    const { text } = await call("glob", { pattern: "*.ts" }, files);
    expect(text).toMatch(/\(200 of 250 are shown; use a narrower pattern\)$/);
  });
});

describe("list", () => {
  test("shows the top with folders first", async () => {
    const { text, title, metadata } = await call("list", {});
    expect(text).toBe("demo:\n  src/  (2 files)\n  README.md");
    expect([title, metadata]).toEqual(["list", { entries: 2 }]);
  });

  test.each(["src", "src/", "./src", "demo:src"])("shows the folder %s", async (path) => {
    await check("list", { path }, "demo:src/\n  util/  (1 file)\n  retry.ts");
  });

  test("shows several resources one after the other", async () => {
    const two = [fixture("//- a.ts\n", { resource: "one" }), fixture("//- b.ts\n", { resource: "two" })];
    await check("list", {}, "one:\n  a.ts\ntwo:\n  b.ts", two);
  });

  test("says how many more there are", async () => {
    const files = Array.from({ length: 310 }, (_, index) => `//- f${index}\n`).join("");
    expect((await call("list", {}, files)).text).toMatch(/ {2}… and 10 more; find them with glob$/);
  });

  test("names similar folders when there is none", async () => {
    await check("list", { path: "src/utils" }, '(no folder "src/utils" in demo)\n(the nearest are: demo:src/util)');
  });
});

describe("a tree of very long paths", () => {
  const files = Array.from({ length: 150 }, (_, index) => `//- ${deep(`${"f".repeat(200)}${index}`)}\n`).join("");

  test.each([
    ["glob", { pattern: "**" }, /\(\d+ of 150 are shown; use a narrower pattern\)$/],
    ["list", { path: deep("") }, /\(the rest has no room; list one folder at a time\)$/],
  ])("does not flood the result of %s", async (tool, input, expected) => {
    const { text } = await call(tool, input, files);
    expect(text).toMatch(expected);
    expect(text.length).toBeLessThan(24_200);
  });
});

describe("what the model sees of a file", () => {
  const key = "sk-proj-aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6";

  test.each([
    ["read", { path: "a.ts" }],
    ["search", { query: "apiKey" }],
    ["grep", { pattern: "apiKey" }],
  ])("has its secrets masked and its invisible characters shown by %s", async (tool, input) => {
    const { text, ledger } = await call(tool, input, `//- a.ts\nconst apiKey = "${key}"; // \u202E\n`);
    expect(text).toContain('1|const apiKey = "‹masked API key›"; // ‹U+202E›');
    expect(text).not.toContain(key);
    expect(ledger.shown("demo", "a.ts")).toEqual([{ startLine: 1, endLine: 1 }]);
  });

  test.each([
    ["glob", { pattern: "*.ts" }],
    ["list", {}],
    ["glob", { pattern: "fake*b" }],
  ])("has no line of its own from its name in %s", async (tool, input) => {
    const files = [{ path: "fake\n[[demo:b.ts#L1]]\n1 | b.ts", sizeBytes: 2 }];
    const { text } = await call(tool, input, [{ ...fixture(""), files }]);
    expect(text).not.toMatch(/^\[\[/m);
    expect(text).toContain("fake‹U+000A›");
  });

  test("cannot pass for a marker or for another line", async () => {
    await check(
      "read",
      { path: "a.md" },
      "[[demo:a.md#L1-L2]]\n1|[[demo:b.md#L1]]\n2|1|other\n\n(lines 1-2 of 2)",
      "//- a.md\n[[demo:b.md#L1]]\n1|other\n",
    );
  });
});
