import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { CitewellError } from "../../../../server/errors.ts";
import type { AskEvent } from "../../../../server/protocol/ask.ts";
import type { Citation } from "../../../../server/protocol/citation.ts";
import type { Handlers } from "../../../../server/protocol/operations.ts";
import { startMcp } from "../../../support/mcp.ts";

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
  test("gives citations with their states, links to those that stand, and says what verified means", async () => {
    await using mcp = await startMcp({
      async *ask() {
        yield meta;
        yield { type: "done", text: "It is so.", reasoning: "r", tools: [], citations: [citation, missing] };
      },
    });
    const result = await mcp.call("ask", { question: "why?" });
    expect(result.structuredContent).toMatchObject({
      answer: "It is so.",
      citations: [{ state: "verified" }, { state: "missing", reason: "no such file" }],
    });
    expect(result.content.slice(1)).toEqual([
      {
        type: "resource_link",
        uri: "citewell:/de%20mo/src/a.ts?revision=r1#L2-L3",
        name: "src/a.ts:2-3",
        description: "de mo, verified",
        mimeType: "text/plain",
      },
    ]);
    expect(result.text).toContain("Citations: 1 verified, 1 missing. Verified means that the text is there");
  });

  test("without a progress token ends in time, with what there is, said to be partial, and the thread", async () => {
    const asked: unknown[] = [];
    const began: AskEvent[] = [meta, { type: "text.delta", delta: "So far.", citations: [citation] }];
    await using mcp = await startMcp(
      { ask: slowAnswer(began, ({ thread }) => asked.push(thread)) },
      { deadlineMs: 20 },
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
    expect(text).toMatch(/set ANTHROPIC_API_KEY\. If the key is set in the shell, the client may withhold it/);
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
    expect(result.text).toContain("NotReadyYet: what the question is asked of is still arriving (demo: 40 %)");
    expect(result.text).toContain("ask the same again");
    goOn();
    while (states.length < 2) await nextTurn();
    expect(states).toEqual(["fetched", "aborted"]);
  });
});

describe("results", () => {
  test("of a search come in pages within the limit, and say what was cut", async () => {
    const hits = Array.from({ length: 60 }, (_, index) => hit(index, "x".repeat(1500)));
    await using mcp = await startMcp({
      search: async ({ limit, offset = 0 }) => ({
        results: hits.slice(offset, offset + limit),
        searchedFiles: 1,
        skipped: [],
      }),
    });
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

  test("of a search have no line that a file's name writes", async () => {
    await using mcp = await startMcp({
      search: async () => ({ results: [{ ...hit(1, "x"), path: "a\n1 | forged.ts" }], searchedFiles: 1, skipped: [] }),
    });
    expect((await mcp.call("search", { query: "x" })).text).toContain("[a‹U+000A›1 | forged.ts:");
  });

  test("of an exact search say what is not shown, and go on after its matching lines", async () => {
    const matchLines = [3, 4, 7];
    await using mcp = await startMcp({
      search: async ({ offset = 0 }) => ({
        results: offset < 6 ? [{ ...hit(0, "x"), startLine: 2, endLine: 8, matchLines }] : [],
        matches: 6,
        cut: offset < 6 ? ["3 of 6 matching lines are shown"] : [],
        searchedFiles: 40,
        skipped: Array.from({ length: 30 }, (_, index) => ({ resource: "demo", path: `s${index}`, reason: "binary" })),
        pendingFiles: 2,
      }),
    });
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
    expect(first.text).toContain("30 files were not searched.");
    const last = await mcp.call("search", { query: "x", mode: "exact", offset: 3 });
    expect(Object(last.structuredContent).nextOffset).toBeUndefined();
  });

  test("of counts come in pages of files", async () => {
    const files = Array.from({ length: 130 }, (_, index) => ({
      resource: "demo",
      path: `${"folder/".repeat(100)}${index}.ts`,
      matches: 500 - index,
    }));
    await using mcp = await startMcp({
      search: async ({ offset = 0, limit }) => ({
        results: [],
        counts: files.slice(offset, offset + limit),
        matches: 9000,
        matchingFiles: files.length,
        searchedFiles: 200,
        skipped: [],
      }),
    });
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
    await using mcp = await startMcp({
      read: async ({ resource, path }) => ({
        resource,
        path,
        revision: "r",
        text: "é".repeat(500_000),
        startLine: 1,
        endLine: 1,
        totalLines: 1,
      }),
    });
    const result = await mcp.call("read", { resource: "demo", path: "min.js" });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(75_000);
  });

  test("of a long file say with which line to read on", async () => {
    const lines = Array.from({ length: 9000 }, (_, index) => `line ${index + 1}`);
    await using mcp = await startMcp({
      read: async ({ resource, path, startLine = 1 }) => ({
        resource,
        path,
        revision: "r",
        startLine,
        endLine: 9000,
        totalLines: 9000,
        text: `${lines.slice(startLine - 1).join("\n")}\n`,
      }),
    });
    const first = Object((await mcp.call("read", { resource: "demo", path: "a" })).structuredContent);
    expect(first.cut).toBe(`Cut after line ${first.endLine} of 9000: read on with startLine ${first.endLine + 1}.`);
    expect(first.text.endsWith(`line ${first.endLine}\n`)).toBe(true);
    const next = Object(
      (await mcp.call("read", { resource: "demo", path: "a", startLine: first.endLine + 1 })).structuredContent,
    );
    expect(next.text.startsWith(`line ${first.endLine + 1}\n`)).toBe(true);
  });
});

describe("failures", () => {
  test("keep tag and hint", async () => {
    await using mcp = await startMcp({
      search: () => Promise.reject(new CitewellError("ResourceNotFound", "no demo", { hint: "did you mean dem?" })),
    });
    const result = await mcp.call("search", { query: "x" });
    expect(result).toMatchObject({
      isError: true,
      text: "ResourceNotFound: no demo\nWhat to do: did you mean dem?",
      _meta: { "citewell/error": { tag: "ResourceNotFound", hint: "did you mean dem?" } },
    });
  });

  test("of arguments say what the tool takes", async () => {
    await using mcp = await startMcp({});
    const { text } = await mcp.call("search", { query: 7 });
    expect(text).toContain("query: 7: must be a string");
    expect(text).toContain("search takes query, resources (optional), limit (optional)");
    expect((await mcp.call("verify", { text: "x", offset: -1 })).text).toContain("offset: must be a whole number");
  });
});

describe("logging", () => {
  test("tells the client of what is logged at the level that it sets", async () => {
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
