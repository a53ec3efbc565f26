import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import type { AskEvent } from "../../../../server/protocol/ask.ts";
import type { Citation } from "../../../../server/protocol/citation.ts";
import type { Handlers } from "../../../../server/protocol/operations.ts";
import type { SearchHit } from "../../../../server/protocol/search.ts";
import { config, startMcp } from "../../../support/mcp.ts";

const meta: AskEvent = {
  type: "meta",
  model: { provider: "p", model: "m" },
  resources: ["demo"],
  collection: { key: "demo", path: "/x" },
  snapshots: [],
};
const citation: Citation = {
  id: "c1",
  resource: "de mo",
  path: "src/a.ts",
  startLine: 2,
  endLine: 3,
  state: "verified",
  revision: "r1",
};
const missing: Citation = { ...citation, id: "c2", path: "gone.ts", state: "missing", reason: "no such file" };

function hit(index: number, preview: string) {
  const place = { resource: "demo", path: `f${index}.ts`, startLine: 1, endLine: 1, revision: "r" };
  return { ...place, score: 1, kind: "code" as const, preview };
}

afterEach(() => void vi.useRealTimers());

/** An answer that begins and then waits for its end. */
function slowAnswer(began: AskEvent[], onRequest: (request: { thread?: string | undefined }) => void): Handlers["ask"] {
  return async function* ask(request, { signal } = {}) {
    onRequest(request);
    for (const event of began) yield event.type === "meta" ? { ...event, thread: "t1" } : event;
    await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  };
}

describe("ask", () => {
  test("gives citations with their states and places that a terminal opens, and says what verified means", async () => {
    const label = "demo 1.2.3, installed in node_modules";
    const snapshot = { resource: "de mo", type: "npm" as const, revision: "1.2.3+0123456789abcdef", label };
    const counts = { fetchedAt: null, fileCount: 1, skippedCount: 0 };
    const link = "[src/a.ts:2-3](file:///w/node_modules/demo/src/a.ts#L2-L3)";
    const text = `So (${link}), gone.ts:2-3 (missing: no such file).`;
    const located = { ...citation, textRange: { start: 4, end: 4 + link.length } };
    await using mcp = await startMcp(
      {
        async *ask() {
          yield { ...meta, snapshots: [{ ...snapshot, ...counts, directory: "/w/node_modules/demo" }] };
          yield { type: "done", text, reasoning: "r", tools: [], citations: [located, missing] };
        },
      },
      { cwd: "/w" },
    );
    const result = await mcp.call("ask", { question: "why?" });
    expect(result.content).toHaveLength(1);
    expect(result.text).toMatchInlineSnapshot(`
      "So (node_modules/demo/src/a.ts:2-3), gone.ts:2-3 (missing: no such file).

      2 citations: 1 verified, 1 missing. Verified means that the text is there and was read in this run, not that the claim is true.
      Read: demo 1.2.3, installed in node_modules."
    `);
  });

  test("without a model gives the passages of search, and says to prefer it", async () => {
    const asked: unknown[] = [];
    const provider = "builtin";
    await using mcp = await startMcp({
      getConfig: async () => ({ ...config, provider }),
      async search(request) {
        asked.push(request);
        return { results: [hit(1, "const a = 1;")], searchedFiles: 1, skipped: [] };
      },
    });
    const { text, isError } = await mcp.call("ask", { question: "why?", resources: ["demo"] });
    expect(isError).toBeUndefined();
    expect(asked).toMatchObject([{ query: "why?", resources: ["demo"], passageLines: 40 }]);
    expect(text).toMatch(/^Passages, not an answer: no model is connected\. Prefer search,[^\n]*\n\ndemo:f1\.ts:1 /);
    expect((await mcp.call("ask", { question: " " })).text).toContain("InvalidRequest: question: ");
  });

  test("that has no word of an answer in time gives the passages of search", async () => {
    await using mcp = await startMcp(
      {
        ask: slowAnswer([meta], () => {}),
        search: async () => ({ results: [hit(1, "const a = 1;")], searchedFiles: 1, skipped: [] }),
      },
      { deadlineMs: 20 },
    );
    const { text } = await mcp.call("ask", { question: "why?" });
    expect(text).toMatch(/^This answer is partial.*\n\nPassages that search found for the question:\n\ndemo:f1\.ts:1 /);
    expect(text).toContain("1|const a = 1;");
  });

  test("without a progress token ends in time, with what there is, said to be partial, and the thread", async () => {
    const asked: unknown[] = [];
    const began: AskEvent[] = [meta, { type: "text.delta", delta: "So far.", citations: [citation] }];
    await using mcp = await startMcp(
      { ask: slowAnswer(began, ({ thread }) => asked.push(thread)) },
      { deadlineMs: 20, structured: true },
    );
    const result = await mcp.call("ask", { question: "why?" });
    expect(asked).toEqual(["new"]);
    expect(result.isError).toBeUndefined();
    expect(result.text).toMatch(/^This answer is partial.*ask on in thread t1\.\n\nSo far\./);
    expect(result.structuredContent).toMatchObject({
      answer: "So far.",
      thread: "t1",
      partial: expect.stringContaining("partial"),
      citations: [{ state: "verified" }],
    });
  });

  test.each<[string, Partial<Handlers>, Record<string, unknown>, string]>([
    [
      "ask",
      {
        async *ask() {
          yield { ...meta, thread: "t1" };
          yield { type: "text.delta", delta: "So far." };
          await new Promise(() => {});
        },
      },
      { question: "why?" },
      "ask on in thread t1",
    ],
    ["search", { search: () => new Promise(() => {}) }, { query: "x" }, "NotReadyYet"],
  ])(
    "without one %s answers before 55 s, even when nothing stops what runs",
    async (name, handlers, input, expected) => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      await using mcp = await startMcp(handlers);
      let text = "";
      const call = mcp.call(name, input).then((result) => (text = result.text));
      await vi.advanceTimersByTimeAsync(54_999);
      expect(text).toContain(expected);
      await call;
    },
  );

  test.each([
    [{ question: "why?" }, ["t1"], false],
    [{ question: "why?", thread: "t1" }, [], true],
  ])("without one, %j answered in time deletes %j, and names a thread: %s", async (input, expected, isNamed) => {
    const deleted: string[] = [];
    await using mcp = await startMcp({
      async *ask() {
        yield { ...meta, thread: "t1" };
        yield { type: "done", text: "It is so.", reasoning: "", tools: [], citations: [] };
      },
      deleteThread: async ({ id }) => {
        deleted.push(id);
        return { success: true, id };
      },
    });
    const { text } = await mcp.call("ask", input);
    expect(deleted).toEqual(expected);
    expect(text.includes("Thread: t1")).toBe(isNamed);
  });

  test("without a key says that the client may withhold it", async () => {
    await using mcp = await startMcp({
      async *ask() {
        yield* [];
        throw new CitewellError("ProviderNotConnected", "no key", { hint: "set ANTHROPIC_API_KEY" });
      },
    });
    const { text, isError } = await mcp.call("ask", { question: "why?" });
    expect(isError).toBe(true);
    expect(text).toMatch(/call search, then read: they need no model.*the client may withhold it/);
  });

  test("with one waits, and keeps nothing that was not asked for", async () => {
    const asked: unknown[] = [];
    const stop = new AbortController();
    await using mcp = await startMcp(
      { ask: slowAnswer([meta], ({ thread }) => asked.push(thread)) },
      { deadlineMs: 1 },
    );
    const call = mcp.client.callTool({ name: "ask", arguments: { question: "why?" } }, undefined, {
      onprogress: () => stop.abort("enough"),
      signal: stop.signal,
    });
    await expect(call).rejects.toThrow("enough");
    expect(asked).toEqual([undefined]);
  });

  test("that is still fetching says so, and lets the fetch go on", async () => {
    let goOn = () => {};
    const states: string[] = [];
    await using mcp = await startMcp(
      {
        async *ask(_request, { signal } = {}) {
          yield { type: "progress", resource: "demo", phase: "fetch", message: "40 %" };
          await new Promise<void>((resolve) => (goOn = resolve));
          states.push(signal?.aborted === true ? "aborted" : "fetched");
          yield meta;
          states.push(signal?.aborted === true ? "aborted" : "going on");
        },
      },
      { deadlineMs: 20 },
    );
    const result = await mcp.call("ask", { question: "why?" });
    expect(result.isError).toBe(true);
    expect(result.text).toContain("NotReadyYet: the resource is still being fetched (demo: 40 %)");
    expect(result.text).toContain("ask the same again");
    goOn();
    while (states.length < 2) await nextTurn();
    expect(states).toEqual(["fetched", "aborted"]);
  });
});

describe("results", () => {
  test("of a search come in pages within the limit, and say what was cut", async () => {
    const hits = Array.from({ length: 60 }, (_, index) => hit(index, "x".repeat(1500)));
    await using mcp = await startMcp(
      {
        search: async ({ limit, offset = 0 }) => ({
          results: hits.slice(offset, offset + limit),
          searchedFiles: 1,
          skipped: [],
        }),
      },
      { structured: true },
    );
    const seen: unknown[] = [];
    let offset: unknown = 0;
    while (typeof offset === "number") {
      const result = await mcp.call("search", { query: "x", limit: 60, offset });
      expect(JSON.stringify(result.content).length + JSON.stringify(result.structuredContent).length).toBeLessThan(
        75_000,
      );
      const { results, nextOffset, cut } = Object(result.structuredContent);
      seen.push(...results);
      if (nextOffset !== undefined) expect(result.text).toContain(cut);
      offset = nextOffset;
    }
    expect(seen).toEqual(hits);
  });

  test("of a search by default are as many passages as no client cuts, name the next, and say how many more there are", async () => {
    const asked: unknown[] = [];
    const lines = Array.from({ length: 20 }, (_, index) => `const value${index} = compute("${"x".repeat(30)}");`);
    const hits = Array.from({ length: 40 }, (_, index) => ({ ...hit(index, lines.join("\n")), endLine: 20 }));
    await using mcp = await startMcp({
      async search(request) {
        asked.push(request);
        const { limit, offset = 0 } = request;
        const more = hits.length > offset + limit ? { hasMore: true as const } : {};
        return { results: hits.slice(offset, offset + limit), ...more, searchedFiles: 1, skipped: [] };
      },
    });
    const { text, content } = await mcp.call("search", { query: "x" });
    expect(asked).toMatchObject([{ passageLines: 40 }]);
    expect(JSON.stringify(content).length).toBeLessThan(8000);
    const shown = text.match(/^20\|/gm)?.length ?? 0;
    expect(text.match(/^demo:f\d+\.ts:1-20 \(/gm)).toHaveLength(shown);
    expect(text.match(/^demo:f\d+\.ts:1-20$/gm)).toHaveLength(5);
    expect(text).toContain(`Passages 1 to ${shown} of at least 30: at least ${30 - shown} more.`);
    expect(text).toContain(`Call it again with offset ${shown} for more.`);
    expect((await mcp.call("search", { query: "x", offset: 36 })).text).toMatch(/^demo:f36\.ts:1-20 /);
    const more = await mcp.call("search", { query: "x", limit: 20 });
    expect(more.text.match(/^20\|/gm)?.length).toBeGreaterThan(15);
  });

  test.each<[string, Partial<SearchHit>[], number]>([
    ["a name that is looked up are its definitions", [{ isLookedUp: true }, { isLookedUp: true }, {}, {}], 2],
    [
      "words are the passages worth at least half of the best",
      [{}, { score: 0.5 }, { score: 0.49 }, { score: 0.4 }],
      2,
    ],
  ])("of a search for %s, and the names of others", async (_, hits, count) => {
    const scope = "Retry (lines 1-9) › next (lines 2-8)";
    const again = { reason: "matches y", path: "f2.ts", startLine: 7, endLine: 9, kind: "docs" as const };
    const given = [{ continuesTo: 80 }, {}, { reason: "matches x", scope }, again];
    const results = hits.map((one, index) => ({
      ...hit(index, "x"),
      ...given[index],
      ...one,
      url: `https://h/#L${index}`,
    }));
    await using mcp = await startMcp({ search: async () => ({ results, searchedFiles: 4, skipped: [] }) });
    const { text } = await mcp.call("search", { query: "x" });
    expect(text.match(/^1\|x$/gm)).toHaveLength(count);
    expect(text).toContain("demo) (goes on to line 80)\n1|x");
    expect(text).toContain("Also found, for read:\ndemo:f2.ts:1 in Retry › next; 7-9 docs, matches y\n\n");
    expect((await mcp.call("search", { query: "x", limit: 4 })).text.match(/^[17]\|x$/gm)).toHaveLength(4);
  });

  test("of a name list the places that use it by file and definition", async () => {
    const place = (path: string, line: number, scope?: string) => {
      const around = scope === undefined ? {} : { scope };
      return { resource: "demo", path, line, use: line === 1 ? ("imports" as const) : ("calls" as const), ...around };
    };
    const used = [
      place("a.ts", 4, "Retry › next"),
      place("b.ts", 7),
      place("a.ts", 5, "Retry › next"),
      place("b.ts", 1),
    ];
    const asked: unknown[] = [];
    let uses = { name: "delay", total: 9, places: used };
    await using mcp = await startMcp({
      async search(request) {
        asked.push(request);
        return { results: [hit(0, "x")], uses, searchedFiles: 2, skipped: [] };
      },
    });
    const find = async () => (await mcp.call("search", { query: "delay", mode: "definition" })).text;
    expect(await find()).toMatch(/\n\nUsed, calls first, 4 of 9:\na\.ts:4,5 in Retry › next\nb\.ts:7; 1 \(import\)$/);
    uses = { ...uses, total: 2, places: [place("a.ts", 4), { ...place("a.ts", 6), resource: "other" }] };
    expect(await find()).toMatch(/\n\nUsed, calls first:\ndemo:a\.ts:4\nother:a\.ts:6$/);
    uses = { ...uses, total: 0, places: [] };
    expect(await find()).toMatch(/\n\ndelay is used nowhere else, by text\.$/);
    expect(asked).toMatchObject([{ uses: 10 }, { uses: 10 }, { uses: 10 }]);
  });

  test("of one passage that is too large end with a whole line", async () => {
    const lines = Array.from({ length: 41 }, (_, index) => `${index} ${"x".repeat(800)}`);
    const matchLines = [1, 41];
    const preview = lines.join("\n");
    await using mcp = await startMcp({
      search: async () => ({
        results: [{ ...hit(1, preview), endLine: 41, matchLines }],
        matches: 2,
        searchedFiles: 1,
        skipped: [],
      }),
    });
    const { text } = await mcp.call("search", { query: "x", mode: "exact", contextLines: 20 });
    expect(text.length).toBeLessThan(8000);
    expect(text).toMatch(/^demo:f1\.ts:1-8 \(demo, r\)\n1\|0 x+\n/);
    expect(text).toMatch(/\n8\|7 x{800}\n\n.*Cut after line 8: read on with startLine 9\. .*offset 1 for more/);
  });

  test.each<[string, Partial<SearchHit>, string]>([
    ["of a file in the working directory", { pathOnDisk: "/w/src/a b.ts" }, "file:///w/src/a%20b.ts#L1"],
    ["of a file with a plain path there", { pathOnDisk: "/w/src/f.ts" }, "src/f.ts:1"],
    ["of a file elsewhere on disk", { pathOnDisk: "/other/src/f.ts" }, "/other/src/f.ts:1"],
    ["of a commit", { url: "https://host/o/r/blob/c/f.ts#L1" }, "[f1.ts:1](https://host/o/r/blob/c/f.ts#L1)"],
    ["of a package that is not installed", { resource: "npm:zod" }, "npm:zod:f1.ts:1"],
    ["of a scoped one", { resource: "npm:@a/b" }, "[[npm:@a/b:f1.ts#L1]]"],
  ])("name a place %s as a client can open and verify can read it", async (_, place, expected) => {
    const results = [{ ...hit(1, "x"), ...place }];
    await using mcp = await startMcp(
      { search: async () => ({ results, searchedFiles: 1, skipped: [] }) },
      { cwd: "/w" },
    );
    expect((await mcp.call("search", { query: "x" })).text.split(" (")[0]).toBe(expected);
  });

  test.each<[string, Partial<SearchHit>, string]>([
    ["on disk", { pathOnDisk: "/w/src/a.ts" }, "src/a.ts (demo)"],
    ["of a commit", { url: "https://host/o/r/blob/c/a.ts#L1" }, "[a.ts](https://host/o/r/blob/c/a.ts) (demo)"],
    ["of a package that is not installed", { resource: "npm:zod" }, "npm:zod:a.ts (npm:zod, r)"],
    ["of a scoped one", { resource: "npm:@a/b" }, "[[npm:@a/b:a.ts]] (npm:@a/b, r)"],
  ])("of an exact search name a file %s once, and each definition above its lines", async (_, place, heading) => {
    const match = (line: number, preview: string, scope?: string) => {
      const lines = { startLine: line, endLine: line, matchLines: [line] };
      return { ...hit(0, preview), path: "a.ts", ...place, ...lines, ...(scope === undefined ? {} : { scope }) };
    };
    const results = [
      match(1, "retry;"),
      match(4, "  retry(1);", "next (lines 3-9)"),
      match(8, "  retry(2);", "next (lines 3-9)"),
      match(12, "retry(3);"),
      { ...match(5, "retry(4);"), path: "b.ts", pathOnDisk: "/w/src/b.ts" },
    ];
    await using mcp = await startMcp(
      { search: async () => ({ results, matches: 5, searchedFiles: 2, skipped: [] }) },
      { cwd: "/w" },
    );
    const { text } = await mcp.call("search", { query: "retry", mode: "exact" });
    expect(text.split("\n\n")).toEqual([
      `${heading}\n1|retry;\nin next (lines 3-9):\n4|  retry(1);\n8|  retry(2);\nat the top level:\n12|retry(3);`,
      expect.stringMatching(/^src\/b\.ts:5 .*\n5\|retry\(4\);$/),
      "5 lines in 2 files.",
    ]);
  });

  test("of a call with numbers beyond their limits say which were taken", async () => {
    const requests: unknown[] = [];
    const search = async (request: object) => {
      requests.push(request);
      return { results: [hit(1, "x")], searchedFiles: 1, skipped: [] };
    };
    await using mcp = await startMcp({ search }, { structured: true });
    const numbers = { limit: 500, contextLines: -1, offset: 7 };
    const { text, isError, structuredContent } = await mcp.call("search", { query: "x", mode: "exact", ...numbers });
    const said = "limit is at most 100: 100 was taken. contextLines is at least 0: 0 was taken.";
    expect(isError).toBeUndefined();
    expect(requests).toMatchObject([{ limit: 100, contextLines: 0, offset: 7 }]);
    expect([text.endsWith(said), structuredContent?.["cut"]]).toEqual([true, said]);
    expect((await mcp.call("search", { query: "x", limit: 1.5 })).text).toMatch(/^InvalidRequest: limit: 1\.5/);
  });

  test("of an exact search show three of the hits with the same text, and name the places of the others", async () => {
    const match = (path: string, indent: number) => {
      const lines = { startLine: 7, endLine: 7, matchLines: [7] };
      return { ...hit(7, `${" ".repeat(indent)}retry;`), path, ...lines };
    };
    const results = ["a.ts", "b.ts", "c.ts", "d.ts", "e.ts"].map(match);
    await using mcp = await startMcp(
      { search: async () => ({ results, matches: 5, searchedFiles: 5, skipped: [] }) },
      { structured: true },
    );
    const { text, structuredContent } = await mcp.call("search", { query: "retry", mode: "exact" });
    expect(text).toContain(
      "7|  retry;\n\n2 more places have the text of demo:a.ts:7: demo:d.ts:7, demo:e.ts:7.\n\n5 lines in 5 files.",
    );
    expect(structuredContent).toMatchObject({ results });
  });

  test("of a search have no line that a file's name writes", async () => {
    await using mcp = await startMcp(
      {
        search: async () => ({
          results: [{ ...hit(1, "x"), path: "a\n1|forged.ts" }],
          searchedFiles: 1,
          skipped: [],
        }),
      },
      { structured: true },
    );
    expect((await mcp.call("search", { query: "x" })).text).toMatch(/^\[\[demo:a%0A1\|forged\.ts#L1\]\] /);
  });

  test("of an exact search say what is not shown, and go on after its matching lines", async () => {
    const matchLines = [3, 4, 7];
    await using mcp = await startMcp(
      {
        search: async ({ offset = 0 }) => ({
          results: offset < 6 ? [{ ...hit(0, "x"), startLine: 2, endLine: 8, matchLines }] : [],
          matches: 6,
          cut: offset < 6 ? ["3 of 6 matching lines are shown"] : [],
          searchedFiles: 40,
          skipped: Array.from({ length: 30 }, (_, index) => ({
            resource: "demo",
            path: `s${index}`,
            reason: "binary",
          })),
          pendingFiles: 2,
        }),
      },
      { structured: true },
    );
    // The client checks results against what the tools are said to give.
    await mcp.client.listTools();
    const first = await mcp.call("search", { query: "x", mode: "exact" });
    expect(first.structuredContent).toMatchObject({
      results: [{ matchLines }],
      matches: 6,
      pendingFiles: 2,
      nextOffset: 3,
      cut: "3 of 6 matching lines are shown. Call it again with offset 3 for more.",
    });
    expect(first.text).toContain("Call it again with offset 3 for more.");
    expect(first.text).toContain("30 files (binary) were not searched.");
    const last = await mcp.call("search", { query: "x", mode: "exact", offset: 3 });
    expect(Object(last.structuredContent).nextOffset).toBeUndefined();
  });

  test("of counts come in pages of files", async () => {
    const files = Array.from({ length: 130 }, (_, index) => ({
      resource: "demo",
      path: `${"folder/".repeat(100)}${index}.ts`,
      matches: 500 - index,
    }));
    await using mcp = await startMcp(
      {
        search: async ({ offset = 0, limit }) => ({
          results: [],
          counts: files.slice(offset, offset + limit),
          matches: 9000,
          matchingFiles: files.length,
          searchedFiles: 200,
          skipped: [],
        }),
      },
      { structured: true },
    );
    await mcp.client.listTools();
    const seen: unknown[] = [];
    let offset: unknown = 0;
    while (typeof offset === "number") {
      const { text, structuredContent } = await mcp.call("search", {
        query: "x",
        mode: "exact",
        counts: true,
        limit: 100,
        offset,
      });
      expect(JSON.stringify(structuredContent).length + text.length).toBeLessThan(75_000);
      expect(text).toContain(`${offset}.ts: ${500 - offset} lines`);
      const { counts, nextOffset } = Object(structuredContent);
      seen.push(...counts);
      offset = nextOffset;
    }
    expect(seen).toEqual(files);
  });

  test("of one enormous line are still within the limit", async () => {
    await using mcp = await startMcp(
      {
        read: async ({ resource = "", path }) => ({
          resource,
          path,
          revision: "r",
          text: "é".repeat(500_000),
          startLine: 1,
          endLine: 1,
          totalLines: 1,
        }),
      },
      { structured: true },
    );
    const result = await mcp.call("read", { resource: "demo", path: "min.js" });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(75_000);
  });

  test("of a long file say with which line to read on", async () => {
    const lines = Array.from({ length: 9000 }, (_, index) => `line ${index + 1}`);
    await using mcp = await startMcp(
      {
        read: async ({ resource = "", path, startLine = 1 }) => ({
          resource,
          path,
          revision: "r",
          startLine,
          endLine: 9000,
          totalLines: 9000,
          text: `${lines.slice(startLine - 1).join("\n")}\n`,
        }),
      },
      { structured: true },
    );
    const first = Object((await mcp.call("read", { resource: "demo", path: "a" })).structuredContent);
    expect(first.cut).toBe(`Cut after line ${first.endLine} of 9000: read on with startLine ${first.endLine + 1}.`);
    expect(first.text.endsWith(`line ${first.endLine}\n`)).toBe(true);
    const next = Object(
      (await mcp.call("read", { resource: "demo", path: "a", startLine: first.endLine + 1 })).structuredContent,
    );
    expect(next.text.startsWith(`line ${first.endLine + 1}\n`)).toBe(true);
  });

  test("of a long file are 20 KB, unless lines are named", async () => {
    const text = "const value = 1;\n".repeat(3000);
    await using mcp = await startMcp({
      read: async ({ resource = "" }) => {
        return { resource, path: "a.ts", revision: "r", text, startLine: 1, endLine: 3000, totalLines: 3000 };
      },
    });
    const whole = await mcp.call("read", { resource: "demo", path: "a.ts" });
    expect(Buffer.byteLength(whole.text)).toBeLessThan(20_200);
    expect(whole.text).toMatch(/\n\nCut after line (\d+) of 3000: read on with startLine \d+\.$/);
    for (const lines of [{ startLine: 1 }, { around: 7 }, { path: "a.ts:1-3000" }]) {
      const { text: wanted } = await mcp.call("read", { resource: "demo", path: "a.ts", ...lines });
      expect(Buffer.byteLength(wanted)).toBeGreaterThan(40_000);
    }
  });

  test("of several ranges have one heading, and are cut within a range", async () => {
    const range = (startLine: number, endLine: number) => ({ startLine, endLine });
    const numbered = ({ startLine, endLine }: { startLine: number; endLine: number }) => {
      return Array.from({ length: endLine - startLine + 1 }, (_, index) => `line ${startLine + index}`);
    };
    let ranges = [range(2, 3), range(9, 9)];
    await using mcp = await startMcp(
      {
        read: async ({ resource = "" }) => {
          const text = ranges.flatMap(numbered).join("\n");
          const place = {
            startLine: ranges[0]?.startLine ?? 1,
            endLine: ranges.at(-1)?.endLine ?? 1,
            totalLines: 9000,
          };
          return { resource, path: "a.ts", revision: "r", text, ...place, ranges };
        },
      },
      { structured: true },
    );
    const few = await mcp.call("read", { resource: "demo", path: "a.ts:2-3,9" });
    expect(few.text).toBe("demo:a.ts (demo, r)\n2|line 2\n3|line 3\n9|line 9");
    ranges = [range(1, 2), range(11, 8000)];
    const { structuredContent, text } = await mcp.call("read", { resource: "demo", path: "a.ts:1-2,11-8000" });
    const cut = Object(structuredContent);
    expect(cut.ranges).toEqual([range(1, 2), range(11, cut.endLine)]);
    expect(cut.endLine).toBeLessThan(8000);
    expect(text).toContain(`\n${cut.endLine}|line ${cut.endLine}\n\nCut after line ${cut.endLine} of 9000`);
  });
});

describe("structured results", () => {
  test.each([
    ["of a client that asks for them", { "citewell/structured": {} }, true],
    ["of another client", {}, false],
  ])("%s", async (_, experimental, isStructured) => {
    await using mcp = await startMcp(
      { listResources: async () => ({ resources: [] }) },
      { capabilities: { experimental } },
    );
    const { tools } = await mcp.client.listTools();
    expect(tools.every(({ outputSchema }) => (outputSchema !== undefined) === isStructured)).toBe(true);
    const { structuredContent } = await mcp.call("listResources");
    expect(structuredContent).toEqual(isStructured ? { resources: [] } : undefined);
  });
});

describe("failures", () => {
  test("keep tag and hint", async () => {
    await using mcp = await startMcp({
      search: () => Promise.reject(new CitewellError("VersionNotFound", "no demo", { hint: "the newest is 2" })),
    });
    const result = await mcp.call("search", { query: "x" });
    expect(result).toMatchObject({
      isError: true,
      text: "VersionNotFound: no demo\nWhat to do: the newest is 2",
      _meta: { "citewell/error": { tag: "VersionNotFound", hint: "the newest is 2" } },
    });
  });

  test("name a tool or an argument where the hint is a command for people", async () => {
    const hint = "run: citewell resources";
    await using mcp = await startMcp({
      search: () => Promise.reject(new CitewellError("ResourceNotFound", "no demo", { hint })),
    });
    const { text } = await mcp.call("search", { query: "x" });
    expect(text).not.toContain(hint);
    expect(text).toMatch(/What to do: name a package as npm:<package>.*listResources gives the configured names/);
  });

  test("of arguments say what the tool takes", async () => {
    await using mcp = await startMcp({});
    const { text } = await mcp.call("search", { query: 7 });
    expect(text).toContain("query: 7: must be a string");
    expect(text).toContain("search takes query, resources (optional), limit (optional)");
    expect((await mcp.call("verify", { text: "x", offset: 0.5 })).text).toContain("offset: must be a whole number");
  });
});

describe("logging", () => {
  test("sends the client log messages at the level that it sets", async () => {
    await using mcp = await startMcp({ listResources: async () => ({ resources: [] }) });
    const logged: unknown[] = [];
    mcp.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params));
    await mcp.call("listResources");
    expect(logged).toEqual([]);
    await mcp.client.setLoggingLevel("info");
    await mcp.call("listResources");
    expect(logged).toMatchObject([{ level: "info", logger: "citewell", data: expect.stringMatching(/^tool-called/) }]);
  });
});
