import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { App } from "../../../server/app.ts";
import { silentLog } from "../../../server/lib/log.ts";
import { createLocalApp } from "../../../server/local-app.ts";
import { emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import { formatCitewellUrl, isProved } from "../../../server/protocol/citation.ts";
import type { VerifyRequest } from "../../../server/protocol/verify.ts";
import { cliEnvironment } from "../../support/cli.ts";
import { type Folder, temporaryFolder } from "../../support/folder.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { type NpmRegistry, startNpmRegistry } from "../../support/npm-registry.ts";

const lines = (count: number) => "line\n".repeat(count);

/** The same paths in several resources, of other lengths; `src/only.ts` is in one. */
const files = `
//- work/app/package.json
{ "name": "app", "dependencies": { "tiny": "1.2.3" } }
//- work/app/index.js
${lines(2)}//- work/app/src/a.ts
${lines(3)}//- work/app/docs/guide.md
${lines(1)}//- work/app/docs/part.ts
${lines(4)}//- work/app/docs/index.js
${lines(1)}//- work/app/packages/inner/src/deep.ts
${lines(6)}//- work/app/node_modules/tiny/package.json
{ "name": "tiny", "version": "1.2.3" }
//- work/app/node_modules/tiny/dist/index.js
${lines(5)}//- work/app/.gitignore
vendor/
//- work/app/composer.json
{ "require": { "acme/tiny": "*" } }
//- work/app/vendor/composer/installed.json
[{ "name": "acme/tiny", "version": "1.0.0" }]
//- work/app/vendor/acme/tiny/src/Tiny.php
${lines(5)}//- work/app/vendor/acme/unlisted/src/Other.php
${lines(5)}//- work/other/package.json
{}
//- work/other/src/a.ts
${lines(30)}//- work/loose/answer.md
${lines(1)}//- work/loose/near.ts
${lines(2)}//- listed/one/index.js
${lines(40)}//- listed/one/src/only.ts
${lines(7)}//- listed/one/src/both.ts
${lines(8)}//- listed/two/src/both.ts
${lines(9)}`;

let folder: Folder;
let git: GitServer;
let registry: NpmRegistry;
let app: App;
let commits: { first: string; second: string };

beforeAll(async () => {
  [git, registry, folder] = await Promise.all([startGitServer(), startNpmRegistry(), temporaryFolder(files)]);
  const first = await git.commit("lib", { "src/lib.ts": lines(3) });
  commits = { first, second: await git.commit("lib", { "src/lib.ts": lines(10) }) };
  registry.publish({ name: "pkg", version: "1.0.0", files: `//- src/pkg.ts\n${lines(3)}` });
  registry.publish({ name: "pkg", version: "2.0.0", files: `//- src/pkg.ts\n${lines(10)}` });
  const local = (name: string) => ({ type: "local", name, path: path.join(folder.path, "listed", name) });
  const resources = [local("one"), local("two"), { type: "git", name: "lib", url: git.url("lib") }];
  const config = JSON.stringify({ allowHosts: ["localhost"], resources });
  await folder.write(`//- .home/citewell.config.jsonc\n${config}\n//- .npmrc\nregistry=${registry.url}\n`);
  app = openApp("work/app");
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await Promise.all([git, registry, folder].map((part) => part[Symbol.asyncDispose]()));
});

function openApp(cwd: string): App {
  const ca = { NODE_EXTRA_CA_CERTS: git.caFile, SSL_CERT_FILE: git.caFile };
  const home = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
  return createLocalApp({
    location: {
      cwd: path.join(folder.path, cwd),
      env: cliEnvironment(folder.path, { ...home, ...ca }),
      platform: process.platform,
      homeDirectory: folder.path,
    },
    log: silentLog,
  });
}

const place = (name: string) => path.join(folder.path, name);

/** `app:src/a.ts:1-3 verified` of each citation. */
async function verdicts(request: VerifyRequest, asked: App = app): Promise<string[]> {
  const { citations } = await asked.verify(request);
  return citations.map(
    ({ resource, path: file, startLine, endLine, state }) => `${resource}:${file}:${startLine}-${endLine} ${state}`,
  );
}

describe("a path that names no resource", () => {
  const check = (text: string, expected: string[], request: Partial<VerifyRequest> = {}) =>
    test(`${text} in ${JSON.stringify(request)}`, async () =>
      expect(await verdicts({ text, ...request })).toEqual(expected));

  check("src/a.ts:1-3", ["app:src/a.ts:1-3 verified"]);
  check("`index.js:1`", ["app:index.js:1-1 verified"]);
  check("index.js:3", ["app:index.js:3-3 out-of-range"]);
  check("[src/a.ts:1-3](src/a.ts#L1-L3)", ["app:src/a.ts:1-3 verified"]);
  check("src/both.ts:1", [":src/both.ts:1-1 ambiguous"]);
  check("[[src/both.ts#L1]]", [":src/both.ts:1-1 ambiguous"]);
  check("src/only.ts:7", ["one:src/only.ts:7-7 verified"]);
  check("a.ts:1 deep.ts:1 app/src/a.ts:1", [":a.ts:1-1 missing", ":deep.ts:1-1 missing", ":app/src/a.ts:1-1 missing"]);
  check("src/both.ts:1", ["two:src/both.ts:1-1 verified"], { resources: ["two"] });
  check("src/both.ts:1", [":src/both.ts:1-1 ambiguous"], { resources: ["two", "one"] });
  check("index.js:3", ["app:index.js:3-3 out-of-range"], { resources: ["one", "workspace"] });
  check("src/a.ts:1", [":src/a.ts:1-1 missing"], { resources: ["one"] });
  check("node_modules/tiny/dist/index.js:5", ["npm:tiny:dist/index.js:5-5 verified"]);
  check("node_modules/tiny/dist/index.js:6", ["npm:tiny:dist/index.js:6-6 out-of-range"]);
  check("vendor/acme/tiny/src/Tiny.php:5", ["composer:acme/tiny:src/Tiny.php:5-5 verified"]);
  check("[it](vendor/acme/tiny/src/Tiny.php#L6)", ["composer:acme/tiny:src/Tiny.php:6-6 out-of-range"]);
  check("vendor/acme/none/src/None.php:1", [":vendor/acme/none/src/None.php:1-1 missing"]);
  check("node_modules/none/dist/index.js:1", [":node_modules/none/dist/index.js:1-1 missing"]);
});

describe("a document", () => {
  const check = (file: string, text: string, expected: string[], request: Partial<VerifyRequest> = {}) =>
    test(`${file} that cites ${text}`, async () =>
      expect(await verdicts({ text, file: place(file), ...request })).toEqual(expected));

  check("work/app/docs/guide.md", "part.ts:4 and src/a.ts:3", [
    "app:docs/part.ts:4-4 verified",
    "app:src/a.ts:3-3 verified",
  ]);
  check("work/app/docs/guide.md", "../src/a.ts:3 [a](../src/a.ts#L4)", [
    "app:src/a.ts:3-3 verified",
    "app:src/a.ts:4-4 out-of-range",
  ]);
  check("work/app/docs/guide.md", "index.js:1", ["app:index.js:1-1 ambiguous"]);
  check("work/app/docs/guide.md", "[a](index.js#L1) ./index.js:2", [
    "app:docs/index.js:1-1 verified",
    "app:docs/index.js:2-2 out-of-range",
  ]);
  check("work/other/README.md", "src/a.ts:30", ["other:src/a.ts:30-30 verified"]);
  check("work/other/README.md", "src/a.ts:31", ["other:src/a.ts:31-31 out-of-range"]);
  check("work/other/README.md", "src/a.ts:30", ["other:src/a.ts:30-30 verified"], { scope: "configured" });
  check("work/app/README.md", "src/a.ts:30", ["app:src/a.ts:30-30 out-of-range"]);
  test("outside of any project cites the files beside it, then the open project", async () => {
    const file = place("work/loose/answer.md");
    expect(await verdicts({ text: "near.ts:2 near.ts:3 src/a.ts:3", file })).toEqual([
      `${place("work/loose")}:near.ts:2-2 verified`,
      `${place("work/loose")}:near.ts:3-3 out-of-range`,
      "app:src/a.ts:3-3 verified",
    ]);
  });
  test("cites files by their absolute paths", async () => {
    const text = `${place("work/app/src/a.ts")}:3 [o](file://${place("work/other/src/a.ts")}#L30) ${place("work/loose/none.ts")}:1`;
    expect(await verdicts({ text, file: place("work/app/README.md") })).toEqual([
      "app:src/a.ts:3-3 verified",
      `${place("work/other")}:src/a.ts:30-30 verified`,
      `:${place("work/loose/none.ts")}:1-1 missing`,
    ]);
  });
});

describe("a citation that names a resource", () => {
  const check = (title: string, text: () => string, expected: () => string[], request: Partial<VerifyRequest> = {}) =>
    test(title, async () => expect(await verdicts({ text: text(), ...request })).toEqual(expected()));
  const url = (resource: string, file: string, revision: string, line: number) =>
    formatCitewellUrl({ resource, path: file, revision, startLine: line, endLine: line });

  check(
    "is checked in that package, without naming it in the request",
    () => "[[npm:pkg:src/pkg.ts#L10]] npm:pkg:src/pkg.ts:11 npm:pkg@1.0.0:src/pkg.ts:3 [[npm:pkg@1.0.0:src/pkg.ts#L4]]",
    () => [
      "npm:pkg:src/pkg.ts:10-10 verified",
      "npm:pkg:src/pkg.ts:11-11 out-of-range",
      "npm:pkg@1.0.0:src/pkg.ts:3-3 verified",
      "npm:pkg@1.0.0:src/pkg.ts:4-4 out-of-range",
    ],
  );
  check(
    "is checked at the version of its link",
    () => `${url("npm:pkg", "src/pkg.ts", "1.0.0", 3)} ${url("npm:pkg", "src/pkg.ts", "1.0.0", 4)}`,
    () => ["npm:pkg:src/pkg.ts:3-3 verified", "npm:pkg:src/pkg.ts:4-4 out-of-range"],
  );
  check(
    "is checked at the commit of its link, whatever the request is about",
    () =>
      `${url("lib", "src/lib.ts", commits.first, 3)} ${url("lib", "src/lib.ts", commits.first, 4)} ${url("lib", "src/lib.ts", commits.second, 10)} ${url(git.url("lib"), "src/lib.ts", commits.second, 10)}`,
    () => [
      "lib:src/lib.ts:3-3 verified",
      "lib:src/lib.ts:4-4 out-of-range",
      "lib:src/lib.ts:10-10 verified",
      `${git.url("lib")}:src/lib.ts:10-10 verified`,
    ],
    { resources: ["one"] },
  );
  check(
    "at a revision that cannot be had is missing, or of another revision where there are no commits",
    () => `${url("lib", "src/lib.ts", "f".repeat(40), 1)} ${url("one", "src/only.ts", "abcdef0", 1)}`,
    () => ["lib:src/lib.ts:1-1 missing", "one:src/only.ts:1-1 mismatch"],
  );
  check(
    "that does not exist is missing",
    () => `[[hono:src/only.ts#L1]] hono:src/only.ts:1 ${url("npm:none", "src/only.ts", "1.0.0", 1)}`,
    () => ["hono:src/only.ts:1-1 missing", "hono:src/only.ts:1-1 missing", "npm:none:src/only.ts:1-1 missing"],
  );
});

test("the links of an answer about a package prove themselves later", async () => {
  let answer = emptyAnswer;
  const question = { question: "Where is line?", resources: ["npm:pkg"], thread: "new" };
  for await (const event of app.ask(question)) answer = foldAnswer(answer, event);
  expect(answer.citations.length).toBeGreaterThan(0);
  const { citations } = await app.verify({ text: answer.text });
  expect(citations.length).toBe(answer.citations.length);
  expect(citations.every(isProved)).toBe(true);
});

describe("what cannot be opened", () => {
  test("is named, and what cites it was not checked", async () => {
    const text = "[[closed:src/a.ts#L1]] src/nowhere.ts:1 src/only.ts:1 src/a.ts:1";
    await using config = await withConfig({ type: "git", name: "closed", url: git.url("none") });
    const { unavailable } = await config.app.verify({ text });
    expect(unavailable).toEqual([{ resource: "closed", tag: expect.any(String), error: expect.any(String) }]);
    expect(await verdicts({ text }, config.app)).toEqual([
      "closed:src/a.ts:1-1 not-read",
      ":src/nowhere.ts:1-1 not-read",
      ":src/only.ts:1-1 not-read",
      "app:src/a.ts:1-1 verified",
    ]);
  });

  test("is not opened for a text that cites the document's own project", async () => {
    const before = git.requests.length;
    await using config = await withConfig({ type: "git", name: "closed", url: git.url("none") });
    const { unavailable, snapshots } = await config.app.verify({ text: "src/a.ts:1, at 10:30, LICENSE:3" });
    expect({ unavailable, names: snapshots.map(({ resource }) => resource) }).toEqual({
      unavailable: undefined,
      names: ["app"],
    });
    expect(git.requests.length).toBe(before);
  });

  test("fails the request that names it", async () => {
    await using config = await withConfig({ type: "git", name: "closed", url: git.url("none") });
    await expect(config.app.verify({ text: "src/a.ts:1", resources: ["closed"] })).rejects.toThrow(/none/);
  });

  test("is named by a search", async () => {
    await using config = await withConfig({ type: "git", name: "closed", url: git.url("none") });
    const { unavailable } = await config.app.search({ query: "line", mode: "exact", limit: 1 });
    expect(unavailable).toMatchObject([{ resource: "closed" }]);
  });
});

test("no more than twenty resources are opened for one text", async () => {
  const text = Array.from({ length: 22 }, (_, index) => `[[npm:none-${index}:a.ts#L1]]`).join("\n");
  const states = (await verdicts({ text })).map((verdict) => verdict.split(" ").at(-1));
  expect(states.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => "missing"));
  expect(states.slice(20)).toEqual(["not-read", "not-read"]);
});

describe("nothing is verified against the wrong code", () => {
  /** How many lines each file has. */
  const truth: Record<string, Record<string, number>> = {
    app: { "index.js": 2, "src/a.ts": 3, "docs/part.ts": 4, "docs/index.js": 1, "packages/inner/src/deep.ts": 6 },
    one: { "index.js": 40, "src/only.ts": 7, "src/both.ts": 8 },
    two: { "src/both.ts": 9 },
    lib: { "src/lib.ts": 10 },
    "npm:pkg": { "src/pkg.ts": 10 },
    "npm:pkg@1.0.0": { "src/pkg.ts": 3 },
  };
  const resources = [...Object.keys(truth), "hono", "npm:none", "app2"];
  const paths = [...new Set(Object.values(truth).flatMap((known) => Object.keys(known)))];
  const suffixes = paths.map((file) => file.slice(file.indexOf("/") + 1));
  const written = [...new Set([...paths, ...suffixes, ...paths.map((file) => `lib/${file}`)])];
  const lineNumbers = [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 40, 41];

  const forms: Record<string, (resource: string, file: string, line: number) => string> = {
    "a marker": (resource, file, line) => `[[${resource}:${file}#L${line}]]`,
    "a path after the resource": (resource, file, line) => `${resource}:${file}:${line}`,
    "a link to lines of it": (resource, file, line) => `[x](${resource}:${file}#L${line})`,
  };
  test.each(Object.keys(forms))("%s names another resource, file or line", async (form) => {
    const claims = resources.flatMap((resource) =>
      written.flatMap((file) => lineNumbers.map((line) => ({ resource, file, line }))),
    );
    const text = claims.map(({ resource, file, line }) => forms[form]?.(resource, file, line)).join("\n");
    const { citations } = await app.verify({ text });
    const proved = citations.filter(isProved).map(({ at }) => at.line - 1);
    const isTrue = ({ resource, file, line }: (typeof claims)[number]) =>
      line >= 1 && line <= (truth[resource]?.[file] ?? 0);
    expect(proved).toEqual(claims.flatMap((claim, index) => (isTrue(claim) ? [index] : [])));
    for (const { resource, path: file, at } of citations.filter(isProved)) {
      expect({ resource, file }).toEqual({ resource: claims[at.line - 1]?.resource, file: claims[at.line - 1]?.file });
    }
  });

  test("a link names another revision", async () => {
    const { snapshots } = await app.verify({
      text: "[[app:src/a.ts#L1]] [[lib:src/lib.ts#L1]] [[npm:pkg:src/pkg.ts#L1]]",
    });
    const revisions = [...snapshots.map(({ revision }) => revision), "abcdef0123", "9.9.9", commits.first, "main"];
    const claims = snapshots.flatMap(({ resource, revision: right }) =>
      revisions.map((revision) => ({ resource, revision, isRight: revision === right })),
    );
    const fileOf = (resource: string) =>
      Object.keys(truth[resource] ?? {}).find((file) => file.startsWith("src/")) ?? "";
    const text = claims.map(({ resource, revision }) =>
      formatCitewellUrl({ resource, path: fileOf(resource), revision, startLine: 1, endLine: 1 }),
    );
    const { citations } = await app.verify({ text: text.join("\n") });
    const isProvable = ({ resource, revision, isRight }: (typeof claims)[number]) =>
      isRight || (resource === "lib" && revision === commits.first);
    expect(citations.map(isProved)).toEqual(claims.map(isProvable));
  });

  test("a path alone is verified only in the document's project, or where one resource has it", async () => {
    const documents = ["README.md", "docs/guide.md", "packages/inner/README.md"];
    for (const document of documents) {
      const folderOf = path.posix.dirname(document);
      const claims = written.flatMap((file) => lineNumbers.map((line) => ({ file, line })));
      const text = claims.map(({ file, line }) => `${file}:${line}`).join("\n");
      const { citations } = await app.verify({ text, file: place(`work/app/${document}`) });
      for (const citation of citations) {
        const { file, line } = claims[citation.at.line - 1] ?? { file: "", line: 0 };
        const inProject = [file, path.posix.join(folderOf, file)].filter((name) => truth["app"]?.[name] !== undefined);
        const own = [...new Set(inProject)];
        const others = ["one", "two", "lib"].filter((name) => truth[name]?.[file] !== undefined);
        const meant = own.length > 0 ? own.map((name) => ["app", name]) : others.map((name) => [name, file]);
        const [resource = "", name = ""] = meant.length === 1 ? (meant[0] ?? []) : [];
        const isTrue = line >= 1 && line <= (truth[resource]?.[name] ?? 0);
        expect({ claim: `${file}:${line}`, isProved: isProved(citation) }).toEqual({
          claim: `${file}:${line}`,
          isProved: isTrue,
        });
        if (isTrue) expect(`${citation.resource}:${citation.path}`).toBe(`${resource}:${name}`);
      }
    }
  });
});

/** The same user, whose project lists one more resource. */
async function withConfig(resource: object) {
  const listed = JSON.stringify({ resources: [resource] });
  await folder.write(`//- work/app/citewell.config.jsonc\n${listed}\n`);
  const own = openApp("work/app");
  return {
    app: own,
    async [Symbol.asyncDispose]() {
      await own[Symbol.asyncDispose]();
      await folder.write("//- work/app/citewell.config.jsonc\n{}\n");
    },
  };
}
