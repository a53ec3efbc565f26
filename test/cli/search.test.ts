import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { FileKind } from "../../server/protocol/search.ts";
import { version } from "../../package.json";
import { silentLog } from "../../server/lib/log.ts";
import { serveHttp } from "../../server/transports/http/http.ts";
import { runCli } from "../support/cli.ts";
import { runHere } from "../support/cli-here.ts";
import { localApp } from "../support/connect.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

const files = `
//- demo/src/retry.ts
export function retryWithBackoff(attempt: number) {
  return 100 * 2 ** attempt;
}
//- demo/src/other.ts
export const answer = "a.b(";

const near = "axb";
`.trimStart();

async function world() {
  const folder = await temporaryFolder(files);
  return {
    path: folder.path,
    run: (...args: string[]) => runHere(["search", ...args, "-r", "./demo"], { cwd: folder.path }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("ranked: the place, and the lines with their numbers", async () => {
  await using it = await world();
  const { code, stdout } = await it.run("retry backoff");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^demo\/src\/retry\.ts:1-3\n1 {2}export function retryWithBackoff[^]*\n3 {2}}\n/);
});

test("--exact takes every letter as it is, --regex does not", async () => {
  await using it = await world();
  const places = async (...args: string[]) => {
    const { stdout } = await it.run(...args, "--json");
    const { results, schemaVersion } = JSON.parse(stdout);
    expect(schemaVersion).toBe(1);
    return results.map((hit: { path: string; startLine: number }) => `${hit.path}:${hit.startLine}`);
  };
  expect(await places("--exact", "a.b(")).toEqual(["src/other.ts:1"]);
  expect(await places("--regex", '"a.b')).toEqual(["src/other.ts:1", "src/other.ts:3"]);
  expect(await places("--regex", '"a.b', "--limit", "1")).toEqual(["src/other.ts:1"]);
});

test("a name finds its definition, whole, and where it is used", async () => {
  await using it = await world();
  const defined = await it.run("--definition", "retryWithBackoff");
  expect(defined.stdout).toMatch(/^demo\/src\/retry\.ts:1-3\n1 {2}export function retryWithBackoff[^]*\n3 {2}}\n/);
  const used = await it.run("--references", "attempt");
  expect(used.stdout).toMatch(/^demo\/src\/retry\.ts:1-3\n/);
  expect(await it.run("--definition", "absentName")).toMatchObject({ code: 3, stdout: "" });
  expect(await it.run("--definition", "--references", "x")).toMatchObject({ code: 2 });
});

test("of an exact search: case, whole words, lines around, files, kinds, and the next page", async () => {
  await using it = await world();
  const shown = async (...args: string[]) => (await it.run("--exact", ...args)).stdout;
  expect(await shown("RETRYWITHBACKOFF", "-i", "-C", "1")).toMatch(
    /^demo\/src\/retry\.ts:1-2\n1 {2}export function .*\n2 {4}return 100 \* 2 \*\* attempt;\n$/,
  );
  expect(await shown("retry", "-w")).toBe("");
  expect(await shown("  ")).toMatch(/^demo\/src\/retry\.ts:2 in retryWithBackoff \(lines 1-3\)\n/);
  expect(await shown("export", "-g", "other.*")).toMatch(/^demo\/src\/other\.ts:1\n/);
  expect(await shown("export", "--kind", "docs", "--kind", "test")).toBe("");
  const { stdout, stderr } = await it.run("--exact", "export", "--limit", "1", "--offset", "1");
  expect(stdout).toMatch(/^demo\/src\/retry\.ts:1\n/);
  expect(stderr).toBe("1 of 2 matching lines is shown\n");
});

test("--count prints the matching lines of each file, the most first, and the total on standard error", async () => {
  await using it = await world();
  await writeFile(path.join(it.path, "demo/many.txt"), "export\n".repeat(12));
  expect(await it.run("--exact", "export", "--count")).toEqual({
    code: 0,
    stdout: "12  demo/many.txt\n 1  demo/src/other.ts\n 1  demo/src/retry.ts\n",
    stderr: "14 lines in 3 files\n",
  });
  const { stdout } = await it.run("--regex", "^exp", "-c", "--limit", "1", "--jsonl", "--quiet");
  expect(JSON.parse(stdout)).toMatchObject({ path: "many.txt", matches: 12 });
  const { code, stderr } = await it.run("--exact", "zebra", "--count");
  expect({ code, stderr }).toEqual({ code: 3, stderr: "nothing was found in 3 files\n" });
});

test("help names the kinds there are", async () => {
  const { stdout } = await runHere(["search", "--help"], { cwd: "." });
  for (const kind of FileKind.options) expect(stdout).toMatch(new RegExp(String.raw`--kind <kind>[^-]*\b${kind}\b`));
});

test("masks secrets and shows invisible characters, in context lines as well", async () => {
  await using it = await world();
  const body = "A1b2".repeat(16);
  const key = `-----BEGIN RSA PRIVATE KEY-----\n${body}\n${body}\n-----END RSA PRIVATE KEY-----\n`;
  await writeFile(path.join(it.path, "demo/key.pem"), key);
  await writeFile(path.join(it.path, "demo/x.ts"), `const aws = "AKIA${"Q".repeat(16)}"; // hid\u200bden\n`);
  expect((await it.run("--exact", "A1b2")).stdout).toMatch(/key\.pem:2-3\n2 {2}‹masked private key›\n3 {2}‹masked/);
  expect((await it.run("--exact", "const aws")).stdout).toContain('const aws = "‹masked AWS key›"; // hid‹U+200B›den');
});

test("--jsonl prints one result per line", async () => {
  await using it = await world();
  const { stdout } = await it.run("--exact", "export", "--jsonl");
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).path),
  ).toEqual(["src/other.ts", "src/retry.ts"]);
});

test("reports on standard error what the results leave out", async () => {
  await using it = await world();
  const { stdout, stderr } = await it.run("--regex", '"a.b', "--limit", "1");
  expect(stdout).toMatch(/^\S+:1\n/);
  expect(stderr).toBe("1 of 2 matching lines is shown\n--offset 1 shows the next\n");
  const { stdout: json } = await it.run("--regex", '"a.b', "--limit", "1", "--json");
  expect(JSON.parse(json)).toMatchObject({ cut: ["1 of 2 matching lines is shown"], hasMore: true });
});

test("says which of the passages are shown, and that more follow", async () => {
  await using it = await world();
  for (const name of ["b", "c"]) await writeFile(path.join(it.path, `demo/${name}.md`), `# Retry ${name}\n`);
  const notes = async (...args: string[]) => (await it.run("retry", ...args)).stderr;
  expect(await notes("--limit", "1")).toBe("the best passage is shown; --offset 1 shows the next\n");
  expect(await notes("--limit", "2")).toBe("the best 2 passages are shown; --offset 2 shows the next\n");
  expect(await notes("--limit", "1", "--offset", "1")).toBe("passage 2 is shown; --offset 2 shows the next\n");
  expect(await notes("--limit", "3")).toBe("");
  const more = async (limit: string) => JSON.parse((await it.run("retry", "--limit", limit, "--json")).stdout).hasMore;
  expect([await more("2"), await more("3")]).toEqual([true, undefined]);
});

test("of many files that are not searched, the first thousand are listed and all are counted", async () => {
  await using it = await world();
  const names = Array.from({ length: 1500 }, (_, number) => `link-${number}`);
  for (const name of names) await symlink("nowhere", path.join(it.path, "demo", name));
  const { stdout, stderr } = await it.run("--exact", "near", "--json");
  const { skipped, skippedFiles } = JSON.parse(stdout);
  expect([skipped.length, skippedFiles, stderr]).toEqual([1000, 1500, ""]);
  expect((await it.run("--exact", "near")).stderr).toBe(
    "1500 files (a link to nothing) were not searched; --json says which\n",
  );
});

test("found nothing ends with 3, and standard output is empty", async () => {
  await using it = await world();
  expect(await it.run("--exact", "nowhere at all")).toEqual({
    code: 3,
    stdout: "",
    stderr: "nothing was found in 2 files\n",
  });
});

test("what a ranked search cannot find, because it is no word, is not said to be absent", async () => {
  await using it = await world();
  await writeFile(path.join(it.path, "demo/map.ts"), "export const q = (value) => value;\n");
  for (const query of ["=>", "q"]) {
    expect(await it.run(query)).toMatchObject({ code: 3, stdout: "" });
    expect((await it.run(query)).stderr).toContain("an exact search finds this text on 1 line\n");
  }
});

test("without a match, reports what was searched and which files may be meant", async () => {
  await using it = await world();
  await symlink("nowhere", path.join(it.path, "demo/logo.svg"));
  const told = [
    "nothing was found in 2 files",
    "files of a similar name: demo/src/other.ts",
    "not searched: demo/logo.svg (a link to nothing); --json says which",
    "",
  ].join("\n");
  for (const search of [["othre"], ["--exact", "othre"], ["--regex", "\\bothre\\b"]]) {
    expect(await it.run(...search)).toEqual({ code: 3, stdout: "", stderr: told });
  }
  const { stdout } = await it.run("othre", "--json");
  expect(JSON.parse(stdout)).toMatchObject({ searchedFiles: 2, nearest: [{ path: "src/other.ts" }] });
});

test("a binary file is named once", async () => {
  await using it = await world();
  await writeFile(path.join(it.path, "demo/blob.dat"), Buffer.alloc(10));
  expect((await it.run("--exact", "nowhere at all")).stderr).toBe(
    "nothing was found in 2 files\nnot searched: demo/blob.dat (binary); --json says which\n",
  );
});

test("explains in one line why a file is not searched, for any target of a link", async () => {
  await using it = await world();
  await mkdir(path.join(it.path, "demo/a\nb"));
  await symlink("a\nb", path.join(it.path, "demo/link"));
  expect((await it.run("--exact", "nowhere at all")).stderr).toMatch(
    /^nothing was found in 2 files\nnot searched: demo\/link \(a link to a‹U\+000A›b, .*\n$/,
  );
});

test.each([
  [["--exact", "--regex", "x"], /cannot be used with/],
  [["x", "--limit", "0"], /It is a whole number, 1 or more/],
  [["x", "--limit", "101"], /limit: 101: must be at most 100/],
  [["x", "--limit", "999999999999"], /limit: 999999999999: must be at most 100/],
  [["x", "--offset", "9".repeat(30)], /offset: \d+: must be at most 10000/],
  [["x", "-i"], /go with --exact or --regex/],
  [["--exact", "x", "-c", "-C", "1"], /cannot be used with/],
  [["--exact", "x", "-C", "21"], /-C, --context: 21: must be at most 20/],
  [["x", "--kind", "prose"], /'prose' is invalid/],
  [["  "], /a query must not be empty/],
  [["--exact", ""], /a query must not be empty/],
  [["--regex", "("], /regular expression/i],
])("wrong usage: %j", async (args, message) => {
  await using it = await world();
  const { code, stdout, stderr } = await it.run(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(message);
});

test("in a terminal the place is set off", async () => {
  await using it = await world();
  const session = startInTerminal(["search", "retry backoff", "-r", "./demo"], { cwd: it.path });
  expect(await session.exit).toBe(0);
  expect(session.output()).toContain("\u001B[4;36m");
  expect(session.output()).toContain("src/retry.ts:1-3\u001B[0m");
});

test("--batch: a line of results for each line of the file, in its order", async () => {
  await using it = await world();
  await writeFile(
    path.join(it.path, "queries.ndjson"),
    '\uFEFF{"id":"a","query":"retry backoff"}\r\n\n{"id":2,"query":"nowhere to be found"}\n{"id":"c","query":"answer near"}',
  );
  const { code, stdout, stderr } = await it.run("--batch", "queries.ndjson", "--limit", "1");
  const lines = stdout.trim().split("\n");
  const found = lines.map((line) => JSON.parse(line));
  expect(found.map(({ id, results }) => [id, ...results.map((hit: { path: string }) => hit.path)])).toEqual([
    ["a", "src/retry.ts"],
    [2],
    ["c", "src/other.ts"],
  ]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test("--batch: a search goes on until every file is indexed, or it gets no further", async () => {
  await using it = await world();
  const pending = [{ pendingFiles: 5 }, { pendingFiles: 2 }, {}, { pendingFiles: 3 }, { pendingFiles: 3 }];
  await using app = localApp(it.path);
  const search: typeof app.search = async () => ({ results: [], searchedFiles: 1, skipped: [], ...pending.shift() });
  const server = await serveHttp({ app: { ...app, search }, version, port: 0, log: silentLog });
  const args = ["search", "--batch", "-", "--server", `http://127.0.0.1:${server.port}`];
  const stdin = '{"id":1,"query":"a"}\n{"id":2,"query":"a"}\n';
  const { stdout } = await runCli(args, { cwd: it.path, stdin });
  await server.close();
  expect(stdout).toBe('{"id":1,"results":[]}\n{"id":2,"results":[],"pendingFiles":3}\n');
});

test("--batch: reports an invalid line with its number and the reason of a failed search, and continues", async () => {
  await using it = await world();
  const stdin =
    'no JSON\n{"id":"a"}\n{"id":"b","query":"("}\n{"id":"c","query":"near"}\n{"id":"d","question":"x"}\n' +
    '{"id":"e","query":"x","limit":3}\n';
  const { code, stdout, stderr } = await runCli(["search", "--batch", "-", "--regex", "-r", "./demo"], {
    cwd: it.path,
    stdin,
  });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'line 1: not {"id": …, "query": "…"}\nline 2: not {"id": …, "query": "…"}\n' +
      "line 5: a search has no field `question`; did you mean `query`?\nline 6: a search has no field `limit`\n",
  });
  const [failed, found] = stdout.split("\n").map((line) => (line === "" ? undefined : JSON.parse(line)));
  expect(failed).toMatchObject({ id: "b", tag: "InvalidRequest" });
  expect(found).toMatchObject({ id: "c", results: [{ path: "src/other.ts", startLine: 3 }] });
});

test("--batch: a line without an end is refused where it is too long, and those before it are searched", async () => {
  await using it = await world();
  await writeFile(path.join(it.path, "queries.ndjson"), `{"id":"a","query":"near"}\n${"\0".repeat(3_000_000)}`);
  const { code, stdout, stderr } = await it.run("--batch", "queries.ndjson");
  expect(JSON.parse(stdout)).toMatchObject({ id: "a", results: [{ path: "src/other.ts" }] });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `error: line 2 of queries.ndjson is over the limit of 1 MB
hint: each line is one search: {"id": 1, "query": "retry policy"}
`,
  });
});

test.each([
  [["--batch", "gone.ndjson"], 2, /gone\.ndjson could not be read/],
  [["--batch", "demo"], 2, /demo could not be read/],
  [["--batch", "-", "words"], 2, /either a query or --batch/],
  [[], 2, /either a query or --batch/],
])("wrong usage of --batch: %j", async (args, expected, message) => {
  await using it = await world();
  const { code, stdout, stderr } = await it.run(...args);
  expect({ code, stdout }).toEqual({ code: expected, stdout: "" });
  expect(stderr).toMatch(message);
});

test.each([
  { args: ["x", "--kind", "codes"], said: /^error: option '--kind .*'codes' is invalid.*\nhint: citewell help search/ },
  { args: ["--exact", "x", "-C", "21"], said: /^error: -C, --context: 21: must be at most 20\n/ },
  {
    args: ["x", ...Array.from({ length: 24 }, (_, n) => ["-r", `npm:a${n}`]).flat()],
    said: /^error: -r, --resource: a list of 25: at most 20/,
  },
])("an invalid value is reported with the option as typed: %j", async ({ args, said }) => {
  await using it = await world();
  const { code, stderr } = await it.run(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(said);
});
