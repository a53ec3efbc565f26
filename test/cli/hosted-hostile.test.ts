import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { runCli } from "../support/cli.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type CommittedFile, type GitServer, startGitServer } from "../support/git-server.ts";
import { type HostedNode, startNode } from "../support/hosted-node.ts";
import { testEngines } from "../support/stores.ts";

// A hostile repository takes a while to fetch and index on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

/** The heap of the service in MB; the texts of the hostile repository have more. */
const heapMb = 80;
const longLine = `${"a=1;".repeat(1_800_000)}\n`;
const longFiles = 12;
const trap = `const trap = "${"a".repeat(50)}!";\n`;

/** What its files would do to a reader that recurses, keeps all of a text, or follows links. */
const hostileFiles: Record<string, CommittedFile> = {
  ...Object.fromEntries(Array.from({ length: longFiles }, (_, n) => [`min/bundle${n}.js`, `// ${n}\n${longLine}`])),
  ...Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`many/${n}.ts`, `export const many${n} = ${n};\n`])),
  "words.txt": Array.from({ length: 200_000 }, (_, n) => `w${((n * 2_654_435_761) % 2 ** 32).toString(36)}`).join(" "),
  "deep.json": `${"[".repeat(400_000)}${"]".repeat(400_000)}`,
  "deep.ts": `const deep = ${"(".repeat(200_000)}1${")".repeat(200_000)};\n`,
  "blocks.ts": `${"{\n".repeat(100_000)}${"}\n".repeat(100_000)}`,
  "classes.ts": Array.from({ length: 5000 }, (_, n) => `class A${n} {\n  m${n}() {\n`).join(""),
  "quotes.md": `${">".repeat(200_000)} hello\n${"# h\n".repeat(50_000)}`,
  "trap.ts": trap,
  loop: { link: "loop" },
  outside: { link: "../../../../../../../../etc/passwd" },
};

const tooLong = {
  isError: false,
  results: [],
  skipped: expect.arrayContaining([
    expect.objectContaining({ path: "trap.ts", reason: expect.stringMatching(/too long/) }),
  ]),
};

const Reply = z.object({
  result: z.object({
    isError: z.boolean(),
    content: z.array(z.object({ text: z.string() })),
    structuredContent: z.record(z.string(), z.unknown()).optional(),
  }),
});

let git: GitServer;
beforeAll(async () => {
  git = await startGitServer();
  await git.commit("hostile", hostileFiles);
  await git.commit("lib", { "retry.ts": "export const retries = 3;\n" });
});
afterAll(() => git[Symbol.asyncDispose]());

describe.each(testEngines())("POST /api/mcp on $name, with little memory", (engine) => {
  let folder: Folder;
  let node: HostedNode;
  let attacker: string;
  let neighbour: string;
  beforeAll(async () => {
    folder = await temporaryFolder();
    await folder.write(`//- .home/citewell.config.jsonc\n{ "allowHosts": ["localhost"] }\n`);
    const location = await engine.createDatabase();
    const place = "url" in location ? ["--database", location.url] : [];
    // A busy machine takes longer than the default.
    node = await startNode(folder, ["--deadline", "250", ...place], {
      SSL_CERT_FILE: git.caFile,
      NODE_EXTRA_CA_CERTS: git.caFile,
      NODE_OPTIONS: `--max-old-space-size=${heapMb}`,
    });
    attacker = (await node.printed(3)).find((line) => line.startsWith("cw_")) ?? "";
    const inFolder = { cwd: folder.path };
    const scopes = ["ask", "read", "manage"].flatMap((scope) => ["--scope", scope]);
    await runCli(["hosted", "project", "create", "other", ...place], inFolder);
    const created = await runCli(
      ["hosted", "key", "create", "agent", "--project", "other", ...scopes, ...place],
      inFolder,
    );
    neighbour = created.stdout.trim();
    await add(neighbour, "lib");
    await add(attacker, "hostile");
    await untilReady(neighbour);
    await untilReady(attacker);
  });
  afterAll(async () => {
    await node[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  });

  async function call(key: string, tool: string, args: object = {}) {
    const response = await node.send(key, tool, args);
    expect([tool, response.status]).toEqual([tool, 200]);
    const { isError, content, structuredContent = {} } = Reply.parse(await response.json()).result;
    return { isError, text: content.map(({ text }) => text).join("\n"), ...structuredContent };
  }
  const add = (key: string, name: string) => call(key, "addResource", { type: "git", name, url: git.url(name) });
  const untilReady = (key: string) =>
    vi.waitFor(async () => expect(await call(key, "listResources")).toMatchObject(readyList), {
      timeout: 400_000,
      interval: 500,
    });
  const readyList = { resources: [{ state: "ready", fetch: { state: "ready", failure: null } }] };

  /** A project that shares nothing with the attacker's gets right answers. */
  async function expectNeighbourServed(): Promise<void> {
    expect(await call(neighbour, "search", { query: "retries", mode: "exact" })).toMatchObject({
      isError: false,
      results: [{ resource: "lib", path: "retry.ts" }],
    });
    expect(await call(neighbour, "ask", { question: "What are retries?" })).toMatchObject({
      isError: false,
      citations: [{ path: "retry.ts", state: "verified" }],
    });
    expect(await node.readiness()).toBe(200);
  }

  test("a repository with more text than the heap, deep nesting and 2,000 files is searched, read and asked about", async () => {
    const calls: [string, object, boolean][] = [
      ["search", { query: "what is many1234", limit: 3 }, false],
      ["search", { query: "a=1", mode: "exact" }, false],
      ["search", { query: "absent", mode: "references" }, false],
      ["read", { resource: "hostile", path: "min/bundle3.js" }, false],
      ["read", { resource: "hostile", path: "deep.json" }, false],
      ["read", { resource: "hostile", path: "loop" }, true],
      ["read", { resource: "hostile", path: "outside" }, true],
      ["verify", { text: "See hostile:min/bundle3.js:2 and hostile:deep.json:1." }, false],
      ["ask", { question: "How do the bundles set a=1 in deep.json and deep.ts?" }, false],
    ];
    const results = await Promise.all(
      calls.map(async ([tool, args, isError]) => {
        const result = await call(attacker, tool, args);
        expect({ args, ...result }).toMatchObject({ args, isError });
        return result;
      }),
    );
    // A minified line is cut, not sent.
    expect(Math.max(...results.map(({ text }) => text.length))).toBeLessThan(64_000);
    expect(await call(attacker, "search", { query: "many1234 =", mode: "exact" })).toMatchObject({
      results: [{ path: "many/1234.ts" }],
    });
    expect(await call(attacker, "search", { query: "A17", mode: "definition" })).toMatchObject({
      results: [{ path: "classes.ts" }],
    });
    expect(await call(attacker, "ask", { question: "What is `many1234`?" })).toMatchObject({
      citations: [{ path: "many/1234.ts", state: "verified" }],
    });
    await expectNeighbourServed();
  });

  test.each([
    ["that does not end", "(a+)+$", tooLong],
    ["that does not end, with a look-ahead", "(?=(a+))*\\1{50}!$x", { isError: false }],
    ["with large repetitions", `${"(".repeat(5)}a${"{0,99})".repeat(5)}{0,99}x$`, { isError: false, results: [] }],
    ["of many Unicode classes", "\\p{L}{1000}".repeat(20), { isError: false, results: [] }],
    ["that is nested deeply", `${"(".repeat(450)}trap${")".repeat(450)}`, { isError: false }],
    ["that is too long", "x".repeat(5000), { isError: true, text: expect.stringContaining("the limit is 1000") }],
    ["that is not closed", "(", { isError: true, text: expect.stringContaining("unterminated group") }],
  ])("an expression %s is answered", async (_name, query, expected) => {
    expect(await call(attacker, "search", { query, mode: "regex", glob: "trap.ts" })).toMatchObject(expected);
    expect(await node.readiness()).toBe(200);
  });

  test("while a project sends expressions that do not end, another one is served", async () => {
    const bomb = { query: "(a+)+$", mode: "regex" };
    const bombs = Array.from({ length: 6 }, () => call(attacker, "search", bomb));
    await expectNeighbourServed();
    for (const result of await Promise.all(bombs)) expect(result).toMatchObject({ isError: false, results: [] });
    await expectNeighbourServed();
  });
});
