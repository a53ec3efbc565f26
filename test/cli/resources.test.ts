import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";

async function run(folder: Folder, ...args: string[]) {
  return runHere(args, { cwd: folder.path });
}

async function listed(folder: Folder): Promise<Record<string, unknown>[]> {
  const { stdout } = await run(folder, "resources", "--json");
  const { resources, schemaVersion } = JSON.parse(stdout);
  expect(schemaVersion).toBe(1);
  return resources;
}

test("without any configuration the three default resources are there", async () => {
  await using folder = await temporaryFolder();
  expect((await listed(folder)).map(({ name, type }) => `${String(type)} ${String(name)}`)).toEqual([
    "npm express",
    "npm zod",
    "git typescript",
  ]);
  const { stdout } = await run(folder, "resources");
  expect(stdout).toMatch(
    /^express {5}npm {2}express .*\nzod {9}npm {2}zod .*\ntypescript {2}git {2}https:\/\/github\.com\/microsoft/,
  );
});

describe("add reports what it added", () => {
  const check = (args: string[], expected: Record<string, unknown>) =>
    test(args.join(" "), async () => {
      await using folder = await temporaryFolder("//- docs/guide.md\n# Guide\n");
      const { code, stderr } = await run(folder, "add", ...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining("error") });
      expect((await listed(folder)).at(-1)).toMatchObject(
        "path" in expected ? { ...expected, path: path.join(folder.path, String(expected["path"])) } : expected,
      );
    });

  check(["https://github.com/sveltejs/svelte.git"], {
    type: "git",
    name: "svelte",
    url: "https://github.com/sveltejs/svelte",
    branch: "main",
    searchPaths: null,
  });
  check(["https://github.com/a/b/blob/dev/docs/x.md"], { type: "git", url: "https://github.com/a/b", branch: "main" });
  check(["https://github.com/a/b", "-b", "dev", "-s", "docs", "-s", "src", "-n", "ab", "--notes", "ours"], {
    name: "ab",
    branch: "dev",
    searchPaths: ["docs", "src"],
    specialNotes: "ours",
  });
  check(["./docs"], { type: "local", name: "docs", path: "docs" });
  check(["docs"], { type: "local", name: "docs", path: "docs" });
  check(["docs", "--type", "npm"], { type: "npm", name: "docs", package: "docs" });
  check(["@tanstack/query-core"], { type: "npm", name: "@tanstack/query-core", package: "@tanstack/query-core" });
  check(["zod@3", "-n", "zod3"], { type: "npm", name: "zod3", package: "zod", version: "3" });
  check(["git@github.com:owner/repo.git"], { type: "git", name: "repo", url: "https://github.com/owner/repo" });
  check(["npm:left-pad@^1.3"], { type: "npm", name: "left-pad", package: "left-pad", version: "^1.3" });
  check(["https://www.npmjs.com/package/left-pad"], { type: "npm", name: "left-pad" });
});

describe("add refuses, with the field and the rule, and writes nothing", () => {
  const check = (args: string[], message: string | RegExp) =>
    test(args.join(" "), async () => {
      await using folder = await temporaryFolder();
      const { code, stdout, stderr } = await run(folder, "add", ...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(message);
      await expect(readFile(path.join(folder.path, ".home/citewell.config.jsonc"))).rejects.toThrow("ENOENT");
    });

  check([""], /"" cannot be added: it is empty/);
  check(["-t", "local", "https://github.com/a/b"], /"https:\/\/github\.com\/a\/b" cannot be added: it is not a folder/);
  check(["http://github.com/a/b"], /a git URL must use https/);
  check(["https://me:secret@github.com/a/b"], /^(?!.*secret)[^]*must not contain credentials/);
  check(["https://[::ffff:10.0.0.1]/a/b"], /url: ::ffff:a00:1 is not a public address[^]*hint: .*allowHosts/);
  check(["https://github.com/a/b/tree/%zz"], /not a URL/);
  check(["https://github.com/a/b", "-n", "a..b"], /-n, --name: "a\.\.b": a name must not contain '\.\.'/);
  check(["https://github.com/a/b", "-b", "a b"], /-b, --branch: "a b": a branch holds/);
  check(["https://github.com/a/b", "-s", "../x"], /-s, --search-path: "\.\.\/x": a search path must not contain/);
  check(["https://github.com/a/b", "--notes", "x".repeat(501)], /--notes: "x+…": notes have at most 500/);
  check(["npm:@@@"], /package/);
  check(["express", "-n", "x".repeat(65)], /at most 64 characters/);
});

test("the first added resource replaces the defaults, and its name is taken from then on", async () => {
  await using folder = await temporaryFolder();
  expect(await run(folder, "add", "npm:zod@3")).toMatchObject({ code: 0 });
  expect((await listed(folder)).map(({ name }) => name)).toEqual(["zod"]);
  expect(await run(folder, "add", "npm:zod")).toMatchObject({ code: 2, stderr: expect.stringContaining('"zod"') });
});

test("adding and removing writes the project's file where there is one, and keeps its comments", async () => {
  await using folder = await temporaryFolder(`//- citewell.config.jsonc
{
  // ours
  "resources": [
    { "type": "npm", "name": "left-pad", "package": "left-pad" }, // pads
  ],
}
`);
  const file = path.join(folder.path, "citewell.config.jsonc");
  const before = await readFile(file, "utf8");
  expect(await run(folder, "add", "npm:is-number")).toMatchObject({ code: 0, stdout: expect.stringContaining(file) });
  const added = await readFile(file, "utf8");
  expect(added).toContain("// ours");
  expect(added).toContain("// pads");
  expect(added).toContain('"is-number"');
  expect(await run(folder, "remove", "is-number")).toMatchObject({ code: 0 });
  expect(await readFile(file, "utf8")).toBe(before);
});

test("removing a default resource keeps the other two", async () => {
  await using folder = await temporaryFolder();
  expect(await run(folder, "remove", "zod")).toMatchObject({ code: 0 });
  expect((await listed(folder)).map(({ name }) => name)).toEqual(["express", "typescript"]);
});

test("removing an unknown name exits with 3 and suggests the nearest", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await run(folder, "remove", "expres");
  expect(code).toBe(3);
  expect(stderr).toMatch(/error: .*"expres"[^]*hint: .*express/);
});

test("a broken configuration gives line and column and is left alone", async () => {
  const broken = '{\n  "model": "x",\n  "maxSteps": ,\n}\n';
  await using folder = await temporaryFolder(`//- .home/citewell.config.jsonc\n${broken}`);
  for (const args of [["add", "npm:x"], ["remove", "zod"], ["resources"], ["ask", "-q", "why?", "-r", "npm:zod"]]) {
    const { code, stderr } = await run(folder, ...args);
    expect({ args, code }).toEqual({ args, code: 1 });
    expect(stderr).toMatch(/citewell\.config\.jsonc:3:15/);
  }
  expect(await readFile(path.join(folder.path, ".home/citewell.config.jsonc"), "utf8")).toBe(broken);
});

test("errors are JSON where JSON was asked for", async () => {
  await using folder = await temporaryFolder();
  const { code, stdout, stderr } = await run(folder, "remove", "nothing", "--json");
  expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, tag: "ResourceNotFound", error: expect.any(String) });
});

/** All that the first `add` notes. */
const firstNote = /^note: the examples express, zod, typescript are no longer listed: [^\n]*\n$/;

test("two processes that add at once lose none", async () => {
  await using folder = await temporaryFolder();
  const names = Array.from({ length: 6 }, (_, index) => `package-${index}`);
  const results = await Promise.all(names.map((name) => run(folder, "add", `npm:${name}`)));
  // Those that are first see the examples go.
  const others = results.map(({ code, stderr }) => ({ code, stderr: stderr.replace(firstNote, "") }));
  expect(others).toEqual(names.map(() => ({ code: 0, stderr: "" })));
  const found = (await listed(folder)).map(({ name }) => name);
  expect(found).toEqual(expect.arrayContaining(names));
});

test("processes that add and ask at once do not disturb each other", async () => {
  await using folder = await temporaryFolder("//- demo/a.ts\nexport const delayMs = 100;\n");
  const asking = Array.from({ length: 3 }, () => run(folder, "ask", "-q", "What is delayMs?", "-r", "./demo"));
  const adding = ["a", "b", "c"].map((name) => run(folder, "add", `npm:${name}`));
  const answers = await Promise.all(asking);
  for (const { code, stdout } of answers) expect({ code, stdout }).toEqual({ code: 0, stdout: answers[0]?.stdout });
  expect((await Promise.all(adding)).map(({ code }) => code)).toEqual([0, 0, 0]);
  expect((await listed(folder)).map(({ name }) => name)).toEqual(expect.arrayContaining(["a", "b", "c"]));
});

test("where nothing can be written, what needs no writing works and the rest says so", async () => {
  await using folder = await temporaryFolder("//- file\n\n//- demo/a.ts\nexport const delayMs = 100;\n");
  const options = { cwd: folder.path, env: { CITEWELL_HOME: path.join(folder.path, "file/home") } };
  expect(await runHere(["resources"], options)).toMatchObject({ code: 0 });
  expect(await runHere(["ask", "-q", "What is delayMs?", "-r", "./demo"], options)).toMatchObject({ code: 0 });
  for (const args of [
    ["add", "npm:x"],
    ["remove", "zod"],
  ]) {
    const { code, stderr } = await runHere(args, options);
    expect({ args, code }).toEqual({ args, code: 7 });
    expect(stderr).toMatch(/error: cannot write .*citewell\.config\.jsonc[^]*hint: /);
  }
});

test("a folder that is not there is not added", async () => {
  await using folder = await temporaryFolder();
  const { code, stderr } = await run(folder, "add", "./nofolder");
  expect(code).toBe(7);
  expect(stderr).toMatch(/^error: there is no folder .*nofolder\nhint: correct the path; .*citewell\.config\.jsonc\n/);
  expect(await run(folder, "add", "./nofolder", "--json")).toMatchObject({
    code: 7,
    stdout: expect.stringMatching(/"tag": ?"PathNotFound"/),
  });
  expect((await run(folder, "resources")).stdout).not.toContain("nofolder");
});

test("adding a single file is no slip", async () => {
  await using folder = await temporaryFolder("//- guide.md\n# Guide\n");
  expect(await run(folder, "add", "./guide.md", "-n", "guide")).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(firstNote),
  });
});
