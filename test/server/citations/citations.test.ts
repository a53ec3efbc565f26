import path from "node:path";
import { pathToFileURL } from "node:url";
import * as fc from "fast-check";
import { marked, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { checkCitations, type CheckedText, createLedger } from "../../../server/citations/citations.ts";
import { CitewellError } from "../../../server/errors.ts";
import { citationText } from "../../../server/citations/citation-text.ts";
import { type Citation, cutAtCitations, isLinked } from "../../../server/protocol/citation.ts";
import { formatMarker } from "../../../server/protocol/passage.ts";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { fixture } from "../../support/fixture.ts";

const commit = "3f2c1a9d8b7e6f5041322314a5b6c7d8e9f00112";
const demo: Snapshot = {
  ...fixture(
    `
//- src/retry.ts
export function retry() {
  const delay = 100;
  return wait(delay);
}
//- src/http/retry.ts
export const attempts = 3;
export const delay = 100;
//- src/never.ts
secret();
//- src/map.ts
const a = map[["a"]];
const b = "x";
const c = [...list, last];
const key = "sk-0123";
//- src/twice.ts
again();
once();

again();
other();
again();
//- docs/guide.md
Retry waits
a little   longer

each time.
//- app/[slug]/page (1).ts
export const page = 1;
//- __init__.py
pass
//- a%20b.ts
encoded;
//- empty.ts
`.trimStart(),
    { resource: "demo", revision: commit },
  ),
  permalink: (file, { startLine, endLine }) => `https://git.example/demo/${commit}/${file}#L${startLine}-L${endLine}`,
  skipped: [{ path: "logo.png", reason: "binary" }],
};
const zod = fixture("//- src/retry.ts\nexport const never = true;\n", {
  resource: "npm:zod@4.0.0",
  revision: "4.0.0+aa11",
});
const folder: Snapshot = {
  ...fixture("//- a b.ts\nconst a = 1;\nconst b = 2;\n", { resource: "/home/me/lib", revision: "c0ffee" }),
  pathOnDisk: (file) => path.resolve("/home/me/lib", file),
};
const all = [demo, zod, folder];

function run(text: string | readonly string[], snapshots: readonly Snapshot[] = all): Promise<CheckedText> {
  const ledger = createLedger();
  const show = (resource: string, file: string, startLine: number, endLine: number) =>
    ledger.show({ resource, path: file, startLine, endLine });
  show("demo", "src/retry.ts", 1, 3);
  show("demo", "src/http/retry.ts", 1, 2);
  show("demo", "src/map.ts", 1, 4);
  show("demo", "src/twice.ts", 1, 4);
  show("demo", "docs/guide.md", 1, 4);
  show("demo", "app/[slug]/page (1).ts", 1, 1);
  show("demo", "__init__.py", 1, 1);
  show("demo", "a%20b.ts", 1, 1);
  show("npm:zod@4.0.0", "src/retry.ts", 1, 1);
  show("/home/me/lib", "a b.ts", 1, 2);
  return collect(checkCitations({ snapshots, ledger }), typeof text === "string" ? [text] : text);
}

async function collect(checker: ReturnType<typeof checkCitations>, deltas: readonly string[]): Promise<CheckedText> {
  const parts: CheckedText[] = [];
  for (const delta of deltas) parts.push(await checker.push(delta));
  parts.push(await checker.end());
  return { delta: parts.map(({ delta }) => delta).join(""), citations: parts.flatMap(({ citations }) => citations) };
}

/** What the state, the lines and the reason of one marker come to. */
async function check(marker: string, snapshots?: readonly Snapshot[]): Promise<string[]> {
  const { citations } = await run(`It waits ${marker}.`, snapshots);
  return citations.map(describeCitation);
}

function describeCitation({ resource, path: file, startLine, endLine, claimed, state, reason }: Citation): string {
  const moved = claimed === undefined ? "" : ` (claimed ${claimed.startLine}-${claimed.endLine})`;
  return `${state} ${resource} ${file} ${startLine}-${endLine}${moved}${reason === undefined ? "" : `: ${reason}`}`;
}

describe("true citations are verified", () => {
  test.each([
    ["[[demo:src/retry.ts#L1-L3]]", "verified demo src/retry.ts 1-3"],
    ["[[demo:src/retry.ts#L2]]", "verified demo src/retry.ts 2-2"],
    ['[[demo:src/retry.ts#L1-L3 "const delay = 100;"]]', "verified demo src/retry.ts 1-3"],
    // Quotes: white space, several lines, elisions, escaped and typographic quotes, brackets.
    ['[[demo:docs/guide.md#L1-L4 "waits a little longer each"]]', "verified demo docs/guide.md 1-4"],
    ['[[demo:docs/guide.md#L1-L2 "Retry waits\n  a little longer"]]', "verified demo docs/guide.md 1-2"],
    ['[[demo:src/retry.ts#L1-L3 "export function … return wait(delay);"]]', "verified demo src/retry.ts 1-3"],
    ['[[demo:src/retry.ts#L1-L3 "retry() { ... wait"]]', "verified demo src/retry.ts 1-3"],
    ['[[demo:src/map.ts#L3 "[...list, last]"]]', "verified demo src/map.ts 3-3"],
    ['[[demo:src/map.ts#L2 "const b = \\"x\\";"]]', "verified demo src/map.ts 2-2"],
    ["[[demo:src/map.ts#L2 “const b”]]", "verified demo src/map.ts 2-2"],
    ['[[demo:src/map.ts#L4 "const key = "‹masked API key›";"]]', "verified demo src/map.ts 4-4"],
    ['[[demo:src/retry.ts#L1-L3 "function retry( ){const delay=100;"]]', "verified demo src/retry.ts 1-3"],
    // A quote too short to prove anything leaves the lines to prove it, and that is said.
    ['[[demo:src/retry.ts#L1 "}"]]', 'verified demo src/retry.ts 1-1: the quote "}" is too short to check'],
    ['[[demo:src/retry.ts#L1 "…"]]', 'verified demo src/retry.ts 1-1: the quote "…" is too short to check'],
    [
      '[[demo:src/retry.ts#L1 "{ [...] }"]]',
      'verified demo src/retry.ts 1-1: the quote "{ [...] }" is too short to check',
    ],
    // Revisions.
    ["[[demo@3f2c1a9:src/retry.ts#L1]]", "verified demo src/retry.ts 1-1"],
    [`[[demo@${commit}:src/retry.ts#L1]]`, "verified demo src/retry.ts 1-1"],
    // Names that hold what separates them from the path.
    ["[[npm:zod@4.0.0:src/retry.ts#L1]]", "verified npm:zod@4.0.0 src/retry.ts 1-1"],
    ["[[npm:zod@4.0.0@4.0.0:src/retry.ts#L1]]", "verified npm:zod@4.0.0 src/retry.ts 1-1"],
    ["[[/home/me/lib:a b.ts#L1-L2]]", "verified /home/me/lib a b.ts 1-2"],
    // Harmless slips.
    ["[[demo:src/retry.ts#L1-3]]", "verified demo src/retry.ts 1-3"],
    ["[[demo:src/retry.ts#L1–L3]]", "verified demo src/retry.ts 1-3"],
    ["[[demo:src/retry.ts#L1C2-L3C4]]", "verified demo src/retry.ts 1-3"],
    ["[[demo:src/retry.ts:1-3]]", "verified demo src/retry.ts 1-3"],
    ["[[demo:./src/retry.ts#L1]]", "verified demo src/retry.ts 1-1"],
    ["[[demo:/src/retry.ts#L1]]", "verified demo src/retry.ts 1-1"],
    ["[[ `demo:src/retry.ts#L1` ]]", "verified demo src/retry.ts 1-1"],
    ["[[demo:app/%5Bslug%5D/page (1).ts#L1]]", "verified demo app/[slug]/page (1).ts 1-1"],
    ["[[demo:a%2520b.ts#L1]]", "verified demo a%20b.ts 1-1"],
    ["[[demo:a%20b.ts#L1]]", "verified demo a%20b.ts 1-1"],
  ])("%s", async (marker, expected) => {
    expect(await check(marker)).toEqual([expected]);
  });

  test("every marker that a tool prints is read back", async () => {
    const cited = { resource: "demo", path: "app/[slug]/page (1).ts", startLine: 1, endLine: 1 };
    expect(await check(formatMarker(cited))).toEqual(["verified demo app/[slug]/page (1).ts 1-1"]);
  });

  test("where one resource is asked, its name may be left out", async () => {
    expect(await check("[[src/retry.ts#L1]]", [demo])).toEqual(["verified demo src/retry.ts 1-1"]);
    expect(await check("[[src/retry.ts#L1]]")).toEqual(["missing  src/retry.ts 1-1: it names no resource"]);
  });

  test("of two names that the target begins with, the longer one is meant", async () => {
    const latest = fixture("//- src/retry.ts\nx\n", { resource: "npm:zod", revision: "4.0.0+bb22" });
    expect(await check("[[npm:zod@4.0.0:src/retry.ts#L1]]", [latest, zod])).toEqual([
      "verified npm:zod@4.0.0 src/retry.ts 1-1",
    ]);
    expect(await check("[[npm:zod@4.0.0:src/retry.ts#L1]]", [latest])).toEqual([
      "not-read npm:zod src/retry.ts 1-1: line 1 was not shown in this run",
    ]);
  });

  test("a path with brackets, written as it is on disk", async () => {
    const next = fixture("//- app/[[...slug]]/page.ts\nexport {};\n", { resource: "next" });
    expect(await check("[[next:app/[[...slug]]/page.ts#L1]]", [next])).toEqual([
      "not-read next app/[[...slug]]/page.ts 1-1: line 1 was not shown in this run",
    ]);
  });
});

describe("seeded faults get their state", () => {
  test.each([
    ["wrong path", "[[demo:src/wrong.ts#L1]]", "missing demo src/wrong.ts 1-1: no such file"],
    [
      "same name in another folder",
      "[[demo:lib/http/retry.ts#L1]]",
      "missing demo lib/http/retry.ts 1-1: no such file",
    ],
    ["a suffix of the path", "[[demo:retry.ts#L1]]", "missing demo retry.ts 1-1: no such file"],
    [
      "other resource with the same path",
      "[[npm:zod@4.0.0:src/retry.ts#L4]]",
      "out-of-range npm:zod@4.0.0 src/retry.ts 4-4: the file has 1 line",
    ],
    [
      "path of another resource",
      "[[npm:zod@4.0.0:src/http/retry.ts#L1]]",
      "missing npm:zod@4.0.0 src/http/retry.ts 1-1: no such file",
    ],
    [
      "resource that was not asked",
      "[[express:src/retry.ts#L1]]",
      "missing express src/retry.ts 1-1: no such resource was asked",
    ],
    ["out of the tree", "[[demo:../demo/src/retry.ts#L1]]", "missing demo ../demo/src/retry.ts 1-1: no such file"],
    [
      "another revision",
      "[[demo@aaaaaaa:src/retry.ts#L1]]",
      `mismatch demo src/retry.ts 1-1: revision aaaaaaa is cited, but ${commit} was read`,
    ],
    [
      "too few digits of the revision",
      "[[demo@3f2c:src/retry.ts#L1]]",
      `mismatch demo src/retry.ts 1-1: revision 3f2c is cited, but ${commit} was read`,
    ],
    [
      "another version",
      "[[npm:zod@4.0.0@4.0:src/retry.ts#L1]]",
      "mismatch npm:zod@4.0.0 src/retry.ts 1-1: revision 4.0 is cited, but 4.0.0+aa11 was read",
    ],
    ["range past the end", "[[demo:src/retry.ts#L3-L9]]", "out-of-range demo src/retry.ts 3-9: the file has 4 lines"],
    [
      "range beyond any number",
      "[[demo:src/retry.ts#L1-L99999999999]]",
      "out-of-range demo src/retry.ts 1-99999999999: the file has 4 lines",
    ],
    ["reversed range", "[[demo:src/retry.ts#L3-L1]]", "out-of-range demo src/retry.ts 3-1: line 3 comes after line 1"],
    ["line zero", "[[demo:src/retry.ts#L0-L2]]", "out-of-range demo src/retry.ts 0-2: lines are counted from 1"],
    ["empty file", "[[demo:empty.ts#L1]]", "out-of-range demo empty.ts 1-1: the file is empty"],
    [
      "range beyond what was shown",
      "[[demo:src/retry.ts#L2-L4]]",
      "not-read demo src/retry.ts 2-4: line 4 was not shown in this run",
    ],
    [
      "path that was never read",
      "[[demo:src/never.ts#L1]]",
      "not-read demo src/never.ts 1-1: line 1 was not shown in this run",
    ],
    ["file that cannot be read", "[[demo:logo.png#L1]]", "not-read demo logo.png 1-1: binary"],
    [
      "edited quote",
      '[[demo:src/retry.ts#L1-L3 "const delay = 200;"]]',
      "mismatch demo src/retry.ts 1-3: the quoted text is not in the file",
    ],
    [
      "edited quote, no such lines",
      '[[demo:src/retry.ts#L8-L9 "const delay = 200;"]]',
      "out-of-range demo src/retry.ts 8-9: the file has 4 lines",
    ],
    [
      "pieces of a quote in another order",
      '[[demo:src/retry.ts#L1-L3 "wait … export"]]',
      "mismatch demo src/retry.ts 1-3: the quoted text is not in the file",
    ],
    [
      "moved text",
      '[[demo:src/retry.ts#L1 "const delay = 100;"]]',
      "relocated demo src/retry.ts 2-2 (claimed 1-1): the quoted text is in line 2, not 1",
    ],
    [
      "moved text, no such lines",
      '[[demo:src/retry.ts#L90-L91 "const delay = 100;"]]',
      "relocated demo src/retry.ts 2-2 (claimed 90-91): the quoted text is in line 2, not 90-91",
    ],
    [
      "text that goes on past the range",
      '[[demo:src/retry.ts#L2 "100; return wait"]]',
      "relocated demo src/retry.ts 2-3 (claimed 2-2): the quoted text is in lines 2-3, not 2",
    ],
    [
      "moved text, the nearest place",
      '[[demo:src/twice.ts#L2 "again();"]]',
      "relocated demo src/twice.ts 1-1 (claimed 2-2): the quoted text is in line 1, not 2",
    ],
    [
      "moved text, the nearest place that was shown",
      '[[demo:src/twice.ts#L5 "again();"]]',
      "relocated demo src/twice.ts 4-4 (claimed 5-5): the quoted text is in line 4, not 5",
    ],
    [
      "moved text that was never shown",
      '[[demo:src/twice.ts#L1 "other();"]]',
      "not-read demo src/twice.ts 5-5 (claimed 1-1): line 5 was not shown in this run",
    ],
  ])("%s", async (_, marker, expected) => {
    expect(await check(marker)).toEqual([expected]);
  });
});

const stack = `//- src/stack.h
static void stack_init(struct stack* s) {
  s->limit = 0;
  s->bound = 0;
}

static int stack_push(struct stack* s, int size) {
  s->limit += size;
  return s->limit;
}

/* Forgets all. */
static int stack_free(struct stack* s) {
  free(s->memory);
  return 0;
}
//- src/stack.ts
import { memory } from "./memory.ts";

export class Stack {
  limit = 0;

  push(size: number): number {
    this.limit += size;
    return this.limit;
  }

  free(): void {
    this.limit = 0;
    memory.clear();
  }
}

test("push", () => {
  expect(new Stack().push(1)).toBe(1);
});

test("free", () => {
  expect(new Stack().free()).toBe(undefined);
});
//- styles.css
.open {
  color: red;
}
.shut {
  color: blue;
}
`;

describe("an ellipsis in a quote stays within the cited lines or one definition", () => {
  const resource = fixture(stack, { resource: "demo" });
  const judge = async (marker: string) => {
    const ledger = createLedger();
    for (const { path: file } of resource.files)
      ledger.show({ resource: "demo", path: file, startLine: 1, endLine: 99 });
    const { citations } = await collect(checkCitations({ snapshots: [resource], ledger }), [marker]);
    return citations.map(({ state, startLine, endLine }) => `${state} ${startLine}-${endLine}`).join(", ");
  };
  test.each([
    // Within the lines.
    ['[[demo:src/stack.h#L1-L4 "static void stack_init(… s->bound = 0;"]]', "verified 1-4"],
    ['[[demo:styles.css#L1-L6 ".open { … blue"]]', "verified 1-6"],
    // Within one function, at other lines.
    ['[[demo:src/stack.h#L6 "stack_push(struct stack* s ... return s->limit;"]]', "relocated 6-8"],
    ['[[demo:src/stack.h#L2 "Forgets all. […] return 0;"]]', "relocated 11-14"],
    ['[[demo:src/stack.ts#L3 "push(… return this.limit"]]', "relocated 6-8"],
    // Two functions, methods, tests or rules.
    ['[[demo:src/stack.h#L1-L4 "static void stack_init(… return 0;"]]', "mismatch 1-4"],
    ['[[demo:src/stack.h#L1-L4 "static void stack_init(struct stack* s) { … return s->limit;"]]', "mismatch 1-4"],
    ['[[demo:src/stack.h#L6-L9 "stack_init(... s->limit += size"]]', "mismatch 6-9"],
    ['[[demo:src/stack.ts#L6-L9 "push(size: number): number { … memory.clear();"]]', "mismatch 6-9"],
    ['[[demo:src/stack.ts#L16-L18 "test("push", () => { … free()"]]', "mismatch 16-18"],
    ['[[demo:styles.css#L1-L3 ".open { … blue"]]', "mismatch 1-3"],
    // Without an ellipsis, words of two places.
    ['[[demo:src/stack.h#L1-L9 "static void stack_init(struct stack* s) { return s->limit;"]]', "mismatch 1-9"],
  ])("%s", async (marker, expected) => {
    expect(await judge(marker)).toBe(expected);
  });

  const words = fc.array(fc.constantFrom("size", "limit", "next", "free", "wait", "head", "tail"), {
    minLength: 2,
    maxLength: 5,
  });
  /** A file of functions, each of its own words: no piece of one is a piece of another. */
  const functions = fc
    .array(words, { minLength: 2, maxLength: 6 })
    .map((bodies) =>
      bodies.map((body, at) => [
        `function f${at}(a${at}) {`,
        ...body.map((name, line) => `  ${name}${at}_${line}(a${at});`),
        "}",
      ]),
    );
  const pick = fc.nat();

  test("no quote of words from two functions is ever proved at the lines of one", async () => {
    const elisions = fc.constantFrom("…", " … ", "...", " [...] ", " ");
    await fc.assert(
      fc.asyncProperty(functions, pick, pick, pick, pick, elisions, async (bodies, a, b, c, d, elision) => {
        const [from, to] = [a % bodies.length, b % bodies.length];
        if (from === to) return;
        const lineOf = (at: number, line: number) => bodies[at]?.[line % ((bodies[at]?.length ?? 1) - 1)] ?? "";
        const quote = `${lineOf(from, c).trim()}${elision}${lineOf(to, d).trim()}`;
        for (const at of [from, to])
          expect(await prove(bodies, quote, linesOf(bodies, at))).not.toMatch(/verified|relocated/);
      }),
      { numRuns: 300 },
    );
  });

  test("no reordered quote, and none whose case was changed, is ever proved", async () => {
    await fc.assert(
      fc.asyncProperty(functions, pick, pick, fc.constantFrom("…", " "), async (bodies, a, b, elision) => {
        const at = a % bodies.length;
        const body = bodies[at] ?? [];
        const line = 1 + (b % (body.length - 2));
        const [first = "", second = ""] = [body[line - 1]?.trim(), body[line]?.trim()];
        const { startLine, endLine } = linesOf(bodies, at);
        const claim = { startLine, endLine };
        expect(await prove(bodies, `${second}${elision}${first}`, claim)).toBe("mismatch");
        expect(await prove(bodies, `${first}${elision}${second}`.toUpperCase(), claim)).toBe("mismatch");
      }),
      { numRuns: 200 },
    );
  });

  test("every copied quote is proved, with other white space and with omissions within the lines", async () => {
    const gaps = fc.constantFrom(" ", "\n", "\n    ", "\t", "  ");
    await fc.assert(
      fc.asyncProperty(functions, pick, pick, gaps, fc.boolean(), async (bodies, a, b, gap, isElided) => {
        const at = a % bodies.length;
        const body = bodies[at] ?? [];
        const kept = body.slice(b % (body.length - 1));
        const text = kept.map((line) => line.trim()).join(gap);
        const quote = isElided ? `${kept[0]?.trim()} … ${kept.at(-1)?.trim()}` : text;
        expect(await prove(bodies, quote, linesOf(bodies, at))).toBe("verified");
      }),
      { numRuns: 300 },
    );
  });

  function linesOf(bodies: readonly (readonly string[])[], at: number) {
    const startLine = bodies.slice(0, at).reduce((sum, body) => sum + body.length + 1, 1);
    return { startLine, endLine: startLine + (bodies[at]?.length ?? 0) - 1 };
  }

  async function prove(
    bodies: readonly (readonly string[])[],
    quote: string,
    { startLine, endLine }: { startLine: number; endLine: number },
  ): Promise<string> {
    const file = fixture(`//- a.ts\n${bodies.map((body) => body.join("\n")).join("\n\n")}\n`, { resource: "demo" });
    const ledger = createLedger();
    ledger.show({ resource: "demo", path: "a.ts", startLine: 1, endLine: 999 });
    const marker = `[[demo:a.ts#L${startLine}-L${endLine} "${quote}"]]`;
    const { citations } = await collect(checkCitations({ snapshots: [file], ledger }), [marker]);
    return citations.map(({ state }) => state).join(", ");
  }
});

describe("what is not quite a marker is checked like one, or flagged", () => {
  test.each([
    // Without lines.
    ["[[demo:src/retry.ts]]", "out-of-range demo src/retry.ts 0-0: it names no lines; they are counted from 1"],
    ["[[demo:src/retry.ts#install]]", "out-of-range demo src/retry.ts 0-0: it names no lines; they are counted from 1"],
    ["[[demo:src/none]]", "missing demo src/none 0-0: no such file"],
    ["[[express:lib/none.js]]", "missing express lib/none.js 0-0: no such resource was asked"],
    [
      '[[demo:src/retry.ts "const delay = 100;"]]',
      "relocated demo src/retry.ts 2-2 (claimed 0-0): the quoted text is in line 2",
    ],
    // Lines and quotes written otherwise.
    ["[[demo:src/retry.ts L1-L3]]", "verified demo src/retry.ts 1-3"],
    ["[[demo:src/retry.ts, lines 1-3]]", "verified demo src/retry.ts 1-3"],
    ["[[demo:src/retry.ts#L2 const delay = 100;]]", "verified demo src/retry.ts 2-2"],
    [
      "[[demo:src/retry.ts#L2 'const delay = 200;']]",
      "mismatch demo src/retry.ts 2-2: the quoted text is not in the file",
    ],
    ["[[demo:src/none.ts:1-2]]", "missing demo src/none.ts 1-2: no such file"],
    // Without brackets, as lists of places are copied.
    ["demo:src/retry.ts:1-3", "verified demo src/retry.ts 1-3"],
    ["(see demo:src/retry.ts#L1-L3)", "verified demo src/retry.ts 1-3"],
    ["`demo:src/retry.ts:2`", "verified demo src/retry.ts 2-2"],
    ["demo:src/never.ts:1", "not-read demo src/never.ts 1-1: line 1 was not shown in this run"],
    ["demo:src/none.ts:1-2, and so on", "missing demo src/none.ts 1-2: no such file"],
    ["npm:zod@4.0.0:src/retry.ts:1", "verified npm:zod@4.0.0 src/retry.ts 1-1"],
    // The end of a path that one file has.
    [
      "[[demo:http/retry.ts#L1]]",
      "relocated demo src/http/retry.ts 1-1: the path is src/http/retry.ts, not http/retry.ts",
    ],
    ["[[demo:guide.md#L3]]", "relocated demo docs/guide.md 3-3: the path is docs/guide.md, not guide.md"],
    [
      '[[demo:guide.md#L1 "nothing like it"]]',
      "mismatch demo docs/guide.md 1-1: the path is docs/guide.md, not guide.md; the quoted text is not in the file",
    ],
    ["[[demo:uide.md#L3]]", "missing demo uide.md 3-3: no such file"],
    // The short form.
    ["[[#L1-L2]]", "missing   1-2: it names no file, and there is no citation before it"],
  ])("%s", async (text, expected) => {
    const { citations, delta } = await run(text);
    expect(citations.map(describeCitation)).toEqual([expected]);
    expect(delta).not.toContain("[[");
  });

  test.each([
    ["[[demo:src/retry.ts#L1]] and [[#L2-L3]]", ["src/retry.ts 1-1", "src/retry.ts 2-3"]],
    [
      "[[demo:docs/guide.md#L1]] [[demo:src/retry.ts#L1, #L2]] [[#L3]]",
      ["docs/guide.md 1-1", "src/retry.ts 1-1", "src/retry.ts 2-2", "src/retry.ts 3-3"],
    ],
    [
      "[[demo:docs/guide.md#L1]]\n\n`[[demo:src/retry.ts#L1]]` [[#L3]]",
      ["docs/guide.md 1-1", "src/retry.ts 1-1", "src/retry.ts 3-3"],
    ],
    [
      "[[demo:docs/guide.md#L1]] [[demo:src/none.ts#L1]] [[#L3]]",
      ["docs/guide.md 1-1", "src/none.ts 1-1", "src/none.ts 3-3"],
    ],
    ["demo:docs/guide.md:1 [[#L3 “each time”]]", ["docs/guide.md 1-1", "docs/guide.md 4-4"]],
    ["[[#L1]] [[demo:docs/guide.md#L1]]", [" 1-1", "docs/guide.md 1-1"]],
  ])("a short marker means the file of the citation before it: %s", async (text, expected) => {
    const { citations } = await run(text);
    expect(citations.map(({ path: file, startLine, endLine }) => `${file} ${startLine}-${endLine}`)).toEqual(expected);
  });

  test.each([
    "demo: src/retry.ts:1",
    "a demo:10:30",
    "https://x.y/demo:src/retry.ts:1",
    "mydemo:src/retry.ts:1",
    "demo:8080",
  ])("%s is no citation", async (text) => {
    expect(await run(text)).toEqual({ delta: text, citations: [] });
  });

  test("a long text without spaces is read in no time to speak of", async () => {
    expect((await run(`${"demo:a".repeat(20_000)} end`)).citations).toEqual([]);
  });
});

describe("the text of a citation", () => {
  test.each([
    [
      "a permanent link",
      "See [[demo:src/retry.ts#L1-L3]].",
      `See [src/retry.ts:1-3](https://git.example/demo/${commit}/src/retry.ts#L1-L3).`,
    ],
    [
      "a link to the folder",
      "[[/home/me/lib:a b.ts#L1-L2]]",
      `[a b.ts:1-2](${pathToFileURL(path.resolve("/home/me/lib/a b.ts")).href}#L1-L2)`,
    ],
    [
      "a link of our own scheme",
      "[[npm:zod@4.0.0:src/retry.ts#L1]]",
      "[src/retry.ts:1](citewell:/npm%3Azod%404.0.0/src/retry.ts?revision=4.0.0%2Baa11#L1)",
    ],
    [
      "not read",
      "[[demo:src/retry.ts#L4]]!",
      `[src/retry.ts:4](https://git.example/demo/${commit}/src/retry.ts#L4-L4) (not read in this run)!`,
    ],
    [
      "relocated: the corrected lines",
      '[[demo:src/retry.ts#L1 "return wait"]]',
      `[src/retry.ts:3](https://git.example/demo/${commit}/src/retry.ts#L3-L3)`,
    ],
    ["out of range", "[[demo:src/retry.ts#L90-L99]]", "src/retry.ts:90-99 (out of range: the file has 4 lines)"],
    ["missing", "[[demo:src/wrong.ts#L1]]", "src/wrong.ts:1 (missing: no such file)"],
    ["mismatch", '[[demo:src/retry.ts#L1 "nowhere"]]', "src/retry.ts:1 (mismatch: the quoted text is not in the file)"],
    [
      "several",
      "[[demo:src/retry.ts#L1]] [[demo:x.ts#L2]]",
      `[src/retry.ts:1](https://git.example/demo/${commit}/src/retry.ts#L1-L1) x.ts:2 (missing: no such file)`,
    ],
    [
      "several in one",
      "[[demo:x.ts#L1-L2, L4; demo:y.ts#L3]]",
      "x.ts:1-2 (missing: no such file), x.ts:4 (missing: no such file), y.ts:3 (missing: no such file)",
    ],
    ["in a code span", "`[[demo:src/retry.ts#L1]]`", "`src/retry.ts:1`"],
    ["in a code span of two backticks", "``a ` [[demo:src/retry.ts#L1]]``", "``a ` src/retry.ts:1``"],
    ["after a code span", "`a` [[demo:x.ts#L1]]", "`a` x.ts:1 (missing: no such file)"],
    [
      "in a fenced block",
      "```ts\n[[demo:src/retry.ts#L1]] // [[demo:x.ts#L2]]\n```\n",
      "```ts\nsrc/retry.ts:1 // x.ts:2 (missing: no such file)\n```\n",
    ],
    ["in a block fenced in a list", "- a\n  ~~~\n  [[demo:src/retry.ts#L1]]\n", "- a\n  ~~~\n  src/retry.ts:1\n"],
    [
      "after an open backtick of another paragraph",
      "a ` b\n\n[[npm:zod@4.0.0:src/retry.ts#L1]]",
      "a ` b\n\n[src/retry.ts:1](citewell:/npm%3Azod%404.0.0/src/retry.ts?revision=4.0.0%2Baa11#L1)",
    ],
    [
      "after an open backtick of another item",
      "- a ` b\n- [[demo:x[y.ts#L1]]",
      "- a ` b\n- x\\[y.ts:1 (missing: no such file)",
    ],
    ["after an escaped backtick", "a \\` [[demo:x`y.ts#L1]]", "a \\` x\\`y.ts:1 (missing: no such file)"],
    [
      "never an image",
      "![[npm:zod@4.0.0:src/retry.ts#L1]]",
      "! [src/retry.ts:1](citewell:/npm%3Azod%404.0.0/src/retry.ts?revision=4.0.0%2Baa11#L1)",
    ],
    [
      "after a backslash",
      "\\[[npm:zod@4.0.0:src/retry.ts#L1]]",
      "\\\\[src/retry.ts:1](citewell:/npm%3Azod%404.0.0/src/retry.ts?revision=4.0.0%2Baa11#L1)",
    ],
  ])("%s", async (_, source, expected) => {
    expect((await run(source)).delta).toBe(expected);
  });

  test("hostile paths stay text", async () => {
    const paths = [
      "](javascript:alert(1))",
      "a%0A%23 b",
      "<script>x</script>",
      "a\u202Eb.ts",
      "**b**|`c`",
      "- x",
      "1. x",
      "_a_",
    ];
    const { delta } = await run(paths.map((file) => `[[demo:${file}#L1]]`).join("\n"));
    expect(delta).toMatchInlineSnapshot(`
      "\\](javascript:alert(1)):1 (missing: no such file)
      a # b:1 (missing: no such file)
      \\<script\\>x\\</script\\>:1 (missing: no such file)
      a‹U+202E›b.ts:1 (missing: no such file)
      \\*\\*b\\*\\*\\|\\\`c\\\`:1 (missing: no such file)
      \\- x:1 (missing: no such file)
      1\\. x:1 (missing: no such file)
      \\_a\\_:1 (missing: no such file)"
    `);
  });

  test("hostile paths that exist stay within their link", async () => {
    const paths = ["a](javascript:alert(1)).ts", "<b>.ts", "__init__.py", "a_b.ts", "x`y`.ts", "a|b\u202E.ts"];
    const hostile = fixture(paths.map((file) => `//- ${file}\nx\n`).join(""), { resource: "h" });
    const markers = paths.map((file) => formatMarker({ resource: "h", path: file, startLine: 1, endLine: 1 }));
    expect((await run(markers.join("\n"), [hostile])).delta).toMatchInlineSnapshot(`
      "[a\\](javascript:alert(1)).ts:1](citewell:/h/a%5D%28javascript%3Aalert%281%29%29.ts?revision=a67ccb9e7c59#L1) (not read in this run)
      [\\<b\\>.ts:1](citewell:/h/%3Cb%3E.ts?revision=a67ccb9e7c59#L1) (not read in this run)
      [\\_\\_init\\_\\_.py:1](citewell:/h/__init__.py?revision=a67ccb9e7c59#L1) (not read in this run)
      [a_b.ts:1](citewell:/h/a_b.ts?revision=a67ccb9e7c59#L1) (not read in this run)
      [x\\\`y\\\`.ts:1](citewell:/h/x%60y%60.ts?revision=a67ccb9e7c59#L1) (not read in this run)
      [a\\|b‹U+202E›.ts:1](citewell:/h/a%7Cb%E2%80%AE.ts?revision=a67ccb9e7c59#L1) (not read in this run)"
    `);
  });
});

describe("links that the model writes itself", () => {
  test.each([
    ["to the web stay", "[guide](https://example.com/a#L1) <https://example.com> me@example.com", undefined],
    [
      "of our scheme",
      "[src/a.ts:1-4](citewell:/demo/src/a.ts#L1-L4)",
      "[src/a.ts:1-4] (unchecked link: citewell:/demo/src/a.ts#L1-L4)",
    ],
    [
      "of our scheme, in disguise",
      "[a](<CiteWell&#58;/x>) [b](file\\:///x)",
      "[a] (unchecked link: <CiteWell&#58;/x>) [b] (unchecked link: file\\:///x)",
    ],
    ["of our scheme, where code may be", "` [a](file\\:///x)", "` [a] (unchecked link: file\\:///x)"],
    ["to a file", "[a](file:///etc/passwd)", "[a] (unchecked link: file:///etc/passwd)"],
    [
      "that run something",
      "[a](javascript:alert(1)) [b](command:x)",
      "[a] (unchecked link: javascript:alert(1)) [b] (unchecked link: command:x)",
    ],
    ["relative", "[src/a.ts:1-4](src/a.ts#L1)", "[src/a.ts:1-4] (unchecked link: src/a.ts#L1)"],
    ["images", "![x](https://example.com/?q=secret)", "![x] (unchecked link: https://example.com/?q=secret)"],
    [
      "by reference",
      "[a][1]\n\n[1]: file:///x\n[2]: https://example.com",
      "[a][1]\n\n[1] (unchecked link): file:///x\n[2]: https://example.com",
    ],
    [
      "in angle brackets",
      "<citewell:/x> <std::string> `<file:///x>`",
      "\\<citewell:/x> \\<std::string> `< file:///x>`",
    ],
    [
      "in angle brackets after an address, which would take in a backslash",
      "https://x.y<file:///x> www.x.y\\<citewell:/x> std::vector<std::string>",
      "https://x.y< file:///x> www.x.y\\< citewell:/x> std::vector\\<std::string>",
    ],
    ["of HTML", '<a href="citewell:/x">y</a> <abbr>z</abbr>', '\\<a href="citewell:/x">y</a> <abbr>z</abbr>'],
    ["code stays", "`handlers[i](req)` a(b) [x]: y\n```\n[a](./b)\n```", undefined],
    [
      "around a citation",
      "[see [[demo:x.ts#L1]]](https://example.com)",
      "[see x.ts:1 (missing: no such file)] (unchecked link: https://example.com)",
    ],
    ["to a citation", "[text]([[demo:x.ts#L1]])", "[text] (x.ts:1 (missing: no such file))"],
  ])("%s", async (_, source, expected) => {
    expect((await run(source)).delta).toBe(expected ?? source);
  });
});

describe("the stream", () => {
  test.each([
    "if [[ -f x ]]; then",
    'if [[ "$a" == b ]]; then',
    "[[1,2],[3,4]]",
    "[[Page]] [[Page#Section]] [[page|text]]",
    "[[:alpha:]_]",
    "df[[1:3]]",
    "[x] [[x",
    "[[demo:src/retry.ts#L",
    "[[]]",
  ])("what is no marker passes unchanged: %s", async (text) => {
    expect(await run(text)).toEqual({ delta: text, citations: [] });
  });

  test("text that cannot be part of a marker is passed on at once", async () => {
    const checker = checkCitations({ snapshots: all, ledger: createLedger() });
    const deltas = ["a [", "b] [[1, 2", "], [[demo:x.ts", '#L1 "q', '"]', "] c", " [["];
    const passed: string[] = [];
    for (const delta of deltas) passed.push((await checker.push(delta)).delta);
    passed.push((await checker.end()).delta);
    expect(passed).toEqual(["a ", "[b] ", "[[1, 2], ", "", "", "x.ts:1 (missing: no such file) c", " ", "[["]);
  });

  test("an open marker is given up after its longest length", async () => {
    const checker = checkCitations({ snapshots: all, ledger: createLedger() });
    const text = `[[demo:${"x".repeat(2000)}`;
    expect((await checker.push(text)).delta).toBe(text);
  });

  test("any split of the text gives the same text and the same citations", async () => {
    const parts = fc.oneof(fc.constantFrom(...markerParts, ...hostileParts), fc.string({ maxLength: 6 }));
    const property = fc.asyncProperty(
      fc.array(parts, { maxLength: 12 }).map((texts) => texts.join("")),
      fc.array(fc.nat(), { maxLength: 12 }),
      async (text, cuts) => {
        expect(await run(splitAt(text, cuts))).toEqual(await run(text));
        expect(await run(text.split(""))).toEqual(await run(text));
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test("no marker leaves, and nothing that a model writes becomes one of our links", async () => {
    const texts = fc.array(fc.constantFrom(...hostileParts), { maxLength: 16 });
    const property = fc.asyncProperty(
      texts.map((parts) => parts.join("")),
      async (text) => {
        const { delta } = await run(text);
        expect(delta).not.toContain("[[demo:x.ts#L1]]");
        expect(linksOf(delta).filter((href) => /^(?:citewell|file):/i.test(href))).toEqual([]);
      },
    );
    await fc.assert(property, { numRuns: 500 });
  });

  test("citations are numbered in the order of the text, also when pushes do not wait for each other", async () => {
    const checker = checkCitations({ snapshots: all, ledger: createLedger() });
    const [first, second] = await Promise.all([
      checker.push("[[demo:src/retry.ts#L1]] [[demo:x.ts#L1]] "),
      checker.push("[[demo:docs/guide.md#L1]]"),
    ]);
    expect([...first.citations, ...second.citations].map(({ id, path: file }) => `${id} ${file}`)).toEqual([
      "c1 src/retry.ts",
      "c2 x.ts",
      "c3 docs/guide.md",
    ]);
  });

  test("each citation's range holds exactly what was written for it, however the text is split", async () => {
    const parts = fc.oneof(
      fc.constantFrom(...markerParts, ...hostileParts),
      fc.string({ maxLength: 6, unit: "binary" }),
    );
    const property = fc.asyncProperty(
      fc.array(parts, { maxLength: 12 }).map((texts) => texts.join("")),
      fc.array(fc.nat(), { maxLength: 12 }),
      async (source, cuts) => {
        const { delta: text, citations } = await run(splitAt(source, cuts));
        for (const citation of citations) {
          const { start = 0, end = 0 } = citation.textRange ?? {};
          const written = text.slice(start, end);
          const href = /\]\(([^()\s]+)\)/.exec(written)?.[1];
          expect(href !== undefined).toBe(isLinked(citation));
          expect(written).toBe(citationText(citation, { href }));
        }
        const cut = cutAtCitations(text, citations);
        expect(cut.map((part) => part.text).join("")).toBe(text);
        expect(cut.flatMap(({ citation }) => citation ?? [])).toEqual(
          citations.filter(({ inCode }) => inCode !== true),
        );
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test("ranges are offsets into the whole text, also when pushes do not wait for each other", async () => {
    const checker = checkCitations({ snapshots: all, ledger: createLedger() });
    const parts = await Promise.all([
      checker.push("A [[demo:src/retry.ts#L1]], ![[demo:x.ts#L1, L2]] "),
      checker.push("and `[[demo:docs/guide.md#L1]]`"),
      checker.end(),
    ]);
    const text = parts.map(({ delta }) => delta).join("");
    const cited = parts.flatMap(({ citations }) => citations);
    const shown = cited.map(({ textRange, inCode }) => [text.slice(textRange?.start, textRange?.end), inCode]);
    expect(shown).toEqual([
      [`[src/retry.ts:1](https://git.example/demo/${commit}/src/retry.ts#L1-L1) (not read in this run)`, undefined],
      ["x.ts:1 (missing: no such file)", undefined],
      ["x.ts:2 (missing: no such file)", undefined],
      ["docs/guide.md:1 (not read in this run)", true],
    ]);
  });

  test("what is shown later counts for what is cited later", async () => {
    const ledger = createLedger();
    const checker = checkCitations({ snapshots: all, ledger });
    const before = await checker.push("[[demo:src/retry.ts#L1-L4]]");
    ledger.show({ resource: "demo", path: "src/retry.ts", startLine: 3, endLine: 4 });
    ledger.show({ resource: "demo", path: "src/retry.ts", startLine: 1, endLine: 2 });
    const after = await checker.push("[[demo:src/retry.ts#L1-L4]]");
    expect([...before.citations, ...after.citations].map(({ state }) => state)).toEqual(["not-read", "verified"]);
  });

  test("a cited file is read once", async () => {
    let reads = 0;
    const counting: Snapshot = {
      ...demo,
      read: (file, options) => {
        reads += 1;
        return demo.read(file, options);
      },
    };
    await run('[[demo:src/retry.ts#L1]] [[demo:src/retry.ts#L2 "delay"]] [[demo:src/retry.ts#L3]]', [counting]);
    expect(reads).toBe(1);
  });

  test("a file that has changed on disk is not read, and the answer goes on", async () => {
    const changed: Snapshot = {
      ...demo,
      read: async () => {
        throw new CitewellError("FileNotReadable", "src/retry.ts has changed on disk");
      },
    };
    expect(await check("[[demo:src/retry.ts#L1]]", [changed])).toEqual([
      "not-read demo src/retry.ts 1-1: src/retry.ts has changed on disk",
    ]);
  });

  test("a cancelled run stops checking", async () => {
    const controller = new AbortController();
    const checker = checkCitations({ snapshots: all, ledger: createLedger(), signal: controller.signal });
    await checker.push("Half a marker [[demo:src");
    controller.abort(new Error("cancelled"));
    await expect(checker.push("/retry.ts#L1]]")).rejects.toThrow("cancelled");
    expect((await checker.end()).delta).toBe("[[demo:src");
  });
});

const markerParts = [
  "demo:src/retry.ts:1-3",
  "[[#L1]]",
  "[[demo:src/retry.ts]]",
  "npm:zod",
  "[[demo:src/retry.ts#L1-L3]]",
  '[[demo:src/retry.ts#L1 "return [[wait"]]',
  "[[demo:app/[slug]/page (1).ts#L1]]",
  "[[demo:src/[x]/y.ts#L1]]",
  "[[demo:a.ts#L1, L2]]",
];
const linkParts = [
  "[",
  "]",
  "(",
  ")",
  "](",
  "![",
  "]: ",
  "[a]: ",
  "citewell:/x",
  "file:///x",
  "citewell&#58;/x",
  "https://x.y",
];
const textParts = [
  "a",
  "é",
  "😀",
  '"',
  ":",
  " ",
  "\n",
  "\n\n",
  "    ",
  "- ",
  "> ",
  "`",
  "```",
  "~~~\n",
  "\\",
  "<",
  "<a ",
  ">",
  "!",
];
const hostileParts = ["[[demo:x.ts#L1]]", ...linkParts, ...textParts];

function splitAt(text: string, cuts: readonly number[]): string[] {
  const places = cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b);
  return [0, ...places].map((place, index) => text.slice(place, places[index] ?? text.length));
}

/** Reads it with a real parser. */
function linksOf(markdown: string): string[] {
  return marked.lexer(markdown).flatMap(hrefsOf);
}

function hrefsOf(token: Token): string[] {
  const own = "href" in token && typeof token.href === "string" && token.type !== "def" ? [token.href] : [];
  const inner = "tokens" in token ? (token.tokens ?? []) : [];
  const items = "items" in token && Array.isArray(token.items) ? token.items : [];
  return [...own, ...[...inner, ...items].flatMap(hrefsOf)];
}
