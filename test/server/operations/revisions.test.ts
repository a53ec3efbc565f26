import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, AskRequest, emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import { localApp } from "../../support/connect.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { scriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";
import { openRepository, type Repository } from "../../support/repository.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const one = "export function retry(times) {\n  return times > 0;\n}\n";
const two = "export function retry(times) {\n  return times > 1;\n}\n\nexport const limit = 3;\n";

/** Two commits: the second changes a line, adds a file of each odd kind, and removes one. */
async function changedRepository(): Promise<Repository & { first: string; second: string }> {
  const repository = await openRepository();
  const first = await repository.commit({
    message: "Add retry",
    files: { "src/retry.js": one, "gone.js": "gone();\n" },
    date: "2023-01-05",
    tags: ["v1.0.0"],
  });
  const second = await repository.commit({
    message:
      "Retry once more\n\nOne attempt is not enough (#12), says bob@example.com.\n\nReported-by: <x@example.com>",
    files: {
      "src/retry.js": two,
      "gone.js": null,
      "logo.png": new Uint8Array([0, 1, 2]),
      "latin.txt": new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]),
    },
    date: "2023-03-05",
    author: ["Bob", "bob@example.com"],
  });
  await writeFile(path.join(repository.path, "src/retry.js"), "export const now = 1;\n");
  return { ...repository, first, second };
}

interface AnswerOptions {
  calls: readonly object[];
  text: string;
  /** Beside the folder, which is `work`. */
  resources?: readonly object[];
  asked?: readonly string[];
  env?: Record<string, string>;
  thread?: string;
}

/** What an answer with this text comes to, after these calls of the history tool. */
async function answer(
  folder: string,
  { calls, text, resources = [], asked = ["work"], env, thread }: AnswerOptions,
): Promise<Answer> {
  const steps: ScriptedStep[] = [...calls.map((input) => ({ toolCalls: [{ name: "history", input }] })), text];
  await using model = await scriptedModel(steps);
  await mkdir(path.join(folder, ".home"), { recursive: true });
  const own = { type: "local", name: "work", path: folder };
  const config = { ...model.config, allowHosts: ["localhost"], resources: [own, ...resources] };
  await writeFile(path.join(folder, ".home/citewell.config.jsonc"), JSON.stringify(config));
  await using app = localApp(folder, env);
  let whole = emptyAnswer;
  const request = { question: "why?", resources: asked, ...(thread === undefined ? {} : { thread }) };
  for await (const event of app.ask(AskRequest.parse(request))) whole = foldAnswer(whole, event);
  return whole;
}

function told({ state, reason, commit, path: file, startLine, endLine }: Citation): string {
  const lines = file === "" ? "" : `:${file}#${startLine}-${endLine}`;
  return `${state}${commit === undefined ? "" : ` @`}${lines}${reason === undefined ? "" : `: ${reason}`}`;
}

describe("in an answer", () => {
  test("a commit, its lines, and the lines before it", async () => {
    await using repository = await changedRepository();
    const { first, second } = repository;
    const short = second.slice(0, 7);
    const markers: readonly [marker: string, expected: string][] = [
      [`[[work@${short}]]`, "verified @"],
      [`[[work@${second}]]`, "verified @"],
      [`[[work@main]]`, "verified @"],
      [`[[work@HEAD]]`, "verified @"],
      [`[[${second.slice(0, 12)}]]`, "verified @"],
      [`[[work@${short} "One attempt is not enough"]]`, "verified @"],
      [`[[work@${short} "Retry … enough (#12)"]]`, "verified @"],
      [`[[work@${short} "says bob@example.com"]]`, "verified @"],
      [`[[work@${short} "Two attempts"]]`, "mismatch @: the quoted text is not in the commit's message"],
      [`[[work@${short}:src/retry.js#L2]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${short}:src/retry.js#L2 "times > 1"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${short}^:src/retry.js#L2 "times > 0"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${first.slice(0, 7)}:src/retry.js#L2 "times > 0"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@v1.0.0:src/retry.js#L2 "times > 0"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${short}~1:gone.js#L1]]`, "verified @:gone.js#1-1"],
      // Without brackets, as our own labels are.
      [`work@${short}:src/retry.js:2`, "verified @:src/retry.js#2-2"],
      [`work@${short}^:src/retry.js#L2`, "verified @:src/retry.js#2-2"],
      // What was not shown, and what is not there.
      ["[[work@v1.0.0]]", "not-read @: the commit was not shown in this run"],
      [`[[work@${short}:src/retry.js#L1-L2]]`, "not-read @:src/retry.js#1-2: line 1 was not shown in this run"],
      [`[[work@${short}:src/retry.js#L9]]`, "out-of-range @:src/retry.js#9-9: the file has 5 lines"],
      [`[[work@${short}:gone.js#L1]]`, `missing @:gone.js#1-1: no such file at ${short}`],
      [
        `[[work@${short}:src/retry.js#L2 "times > 0"]]`,
        "mismatch @:src/retry.js#2-2: the quoted text is not in the file",
      ],
      [
        `[[work@${short}:retry.js#L2 "times > 1"]]`,
        "relocated @:src/retry.js#2-2: the path is src/retry.js, not retry.js",
      ],
      [`[[work@${short}:logo.png#L1]]`, `not-read @:logo.png#1-1: logo.png at ${short} is binary`],
      ["[[work@v9]]", 'missing @: no commit, branch or tag "v9" in this history'],
      ["[[work@abcdef1]]", 'missing @: no commit, branch or tag "abcdef1" in this history'],
      [
        `[[work@${second.slice(0, 6)}]]`,
        `missing @: ${second.slice(0, 6)} is too short for the id of a commit: give 7 digits`,
      ],
      // Words that git would read as something else.
      ...["--output=x", "-n1", "main..HEAD", "HEAD^{/Add}", "main@{1}", "^main", "HEAD^!"].map(
        (revision): [string, string] => [
          `[[work@${revision}]]`,
          `missing @: no commit, branch or tag ${JSON.stringify(revision)} in this history`,
        ],
      ),
    ];
    const calls = [{ commit: second }];
    const { citations, text } = await answer(repository.path, {
      calls,
      text: markers.map(([marker]) => `Said ${marker}.`).join("\n"),
    });
    expect(citations.map(told)).toEqual(markers.map(([, expected]) => expected));
    expect(text).not.toContain("[[");
    expect(JSON.stringify(citations)).not.toContain("@example.com");
    expect(citations[0]).toMatchObject({
      resource: "work",
      path: "",
      startLine: 0,
      endLine: 0,
      revision: second,
      commit: { id: short, subject: "Retry once more", date: "2023-03-05", author: "Bob" },
    });
    const lines = text.split("\n");
    expect(lines[0]).toBe(`Said [work@${short}](citewell:/work?revision=${second}).`);
    expect(lines[11]).toBe(
      `Said [work@${first.slice(0, 7)}:src/retry.js:2](citewell:/work/src/retry.js?revision=${first}#L2).`,
    );
    expect(lines[24]).toBe('Said work@v9 (missing: no commit, branch or tag "v9" in this history).');
  });
});

describe("what is read", () => {
  test("at most 50 revisions are opened", async () => {
    await using repository = await changedRepository();
    const markers = Array.from({ length: 60 }, (_, index) => `[[work@HEAD~${index}]]`);
    const { citations } = await answer(repository.path, { calls: [], text: markers.join(" ") });
    const notChecked = "not-read @: not checked: more than 50 other revisions are cited";
    expect(citations.filter((citation) => told(citation) === notChecked)).toHaveLength(10);
  });

  test("the beginning of several ids names no commit", async () => {
    await using repository = await openRepository();
    const commits = Array.from({ length: 2000 }, (_, index) => {
      const data = `Commit ${index}`;
      return `commit refs/heads/main\ncommitter A <a@example.com> ${index} +0000\ndata ${data.length}\n${data}\n`;
    });
    execFileSync("git", ["fast-import", "--quiet"], { cwd: repository.path, input: commits.join("") });
    const ids = repository.git("rev-list", "main").trim().split("\n");
    const starts = ids.map((id) => id.slice(0, 4));
    const twice = starts.find((start, index) => starts.indexOf(start) !== index) ?? "";
    const { citations } = await answer(repository.path, { calls: [], text: `[[work@${twice}]]` });
    expect(citations.map(told)).toEqual([`missing @: several ids begin with "${twice}"`]);
  });

  test("a submodule, a link, a broken encoding, and a folder below the repository", async () => {
    await using inner = await changedRepository();
    await using repository = await openRepository();
    repository.git("submodule", "--quiet", "add", inner.path, "modules/retry");
    await symlink("packages/a.js", path.join(repository.path, "link.js"));
    const outer = await repository.commit({
      message: "Add all",
      files: { "packages/a.js": "a();\n", "latin.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a]) },
    });
    const [of, within] = [outer.slice(0, 8), inner.second.slice(0, 8)];
    const markers = [
      [`[[work@${of}:modules/retry#L1]]`, "not-read @:modules/retry#1-1: a submodule"],
      [`[[work@${of}:link.js#L1]]`, "not-read @:link.js#1-1: a symbolic link"],
      [`[[work@${of}:latin.txt#L1 "café"]]`, "verified @:latin.txt#1-1"],
      [`[[work@${of}:packages#L1]]`, `missing @:packages#1-1: no such file at ${of.slice(0, 7)}`],
      [`[[work@${within}:modules/retry/src/retry.js#L2]]`, "verified @:modules/retry/src/retry.js#2-2"],
      [`[[work@${within}]]`, "verified @"],
      [`[[work@${within} "One attempt is not enough"]]`, "verified @"],
      ["[[work@abcdef1]]", 'missing @: no commit, branch or tag "abcdef1" in this history'],
      ["[[work@main:modules/retry/src/retry.js#L2]]", "verified @:modules/retry/src/retry.js#2-2"],
    ];
    const calls = [{ commit: outer }, { place: "modules/retry/src/retry.js" }];
    const { citations } = await answer(repository.path, { calls, text: markers.map(([marker]) => marker).join("\n") });
    expect(citations.map(told)).toEqual(markers.map(([, expected]) => expected));

    const below = path.join(repository.path, "packages");
    const text = `[[work@${of}:a.js#L1 "a();"]] [[work@${of}:link.js#L1]] [[work@${of}]]`;
    const inFolder = await answer(below, { calls: [{ commit: outer }], text });
    expect(inFolder.citations.map(told)).toEqual([
      "verified @:a.js#1-1",
      `missing @:link.js#1-1: no such file at ${of.slice(0, 7)}`,
      "verified @",
    ]);
  });

  test("in no repository, and of a package, nothing is", async () => {
    await using folder = await temporaryFolder(`//- a.js
a();
//- package.json
{ "dependencies": { "pad": "1.0.0" } }
//- node_modules/pad/package.json
{ "name": "pad", "version": "1.0.0" }
//- node_modules/pad/index.js
1;
`);
    const text = "[[work@abcdef1]] [[work@abcdef1:a.js#L1]] [[npm:pad@1.0.0]] [[npm:pad@2.0.0:index.js#L1]]";
    const resources = [{ type: "npm", name: "pad", package: "pad" }];
    const { citations, text: shown } = await answer(folder.path, {
      calls: [],
      text,
      resources,
      asked: ["work", "npm:pad"],
    });
    expect(citations.map(told)).toEqual([
      "missing @: work has no commits",
      expect.stringMatching(/^mismatch:a\.js#1-1: revision abcdef1 is cited, but content-\w+ was read$/),
      expect.stringMatching(/^mismatch:index\.js#1-1: revision 2\.0\.0 is cited, but 1\.0\.0/),
    ]);
    expect(shown).toContain("[[npm:pad@1.0.0]]");
  });

  test("the document of a commit, and a file at it, also under the links of an answer", async () => {
    await using repository = await changedRepository();
    const { first, second } = repository;
    await using app = localApp(repository.path);
    const resource = repository.path;
    const commit = await app.read({ resource, path: "", revision: second.slice(0, 7) });
    expect(commit).toMatchObject({ path: "", revision: second, startLine: 1 });
    expect(commit.text).toContain("  | One attempt is not enough (#12), says ‹address›.");
    expect(commit.text).toContain("    -2|  return times > 0;\n    +2|  return times > 1;\n");
    expect(commit.text).not.toContain("example.com");
    const file = await app.read({ resource, path: "src/retry.js", revision: first, startLine: 2, endLine: 2 });
    expect(file).toMatchObject({ revision: first, text: "  return times > 0;" });
    expect(file.pathOnDisk).toBeUndefined();
    expect((await app.read({ resource, path: "gone.js", revision: "v1.0.0" })).text).toBe("gone();\n");
    await expect(app.read({ resource, path: "gone.js", revision: second })).rejects.toMatchObject({
      tag: "FileNotFound",
    });
    await expect(app.read({ resource, path: "a.js", revision: "--help" })).rejects.toMatchObject({
      tag: "FileNotFound",
      message: 'no commit, branch or tag "--help" in this history',
    });
    await expect(app.read({ resource, path: "" })).rejects.toMatchObject({ tag: "InvalidRequest" });
    await expect(app.read({ resource, path: "", revision: "abcdef1" })).rejects.toMatchObject({
      tag: "BranchNotFound",
    });
  });
});

describe("in a document", () => {
  test("markers, links and pages of commits", async () => {
    await using repository = await changedRepository();
    const { first, second } = repository;
    const short = second.slice(0, 7);
    await mkdir(path.join(repository.path, ".home"), { recursive: true });
    const config = { resources: [{ type: "local", name: "work", path: repository.path }] };
    await writeFile(path.join(repository.path, ".home/citewell.config.jsonc"), JSON.stringify(config));
    await using app = localApp(repository.path);
    const lines: readonly [text: string, expected: string | undefined][] = [
      [`[[work@${short}]]`, "verified @"],
      [`[[work@${short} "not enough"]]`, "verified @"],
      [`[[work@${short} "never said"]]`, "mismatch @: the quoted text is not in the commit's message"],
      [`[[work@v1.0.0:src/retry.js#L2 "times > 0"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${short}^:gone.js#L1-L2]]`, "out-of-range @:gone.js#1-2: the file has 1 line"],
      [`see work@${short}:src/retry.js:2`, "verified @:src/retry.js#2-2"],
      [`[x](citewell:/work?revision=${second})`, "verified @"],
      [`[x](citewell:/work/src/retry.js?revision=${first}#L2)`, "verified @:src/retry.js#2-2"],
      ["[[work@v9]]", 'missing @: no commit, branch or tag "v9" in this history'],
      [
        "[[work@abcdef1:src/retry.js#L2]]",
        'missing @:src/retry.js#2-2: no commit, branch or tag "abcdef1" in this history',
      ],
      ["[[other@abcdef1]]", "missing @: no resource named “other”"],
      ["[[ada@example.org]], [[Page]]", undefined],
      ["https://github.com/never/fetched/commit/abcdef1", "not-read @: not checked"],
    ];
    for (const [text, expected] of lines) {
      const { citations } = await app.verify({ text });
      expect([text, citations.map((citation) => told(citation).replace(/not checked: .*/, "not checked"))]).toEqual([
        text,
        expected === undefined ? [] : [expected],
      ]);
    }
  });

  test("of stored threads, a commit that was rewritten is gone", async () => {
    await using repository = await changedRepository();
    const { second } = repository;
    const text = `[[work@${second}]] and [[work@${second}:src/retry.js#L2]]`;
    const { thread = "" } = await answer(repository.path, { calls: [{ commit: second }], text, thread: "new" });
    await using app = localApp(repository.path);
    const recheck = async () =>
      (await app.recheckThread({ id: thread })).citations.map(({ state, reason }) => [state, reason]);
    expect(await recheck()).toEqual([
      ["unchanged", undefined],
      ["unchanged", undefined],
    ]);
    const [turn] = (await app.getThread({ id: thread })).turns;
    expect(turn?.cited[0]?.lines?.[0]).toBe("Retry once more");
    expect(turn?.cited[1]?.lines).toEqual(["  return times > 1;"]);
    repository.git("checkout", "--quiet", "--", ".");
    repository.git("commit", "--quiet", "--amend", "-m", "Said otherwise");
    const gone = `rewritten: no branch or tag has commit ${second.slice(0, 7)} any more`;
    expect(await recheck()).toEqual([
      ["gone", gone],
      ["gone", gone],
    ]);
    repository.git("tag", "kept", second);
    expect(await recheck()).toEqual([
      ["unchanged", undefined],
      ["unchanged", undefined],
    ]);
  });
});

describe("of a repository on a host", () => {
  test("the stored history is read, and none is fetched for a citation", async () => {
    await using repository = await changedRepository();
    const { second } = repository;
    await server.createRepository("revisions");
    await server.git("revisions", ["fetch", "--quiet", repository.path, "+refs/*:refs/*"]);
    await using folder = await temporaryFolder("");
    const resources = [{ type: "git", name: "lib", url: server.url("revisions"), branch: "main" }];
    const env = {
      NODE_EXTRA_CA_CERTS: server.caFile,
      SSL_CERT_FILE: server.caFile,
      GIT_SSL_CAINFO: server.caFile,
    };
    const cited = (of: string) =>
      `[[lib@${of}]] [[lib@${of}:src/retry.js#L2 "times > 1"]] [[lib@${of}^:gone.js#L1]] [[lib@v1.0.0]]`;
    const text = cited(second.slice(0, 7)).replace("[[lib@", "[[lib@");
    const options = { text, resources, asked: ["lib"], env };
    const before = await answer(folder.path, { ...options, calls: [] });
    expect(before.citations.map(told)).toEqual([
      expect.stringMatching(/^not-read @: not checked: the history of .* is not on disk$/),
      "not-read:src/retry.js#2-2: line 2 was not shown in this run",
      expect.stringMatching(/^not-read @:gone\.js#1-1: not checked/),
      expect.stringMatching(/^not-read @: not checked/),
    ]);
    const after = await answer(folder.path, { ...options, calls: [{ commit: second }] });
    expect(after.citations.map(told)).toEqual([
      "verified @",
      "verified:src/retry.js#2-2",
      "verified @:gone.js#1-1",
      "not-read @: the commit was not shown in this run",
    ]);
    // It goes on without the host.
    server.intercept((_request, response) => {
      response.writeHead(500).end();
      return true;
    });
    await using app = localApp(folder.path, env);
    const verified = await app.verify({ text: '[[lib@v1.0.0 "Add retry"]]' });
    const opened = await app.read({ resource: "lib", path: "gone.js", revision: "v1.0.0" });
    server.intercept(undefined);
    expect(verified.citations.map(told)).toEqual(["verified @"]);
    expect(opened.text).toBe("gone();\n");
  });
});
