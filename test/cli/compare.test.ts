import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Answer } from "../../server/protocol/ask.ts";
import { Comparison } from "../../server/protocol/compare.ts";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { type GitServer, startGitServer } from "../support/git-server.ts";
import { type NpmRegistry, startNpmRegistry } from "../support/npm-registry.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { openRepository, type Repository } from "../support/repository.ts";

const common = Array.from({ length: 12 }, (_, index) => `export const c${index} = ${index};\n`).join("");
const one = `
//- lib/cut.js
export function cut(text) {
  return text;
}
export function gone() {
}
function inner() {
}
//- lib/old.js
${common}//- lib/same.js
export const same = 1;
//- test/cut.test.js
export const tested = 1;
`;
const two = `
//- lib/cut.js
export function cut(text, limit) {
  return text.slice(0, limit);
}
export function fresh() {
}
//- src/new.js
${common}//- lib/same.js
export const same = 1;
//- test/cut.test.js
export const tested = 2;
//- CHANGELOG.md
# Changelog

## 2.0.0

- \`cut()\` takes a limit.

## 1.0.0

- The first.
`;

let folder: Folder;
let registry: NpmRegistry;
beforeAll(async () => {
  registry = await startNpmRegistry();
  folder = await temporaryFolder(`//- shop/package.json
{ "name": "shop", "dependencies": { "tiny": "^1.0.0" } }
//- shop/node_modules/tiny/package.json
{ "name": "tiny", "version": "1.0.0" }
${one.replaceAll("//- ", "//- shop/node_modules/tiny/")}
//- empty/keep.txt
1
`);
  for (const place of ["shop", "empty"]) {
    await writeFile(path.join(folder.path, place, ".npmrc"), `registry=${registry.url}\n`);
  }
  registry.publish({ name: "tiny", version: "1.0.0", files: one });
  registry.publish({ name: "tiny", version: "2.0.0", files: two });
  registry.publish({ name: "other", version: "1.0.0", files: "//- index.js\n1\n" });
});
afterAll(async () => {
  await folder?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
});

const runIn = (place: string, ...args: string[]) =>
  runHere(args, { cwd: path.join(folder.path, place), env: { HOME: folder.path } });
const run = (...args: string[]) => runIn("shop", "compare", ...args);

function parse({ stdout, stderr }: { stdout: string; stderr: string }): Comparison {
  expect(stderr).toBe("");
  return Comparison.parse(JSON.parse(stdout));
}

describe("two versions of a package", () => {
  test("files, definitions and the changelog, each with its places", async () => {
    const it = parse(await run("npm:tiny@1", "npm:tiny@2", "--json"));
    expect(it.of).toBe("npm:tiny");
    expect([it.before.resource, it.after.resource]).toEqual(["npm:tiny@1.0.0", "npm:tiny@2.0.0"]);
    expect(it.fileCounts).toEqual({ removed: 0, renamed: 1, changed: 3, added: 1 });
    expect(it.files.filter(({ path: file }) => file !== "package.json")).toMatchObject([
      { change: "renamed", path: "src/new.js", from: "lib/old.js", similarity: 100, isAside: false },
      { change: "changed", path: "lib/cut.js", addedLines: 3, removedLines: 5, isText: true },
      { change: "changed", path: "test/cut.test.js", isAside: true },
      { change: "added", path: "CHANGELOG.md" },
    ]);
    expect(it.definitionCounts).toEqual({ removed: 2, signature: 1, added: 1, moved: 0, body: 0 });
    expect(it.definitions).toMatchObject([
      { name: "gone", change: "removed", isPublic: true, before: { resource: "npm:tiny@1.0.0", startLine: 4 } },
      { name: "inner", change: "removed", isPublic: false },
      {
        name: "cut",
        change: "signature",
        before: { path: "lib/cut.js", startLine: 1, text: "export function cut(text) {" },
        after: { resource: "npm:tiny@2.0.0", text: "export function cut(text, limit) {" },
      },
      { name: "fresh", change: "added", after: { startLine: 4 } },
    ]);
    expect(it.sections).toMatchObject([{ path: "CHANGELOG.md", text: "## 2.0.0" }]);
  });

  test("the same for a dependency by its name, in use or at a version, and for a version alone", async () => {
    const sides = async (...names: string[]) => {
      const { before, after } = parse(await run(...names, "--json"));
      return [before.resource, after.resource];
    };
    const both = ["npm:tiny@1.0.0", "npm:tiny@2.0.0"];
    expect(await sides("tiny", "2")).toEqual(both);
    expect(await sides("tiny@1", "tiny@2.0.0")).toEqual(both);
    expect(await sides("npm:tiny@1", "latest")).toEqual(both);
    expect(await sides("npm:tiny@2", "1")).toEqual(both.toReversed());
    const elsewhere = parse(await runIn("empty", "compare", "tiny@1", "tiny@2", "--json"));
    expect(elsewhere.after.resource).toBe("npm:tiny@2.0.0");
  });

  test("is printed for people, with honest counts of what is cut", async () => {
    const { stdout, code } = await run("tiny", "2", "--limit", "1");
    expect(code).toBe(0);
    expect(stdout).toContain(
      "npm:tiny 1.0.0 → 2.0.0: 5 files differ (1 renamed, 3 changed, 1 added); " +
        "definitions: 2 removed, 1 with another signature, 1 added.\n",
    );
    expect(stdout).toContain("Removed (2)\n  gone  lib/cut.js:4\n  and 1 more; --limit shows them\n");
    expect(stdout).toContain(
      "Changed signature (1)\n  cut\n    - export function cut(text) {  lib/cut.js:1\n    + export function cut(text, limit) {  lib/cut.js:1\n",
    );
    expect(stdout).toContain("  lib/old.js → src/new.js (100 % the same) +0 −0\n");
  });

  test("as Markdown, its citations are verified", async () => {
    const report = path.join(folder.path, "shop", "report.md");
    await writeFile(report, (await run("tiny", "2", "--format", "markdown", "--diff", "cut")).stdout);
    const verified = await runIn("shop", "verify", report);
    expect(verified.stdout).toMatch(/\d+ citations: \d+ verified\./);
    expect(verified.code).toBe(0);
  });

  test("shows the changed lines of a file, a renamed one, and a definition", async () => {
    const file = (await run("tiny", "2", "--diff", "lib/cut.js")).stdout;
    expect(file).toContain(
      `--- npm:tiny@1.0.0:lib/cut.js:1-7
+++ npm:tiny@2.0.0:lib/cut.js:1-5
@@ -1,7 +1,5 @@
-export function cut(text) {
-  return text;
+export function cut(text, limit) {
+  return text.slice(0, limit);
 }
-export function gone() {
-}
-function inner() {
+export function fresh() {
 }
`,
    );
    expect((await run("tiny", "2", "--diff", "old.js")).stdout).toContain("lib/old.js → src/new.js\n");
    expect((await run("tiny", "2", "--diff", "lib/same.js")).stdout).toContain("nothing in it has changed");
    const { diff } = parse(await run("tiny", "2", "--diff", "cut", "--json"));
    expect(diff).toMatchObject({ place: "cut", omittedLines: 0, before: { startLine: 1, endLine: 3 } });
    expect(diff?.hunks[0]?.lines).toHaveLength(5);
  });

  test("says what cannot be compared", async () => {
    const fail = async (...args: string[]) => {
      const { stderr, code } = await run(...args);
      expect(code).not.toBe(0);
      return stderr;
    };
    expect(await fail("npm:tiny", "npm:other")).toMatch(
      /^error: npm:tiny and npm:other are not two versions of one thing\nhint: name two versions/,
    );
    expect(await fail("npm:tiny", ".")).toContain("are not two versions of one thing");
    expect(await fail("npm:tiny@1.0.0", "npm:tiny@1")).toMatch(
      /^error: npm:tiny@1\.0\.0 and npm:tiny@1 are the same: npm:tiny@1\.0\.0\nhint: name two different/,
    );
    expect(await fail("npm:tiny@1", "9")).toMatch(/^error: tiny has no version or tag "9"/);
    expect(await fail("nothing", "2")).toMatch(
      /^error: there is no resource and no dependency "nothing"\nhint: name a/,
    );
    expect(await fail("tiny", "2", "--diff", "cutt")).toMatch(
      /^error: no file, and no definition that has changed, is called "cutt"\nhint: did you mean cut\?/,
    );
    expect((await run("tiny", "2", "--json", "--format", "markdown")).code).toBe(2);
  });
});

describe("a question about two versions", () => {
  const ask = async (question: string, ...resources: string[]) => {
    const named = resources.flatMap((name) => ["-r", name]);
    const args = ["ask", "--provider", "builtin", "--json", ...named, "-q", question];
    const { text, citations } = Answer.parse(JSON.parse((await runIn("shop", ...args)).stdout));
    expect(new Set(citations.map(({ state }) => state))).toEqual(new Set(["verified"]));
    return { text, cited: citations.map(({ resource, path: file }) => `${resource} ${file}`) };
  };

  test("is answered with what has changed in what it names, and what the changelog says of it", async () => {
    const { text, cited } = await ask("What changed in cut()?", "npm:tiny@2", "npm:tiny@1");
    expect(text).toContain("npm:tiny 1.0.0 → 2.0.0: `cut` has changed.");
    expect(text).toContain("-export function cut(text) {\n-  return text;\n+export function cut(text, limit) {");
    expect(text).toContain("The changelog between the two says:\n\n- `- 'cut()' takes a limit.`");
    expect(cited).toEqual(["npm:tiny@1 lib/cut.js", "npm:tiny@2 lib/cut.js", "npm:tiny@2 CHANGELOG.md"]);
  });

  test("is answered with the whole if it names nothing, or nothing that has changed", async () => {
    const whole = await ask("What is different?", "npm:tiny@1", "npm:tiny@2");
    expect(whole.text).toContain("npm:tiny 1.0.0 → 2.0.0: 5 files differ");
    expect(whole.text).toContain("**Removed** (2)\n\n- `gone` ");
    expect(whole.cited).toContain("npm:tiny@1 lib/cut.js");
    const unknown = await ask("What changed in `retry`?", "npm:tiny@1", "npm:tiny@2");
    expect(unknown.text).toContain("Nothing that has changed is called `retry`.");
  });

  test("may follow the two on the command line", async () => {
    const args = ["compare", "tiny", "2", "What changed in cut()?", "--provider", "builtin", "--json"];
    const { text, resources } = Answer.parse(JSON.parse((await runIn("shop", ...args)).stdout));
    expect(resources).toEqual(["npm:tiny@1.0.0", "npm:tiny@2.0.0"]);
    expect(text).toContain("`cut` has changed.");
  });

  test("gives a model the tool, whose lines it can cite; others do not have it", async () => {
    await using model = await scriptedModel(({ body }) =>
      body.messages.some(({ role }) => role === "tool")
        ? { text: ["It takes a limit [[npm:tiny@2:lib/cut.js#L1-L2]], not [[npm:tiny@1:lib/cut.js#L2]]."] }
        : { toolCalls: [{ name: "compare", input: { place: "cut" } }] },
    );
    await using home = await temporaryFolder(`//- citewell.config.jsonc\n${JSON.stringify(model.config)}\n`);
    const env = { HOME: folder.path, CITEWELL_HOME: home.path };
    const asked = async (...resources: string[]) => {
      const named = resources.flatMap((name) => ["-r", name]);
      const options = { cwd: path.join(folder.path, "shop"), env };
      return runHere(["ask", "--json", ...named, "-q", "What changed in cut?"], options);
    };
    const { citations } = Answer.parse(JSON.parse((await asked("npm:tiny@1", "npm:tiny@2")).stdout));
    expect(citations.map(({ state }) => state)).toEqual(["verified", "verified"]);
    const [first, second] = model.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('"name":"compare"');
    expect(second).toContain("[[npm:tiny@1:lib/cut.js#L1-L3]]");
    await asked("npm:tiny@1", "npm:other");
    expect(JSON.stringify(model.requests[2]?.body)).not.toContain('"name":"compare"');
  });
});

async function releases(): Promise<Repository & { ids: string[] }> {
  const repository = await openRepository();
  const filesOf = (source: string) =>
    Object.fromEntries(
      source
        .split("//- ")
        .slice(1)
        .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)]),
    );
  const gone = { "lib/old.js": null };
  await writeFile(path.join(repository.path, ".git/info/exclude"), ".home\n");
  const ids = [
    await repository.commit({ message: "One", files: filesOf(one), tags: ["v1.0.0"] }),
    await repository.commit({
      message: "Two",
      files: { ...filesOf(two), ...gone, "logo.png": new Uint8Array([0, 1, 2]) },
      tags: ["v2.0.0-rc.1", "v2.0.0"],
    }),
    await repository.commit({ message: "Three", files: { "lib/cut.js": "export const cut = 3;\n" }, tags: ["v2.1.0"] }),
  ];
  return { ...repository, ids };
}

describe("two revisions of a repository", () => {
  test("of the open folder: tags, commits, the newest release of a version, and the files as they are now", async () => {
    await using repository = await releases();
    const home = { HOME: path.join(repository.path, "..") };
    const compare = async (...args: string[]) =>
      parse(await runHere(["compare", ...args, "--json"], { cwd: repository.path, env: home }));
    const it = await compare(".@v1.0.0", ".@v2.0.0");
    expect(it).toMatchObject({ of: "work", before: { version: "v1.0.0", commit: repository.ids[0] } });
    expect(it.fileCounts).toEqual({ removed: 0, renamed: 1, changed: 2, added: 2 });
    expect(it.files.find(({ path: file }) => file === "logo.png")).toMatchObject({ isText: false, change: "added" });
    expect(it.definitions[0]).toMatchObject({
      name: "gone",
      before: { resource: "work", commit: repository.ids[0], path: "lib/cut.js", startLine: 4 },
    });
    expect(it.sections.map(({ text }) => text)).toEqual(["## 2.0.0"]);
    expect((await compare(".@1", "2")).after).toMatchObject({ version: "v2.1.0", commit: repository.ids[2] });
    expect((await compare(".", "HEAD~1")).fileCounts).toMatchObject({ changed: 1, added: 0, removed: 0 });
    await writeFile(path.join(repository.path, "lib/same.js"), "export const same = 2;\n");
    const now = await compare("work@HEAD", "work");
    expect(now.after).toMatchObject({ version: "as it is now" });
    expect(now.files).toMatchObject([{ path: "lib/same.js", addedLines: 1, removedLines: 1 }]);
    expect(now.notes).toContain("1 file that is not text");
  });

  test("as Markdown, its citations are verified at both commits", async () => {
    await using repository = await releases();
    const options = { cwd: repository.path, env: { HOME: path.join(repository.path, "..") } };
    const { stdout } = await runHere(["compare", ".@v1.0.0", "v2.0.0", "--format", "markdown"], options);
    const report = path.join(repository.path, "report.md");
    await writeFile(report, stdout);
    const verified = await runHere(["verify", report], options);
    expect(verified.stdout).toMatch(/\d+ citations: \d+ verified\./);
    expect(verified.code).toBe(0);
  });

  test("says which revision there is not, which are the same, and what has no lines", async () => {
    await using repository = await releases();
    const fail = async (...args: string[]) => {
      const options = { cwd: repository.path, env: { HOME: path.join(repository.path, "..") } };
      return (await runHere(["compare", ...args], options)).stderr;
    };
    expect(await fail(".@v1.0.0", "v9")).toMatch(/^error: no commit, branch or tag "v9" in this history\nhint: /);
    expect(await fail(".@v1.0.0", ".@HEAD~2")).toContain("are the same: work HEAD~2 (");
    expect(await fail(".@v1.0.0", "v2.0.0", "--diff", "logo.png")).toMatch(
      /^error: logo\.png is binary or too large: its lines cannot be compared/,
    );
    const asked = await fail(".@v1.0.0", "v2.0.0", "What changed?");
    expect(asked).toMatch(/^error: resource "work@v1\.0\.0": a folder is read as it is now\nhint: /);
    const plain = await runIn("empty", "compare", ".@v1", "v2");
    expect(plain.stderr).toMatch(/is in no git repository, so it has no history\nhint: /);
  });

  test("of a host: the history is fetched once, contents for what differs, and then kept", async () => {
    await using repository = await releases();
    await using server: GitServer = await startGitServer();
    await server.createRepository("lib");
    await server.git("lib", ["fetch", "--quiet", repository.path, "+refs/*:refs/*"]);
    const home = path.join(repository.path, "../home");
    await mkdir(home, { recursive: true });
    await writeFile(
      path.join(home, "citewell.config.jsonc"),
      JSON.stringify({
        allowHosts: ["localhost"],
        resources: [{ type: "git", name: "lib", url: server.url("lib"), branch: "main" }],
      }),
    );
    const certificates = Object.fromEntries(
      ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "GIT_SSL_CAINFO"].map((name) => [name, server.caFile]),
    );
    const env = { HOME: home, CITEWELL_HOME: home, ...certificates };
    const compare = async (...args: string[]) =>
      parse(await runHere(["compare", ...args, "--json"], { cwd: home, env }));
    const it = await compare("lib@v1.0.0", "lib@v2.0.0");
    expect(it).toMatchObject({ of: "lib", after: { resource: "lib", commit: repository.ids[1], version: "v2.0.0" } });
    expect(it.definitionCounts).toMatchObject({ removed: 2, signature: 1, added: 1 });
    const requests = server.requests.length;
    expect(await compare("lib@v1.0.0", "v2.0.0")).toEqual(it);
    expect(server.requests).toHaveLength(requests);
    const byUrl = await compare(`${server.url("lib")}@v1.0.0`, `${server.url("lib")}@${repository.ids[2]}`);
    expect(byUrl.after).toMatchObject({ resource: server.url("lib"), version: repository.ids[2]?.slice(0, 10) });
    expect(byUrl.fileCounts).toMatchObject({ added: 2 });
    const args = ["ask", "--provider", "builtin", "--json", "-r", "lib@v1.0.0", "-r", "lib@v2.0.0"];
    const { stdout } = await runHere([...args, "-q", "What changed in cut()?"], { cwd: home, env });
    const { text, citations } = Answer.parse(JSON.parse(stdout));
    expect(text).toContain("lib v1.0.0 → v2.0.0: `cut` has changed.");
    expect(citations.map(({ resource, state }) => `${resource} ${state}`)).toEqual([
      "lib@v1.0.0 verified",
      "lib@v2.0.0 verified",
      "lib@v2.0.0 verified",
    ]);
    const gone = await runHere([...args, "-r", "lib@v3", "-q", "What changed?"], { cwd: home, env });
    expect(gone.stdout).toContain("v3");

    await server.stop();
    const offline = await runHere(["compare", "lib@v1.0.0", "v9.9.9"], { cwd: home, env });
    expect(offline.stderr).toMatch(
      /^error: no commit, branch or tag "v9\.9\.9" is in the history of lib on disk, and looking for it at its host failed: .*localhost.*\nhint: check the name, or ask again/,
    );
    expect(await compare("lib@v1.0.0", "v2.0.0")).toEqual(it);
  });
});
