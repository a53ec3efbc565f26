import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../server/errors.ts";
import { createLocal } from "../../../server/resources/local/local.ts";
import { type Folder, temporaryFolder } from "../../support/folder.ts";

const signal = new AbortController().signal;
const open = (folder: Folder, local = localOf(folder)) => local.open({ name: "demo", path: folder.path }, { signal });
const localOf = (folder: Folder) => createLocal({ workingDirectory: folder.path, homeDirectory: folder.path });

describe("what is read", () => {
  test("may have any name, also that of a built-in property", async () => {
    await using folder = await temporaryFolder("//- constructor/a.ts\n//- toString\n");
    expect((await open(folder)).files.map((file) => file.path)).toEqual(["constructor/a.ts", "toString"]);
  });

  test("is the current folder, without files ignored at any level", async () => {
    await using folder = await temporaryFolder(`//- .gitignore
# a comment
*.log
/dist
build/
!keep.log
\\!bang.ts
//- a.ts
//- a.log
//- keep.log
//- !bang.ts
//- dist/a.js
//- src/dist/a.js
//- src/build/a.js
//- src/.gitignore
!build/
/local.ts
deep/x.ts
secret
//- src/local.ts
//- src/sub/local.ts
//- src/deep/x.ts
//- src/sub/deep/x.ts
//- src/sub/secret/a.ts
//- secret/a.ts
//- docs/.ignore
draft.md
//- docs/draft.md
//- docs/a.md
//- .env.example
`);
    const snapshot = await open(folder);
    expect(snapshot.files.map((file) => file.path)).toEqual([
      ".env.example",
      ".gitignore",
      "a.ts",
      "docs/.ignore",
      "docs/a.md",
      "keep.log",
      "secret/a.ts",
      "src/.gitignore",
      "src/build/a.js",
      "src/dist/a.js",
      "src/sub/deep/x.ts",
      "src/sub/local.ts",
    ]);
    expect(snapshot.skipped).toContainEqual({ path: "src/sub/secret", reason: "ignored by .gitignore or .ignore" });
  });

  test("may have files named like built-in properties", async () => {
    await using folder = await temporaryFolder("//- constructor\n//- src/toString\n");
    expect((await open(folder)).files.map((file) => file.path)).toEqual(["constructor", "src/toString"]);
  });

  test("excludes the folders of git, installed packages and Citewell, and reports all but git's", async () => {
    await using folder = await temporaryFolder(
      "//- .git/config\n//- a.ts\n//- p/node_modules/x/i.js\n//- .citewell/a\n//- env/lib/python3.9/site-packages/x.py\n",
    );
    const snapshot = await open(folder);
    expect(snapshot.files.map((file) => file.path)).toEqual(["a.ts"]);
    expect(snapshot.skipped).toEqual([
      { path: ".citewell", reason: "Citewell's own data" },
      {
        path: "env/lib/python3.9/site-packages",
        reason: "installed packages: add those you want to ask about as pypi resources",
      },
      { path: "p/node_modules", reason: "installed packages: add those you want to ask about as npm resources" },
    ]);
  });

  test("obeys the ignore files of the repository around it", async () => {
    await using folder = await temporaryFolder(`//- .git/info/exclude
references/
//- .gitignore
*.gen.ts
packages/a/out
//- packages/.gitignore
tmp
//- packages/a/a.gen.ts
//- packages/a/out/a.ts
//- packages/a/tmp/a.ts
//- packages/a/references/a.ts
//- packages/a/a.ts
`);
    const snapshot = await localOf(folder).open({ name: "a", path: "packages/a" }, { signal });
    expect(snapshot.files.map((file) => file.path)).toEqual(["a.ts"]);
  });

  test("is everything in a folder that was named although it is ignored", async () => {
    await using folder = await temporaryFolder("//- .git/HEAD\n//- .gitignore\ndist\n*.js\n//- dist/a.js\n");
    const snapshot = await localOf(folder).open({ name: "a", path: "./dist" }, { signal });
    expect(snapshot.files.map((file) => file.path)).toEqual(["a.js"]);
  });

  test("is also what git tracks although it is ignored, whatever the repository configures", async () => {
    await using folder = await temporaryFolder(`//- .gitignore
*.gen.ts
vendor/
//- a.gen.ts
//- b.gen.ts
//- vendor/lib/c.ts
//- vendor/d.ts
//- sub/e.gen.ts
`);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: folder.path });
    git("init", "-q");
    git("add", "-f", "a.gen.ts", "vendor/lib/c.ts", "sub/e.gen.ts");
    git("config", "core.fsmonitor", `touch ${folder.path}/ran`);
    const local = createLocal({
      workingDirectory: folder.path,
      homeDirectory: folder.path,
      environment: { PATH: process.env["PATH"] ?? "" },
    });
    const filesOf = async (at: string) => {
      const snapshot = await local.open({ name: "demo", path: at }, { signal });
      return snapshot.files.map((file) => file.path);
    };
    expect(await filesOf(".")).toEqual([".gitignore", "a.gen.ts", "sub/e.gen.ts", "vendor/lib/c.ts"]);
    expect(await filesOf("sub")).toEqual(["e.gen.ts"]);
    expect(existsSync(path.join(folder.path, "ran"))).toBe(false);
  });

  test.skipIf(process.platform === "win32")("is a file whose name looks like a place or a drive", async () => {
    await using folder = await temporaryFolder("//- a:12.ts\none\n//- src/a:12.ts\ntwo\n//- src/C:x\nthree\n");
    const snapshot = await open(folder);
    expect(snapshot.files.map((file) => file.path)).toEqual(["a:12.ts", "src/C:x", "src/a:12.ts"]);
    expect((await snapshot.read("src/a:12.ts")).lines).toEqual(["two"]);
  });

  test("does not follow a link to an ignored file", async () => {
    await using folder = await temporaryFolder("//- .gitignore\n.env\n//- .env\nKEY=1\n");
    await symlink(".env", path.join(folder.path, "env.txt"));
    const snapshot = await open(folder);
    await expect(snapshot.read("env.txt")).rejects.toMatchObject({ tag: "FileNotReadable" });
  });

  test("is one file if the path is a file", async () => {
    await using folder = await temporaryFolder("//- a.ts\nA\n//- b.ts\n");
    const snapshot = await localOf(folder).open({ name: "a", path: "a.ts" }, { signal });
    expect(snapshot.files.map((file) => file.path)).toEqual(["a.ts"]);
    expect(snapshot.info.label).toBe("local file a.ts (working copy)");
  });
});

describe("the path", () => {
  test.each([["."], ["./"], ["~"], ["sub/.."]])("%s is the folder", async (written) => {
    await using folder = await temporaryFolder("//- a.ts\n//- sub/b.ts\n");
    const snapshot = await localOf(folder).open({ name: "demo", path: written }, { signal });
    expect(snapshot.files.map((file) => file.path)).toEqual(["a.ts", "sub/b.ts"]);
    expect(snapshot.pathOnDisk("a.ts")).toBe(path.join(folder.path, "a.ts"));
    expect(snapshot.pathOnDisk("none.ts")).toBeUndefined();
    expect(snapshot.info).toMatchObject({
      type: "local",
      fetchedAt: null,
      label: `local folder ${written} (working copy)`,
    });
  });

  test("below the home folder is shown with ~", async () => {
    await using folder = await temporaryFolder("//- sub/a.ts\n");
    const written = path.join(folder.path, "sub");
    const snapshot = await localOf(folder).open({ name: "demo", path: written }, { signal });
    expect(snapshot.info.label).toBe(`local folder ~${path.sep}sub (working copy)`);
  });

  test("that does not exist is reported in full", async () => {
    await using folder = await temporaryFolder();
    const local = localOf(folder);
    const error = await local.open({ name: "demo", path: "./none" }, { signal }).catch(toErrorBody);
    expect(error).toEqual({
      error: `there is no folder ${path.join(folder.path, "none")}`,
      tag: "PathNotFound",
      hint: "correct the path of demo in the configuration",
    });
    const oneOff = await local.open({ name: "./none", path: "./none" }, { signal }).catch(toErrorBody);
    expect(oneOff).toMatchObject({
      hint: "./none was resolved to this path; give an existing folder, a configured name, an HTTPS git URL or npm:<package>",
    });
    expect(await local.describe({ name: "demo", path: "./none" })).toMatchObject({ state: "absent" });
    expect(await local.describe({ name: "demo", path: "." })).toMatchObject({ state: "ready" });
  });
});

describe("the revision", () => {
  test("is the same for the same content, at any place and time", async () => {
    await using one = await temporaryFolder("//- a.ts\nA\n//- b.ts\nB\n");
    await using two = await temporaryFolder("//- b.ts\nB\n//- a.ts\nA\n");
    expect((await open(one)).revision).toBe((await open(two)).revision);
  });

  test.each([
    ["an edit of the same length", (folder: Folder) => folder.write("//- a.ts\nX\n")],
    ["a new file", (folder: Folder) => folder.write("//- c.ts\n")],
    ["a removed file", (folder: Folder) => rm(path.join(folder.path, "b.ts"))],
    ["a renamed file", (folder: Folder) => rename(path.join(folder.path, "b.ts"), path.join(folder.path, "c.ts"))],
    [
      "two files that change places",
      async (folder: Folder) => {
        await folder.write("//- a.ts\nB\n//- b.ts\nA\n");
      },
    ],
  ])("changes with %s", async (_what, change) => {
    await using folder = await temporaryFolder("//- a.ts\nA\n//- b.ts\nB\n");
    const local = localOf(folder);
    const before = await open(folder, local);
    await change(folder);
    expect((await open(folder, local)).revision).not.toBe(before.revision);
  });

  test("changes with an edit whose time was set back", async () => {
    await using folder = await temporaryFolder("//- a.ts\nA\n");
    const file = path.join(folder.path, "a.ts");
    const long = new Date("2026-01-01");
    const local = localOf(folder);
    await utimes(file, long, long);
    const before = await open(folder, local);
    await writeFile(file, "B\n");
    await utimes(file, long, long);
    expect((await open(folder, local)).revision).not.toBe(before.revision);
  });
});

describe("while the question runs", () => {
  test("a file that was read reads the same again", async () => {
    await using folder = await temporaryFolder("//- a.ts\nbefore\n");
    const snapshot = await open(folder);
    const before = await snapshot.read("a.ts");
    await folder.write("//- a.ts\nafter\n");
    expect(await snapshot.read("a.ts")).toEqual(before);
    await rm(path.join(folder.path, "a.ts"));
    expect(await snapshot.read("a.ts")).toEqual(before);
  });

  test.each([
    ["edited", (folder: Folder) => folder.write("//- a.ts\nafter, and longer\n")],
    ["removed", (folder: Folder) => rm(path.join(folder.path, "a.ts"))],
    [
      "replaced by a folder",
      async (folder: Folder) => {
        await rm(path.join(folder.path, "a.ts"));
        await mkdir(path.join(folder.path, "a.ts"));
      },
    ],
  ])("a file that was %s before it was read is not shown", async (_what, change) => {
    await using folder = await temporaryFolder("//- a.ts\nbefore\n");
    const snapshot = await open(folder);
    await change(folder);
    const error = await snapshot.read("a.ts").catch(toErrorBody);
    expect(error).toEqual({
      error: "a.ts changed on disk while the question ran",
      tag: "FileNotReadable",
      hint: "ask again to read the current file",
    });
  });

  test("a file added later is missing", async () => {
    await using folder = await temporaryFolder("//- a.ts\n");
    const snapshot = await open(folder);
    await folder.write("//- b.ts\n");
    await expect(snapshot.read("b.ts")).rejects.toMatchObject({ tag: "FileNotFound" });
  });

  test("the cache of texts is bounded", async () => {
    await using folder = await temporaryFolder();
    const names = Array.from({ length: 6 }, (_, index) => `${index}.txt`);
    for (const name of names) await writeFile(path.join(folder.path, name), "x".repeat(7 * 1024 * 1024));
    const snapshot = await open(folder);
    for (const name of names) await snapshot.read(name);
    for (const name of names) await writeFile(path.join(folder.path, name), "changed");
    const again = await Promise.allSettled(names.map((name) => snapshot.read(name)));
    expect(again.map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "fulfilled",
    ]);
  });
});
