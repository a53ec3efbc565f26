import { execFileSync } from "node:child_process";
import { mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../server/errors.ts";
import { openTree, type OpenTreeOptions } from "../../../server/resources/tree.ts";
import { unreadReason } from "../../../server/resources/tree-reader.ts";
import { type Folder, temporaryFolder } from "../../support/folder.ts";

const info = { resource: "demo", type: "git", revision: "r1", label: "demo at r1", fetchedAt: null } as const;
const open = (folder: Folder, options: Partial<OpenTreeOptions> = {}) => openTree(folder.path, { info, ...options });

describe("the list of files", () => {
  test("is in code-unit order, with sizes, at any depth", async () => {
    await using folder = await temporaryFolder("//- b.ts\nbee\n//- a/z.ts\n\n//- a/b/c.ts\nsea\n//- B.ts\n");
    const tree = await open(folder);
    expect(tree.files.map(({ path, sizeBytes }) => [path, sizeBytes])).toEqual([
      ["B.ts", 0],
      ["a/b/c.ts", 4],
      ["a/z.ts", 1],
      ["b.ts", 4],
    ]);
    expect(tree.info).toMatchObject({ fileCount: 4, skippedCount: 0 });
  });

  test("of an empty folder is empty", async () => {
    await using folder = await temporaryFolder();
    expect((await open(folder)).files).toEqual([]);
  });

  test("contains names with spaces, line ends, leading dashes, quotes and letters of any script, which can be read", async () => {
    await using folder = await temporaryFolder();
    const names = [
      "-n",
      "two words.md",
      "line\nend.txt",
      'quo"te[1]#%20.ts',
      "ünï/日本語.md",
      "🙂.ts",
      "e\u0301.ts",
      "é.ts",
    ];
    for (const name of names) {
      await mkdir(path.dirname(path.join(folder.path, name)), { recursive: true });
      await writeFile(path.join(folder.path, name), name);
    }
    const tree = await open(folder);
    expect(tree.files.map((file) => file.path)).toEqual([...names].sort());
    for (const name of names) expect((await tree.read(name)).text).toBe(name);
  });

  test("excludes paths that cannot be read here, and reports them; a colon is part of a name", async () => {
    await using folder = await temporaryFolder();
    for (const name of ["back\\slash.ts", "c:drive.ts"]) await writeFile(path.join(folder.path, name), "");
    await writeFile(Buffer.concat([Buffer.from(`${folder.path}/bad`), Buffer.from([0xff])]), "");
    const tree = await open(folder);
    expect(tree.files.map((file) => file.path)).toEqual(["c:drive.ts"]);
    expect(tree.info.skipped).toEqual(tree.skipped);
    expect(tree.skipped).toEqual([
      { path: "back\\slash.ts", reason: "its name must not contain a backslash" },
      { path: "bad\uFFFD", reason: "its name is not valid UTF-8" },
    ]);
  });

  test("excludes files over 8 MB, and reports their size", async () => {
    await using folder = await temporaryFolder();
    for (const [name, size] of Object.entries({
      "limit.bin": 8 * 1024 ** 2,
      "over.bin": 8 * 1024 ** 2 + 1,
      "huge.bin": 3 * 1024 ** 3,
    })) {
      await writeFile(path.join(folder.path, name), "");
      await truncate(path.join(folder.path, name), size);
    }
    const tree = await open(folder);
    expect(tree.files.map((file) => file.path)).toEqual(["limit.bin"]);
    expect(tree.skipped).toEqual([
      { path: "huge.bin", reason: "3072 MB, over the limit of 8 MB" },
      { path: "over.bin", reason: "9 MB, over the limit of 8 MB" },
    ]);
  });

  test("excludes pipes, sockets and devices", async () => {
    await using folder = await temporaryFolder();
    execFileSync("mkfifo", [path.join(folder.path, "pipe")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path.join(folder.path, "socket"), resolve));
    const tree = await open(folder);
    server.close();
    expect(tree.skipped).toEqual([
      { path: "pipe", reason: "a named pipe" },
      { path: "socket", reason: "a socket" },
    ]);
  });

  test("excludes what the caller excludes, whole folders at once", async () => {
    await using folder = await temporaryFolder("//- a.ts\n//- node_modules/x/a.ts\n");
    const exclude = (name: string) => (name === "node_modules" ? "installed" : undefined);
    const tree = await open(folder, { exclude });
    expect(tree.files.map((file) => file.path)).toEqual(["a.ts"]);
    expect(tree.skipped).toEqual([{ path: "node_modules", reason: "installed" }]);
  });

  test("is not finished when the question is cancelled", async () => {
    await using folder = await temporaryFolder("//- a.ts\n");
    const signal = AbortSignal.abort();
    await expect(open(folder, { signal })).rejects.toThrow("aborted");
  });
});

describe("links", () => {
  test("to a file of the tree read as that file; all others are skipped, with the reason", async () => {
    await using outside = await temporaryFolder("//- secret.txt\nsecret\n");
    await using folder = await temporaryFolder("//- docs/a.md\ntext\n//- hidden/b.md\n");
    const links = {
      "in.md": "docs/a.md",
      "docs/up.md": "../docs/a.md",
      "chain.md": "in.md",
      "absolute.txt": path.join(outside.path, "secret.txt"),
      "relative.txt": `../${path.basename(outside.path)}/secret.txt`,
      "out-folder": outside.path,
      "out-nothing": path.join(outside.path, "no-such-file"),
      "out-loop": path.join(outside.path, "loop"),
      "out-and-back": `../${path.basename(folder.path)}/docs/a.md`,
      "through-link": "out-folder/secret.txt",
      "through-link-nothing": "out-folder/no-such-file",
      "through-and-back": "out-nothing/../secret.txt",
      "in-folder": "docs",
      root: ".",
      loop: "loop",
      nothing: "no-such-file",
      excluded: "hidden/b.md",
      "docs/self": "../docs",
    };
    for (const [name, target] of Object.entries(links)) await symlink(target, path.join(folder.path, name));
    const tree = await open(folder, { exclude: (name) => (name === "hidden" ? "hidden" : undefined) });
    expect(tree.files.map((file) => file.path)).toEqual(["chain.md", "docs/a.md", "docs/up.md", "in.md"]);
    expect((await tree.read("chain.md")).text).toBe("text\n");
    expect(Object.fromEntries(tree.skipped.map(({ path, reason }) => [path, reason]))).toEqual({
      "absolute.txt": "a link that leaves the tree",
      "relative.txt": "a link that leaves the tree",
      "out-folder": "a link that leaves the tree",
      "out-nothing": "a link that leaves the tree",
      "out-loop": "a link that leaves the tree",
      "out-and-back": "a link that leaves the tree",
      "through-link": "a link that leaves the tree",
      "through-link-nothing": "a link that leaves the tree",
      "through-and-back": "a link that leaves the tree",
      "in-folder": "a link to docs, which is not a file that is read",
      "docs/self": "a link to docs, which is not a file that is read",
      root: "a link to the root, which is not a file that is read",
      loop: "a link that leads back to itself",
      nothing: "a link to nothing",
      excluded: "a link to hidden/b.md, which is not a file that is read",
      hidden: "hidden",
    });
  });

  test.each([
    [
      "the file",
      async (root: string, target: string) => {
        await rm(path.join(root, "src/a.ts"));
        await symlink(path.join(target, "a.ts"), path.join(root, "src/a.ts"));
      },
    ],
    [
      "the folder above it",
      async (root: string, target: string) => {
        await rename(path.join(root, "src"), path.join(root, "old"));
        await symlink(target, path.join(root, "src"));
      },
    ],
  ])("put in place of %s later are not followed", async (_what, swap) => {
    await using outside = await temporaryFolder("//- a.ts\nsecret\n");
    await using folder = await temporaryFolder("//- src/a.ts\npublic\n");
    const tree = await open(folder);
    await swap(folder.path, outside.path);
    await expect(tree.read("src/a.ts")).rejects.toMatchObject({ tag: "FileNotReadable" });
  });

  test.each(["src/a.ts", "src/deep/er/a.ts"])(
    "moved along with the same file behind them are not followed either: %s",
    async (file) => {
      await using folder = await temporaryFolder(`//- ${file}\npublic\n`);
      const tree = await open(folder);
      await rename(path.join(folder.path, "src"), path.join(folder.path, "old"));
      await symlink("old", path.join(folder.path, "src"));
      await expect(tree.read(file)).rejects.toMatchObject({ tag: "FileNotReadable" });
    },
  );
});

describe("reading", () => {
  test.each([
    ["", "InvalidPath"],
    ["../a.ts", "InvalidPath"],
    ["a/../../a.ts", "InvalidPath"],
    ["./a.ts", "InvalidPath"],
    ["a//b.ts", "InvalidPath"],
    ["a.ts/", "InvalidPath"],
    ["/etc/passwd", "InvalidPath"],
    ["C:/Windows/win.ini", "InvalidPath"],
    ["..\\a.ts", "InvalidPath"],
    ["a\0.ts", "InvalidPath"],
    ["A.ts", "FileNotFound"],
    ["a", "FileNotFound"],
    ["%2e%2e/a.ts", "FileNotFound"],
  ])("%j is refused: %s", async (asked, tag) => {
    await using folder = await temporaryFolder("//- a.ts\n//- src/b.ts\n");
    await expect((await open(folder)).read(asked)).rejects.toMatchObject({ tag });
  });

  test("of a missing path reports where a file of that name is", async () => {
    await using folder = await temporaryFolder("//- src/deep/b.ts\n");
    const error = await (await open(folder)).read("b.ts").catch(toErrorBody);
    expect(error).toEqual({ error: 'no file "b.ts" in demo', tag: "FileNotFound", hint: "there is src/deep/b.ts" });
  });

  test("of a folder reports that it is one", async () => {
    await using folder = await temporaryFolder("//- src/deep/b.ts\n");
    const error = await (await open(folder)).read("src").catch(toErrorBody);
    expect(error).toEqual({
      error: '"src" is a folder of demo',
      tag: "FileNotFound",
      hint: "name a file in it, such as src/deep/b.ts",
    });
  });

  test("of a skipped file reports why", async () => {
    await using folder = await temporaryFolder();
    const alsoSkipped = [{ path: "vendor", reason: "a submodule, not fetched" }];
    const error = await (await open(folder, { alsoSkipped })).read("vendor").catch(toErrorBody);
    expect(error).toEqual({ error: "vendor is not read: a submodule, not fetched", tag: "FileNotReadable" });
  });

  test("keeps line ends, and detects encodings", async () => {
    await using folder = await temporaryFolder();
    const files = {
      "crlf.txt": Buffer.from("a\r\nb\r\n"),
      "latin1.txt": Buffer.from([0xe9, 0x0a]),
      "utf16.txt": Buffer.from("\uFEFFé\n", "utf16le"),
    };
    for (const [name, bytes] of Object.entries(files)) await writeFile(path.join(folder.path, name), bytes);
    const tree = await open(folder);
    const read = await Promise.all(tree.files.map(async (file) => tree.read(file.path)));
    expect(read.map(({ text, lines, encoding }) => ({ text, lines, encoding }))).toEqual([
      { text: "a\r\nb\r\n", lines: ["a", "b"], encoding: "utf-8" },
      { text: "é\n", lines: ["é"], encoding: "latin1" },
      { text: "é\n", lines: ["é"], encoding: "utf-16le" },
    ]);
  });

  test("of binary files is refused", async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, "logo.png"), Buffer.from([0x89, 0x50, 0, 0x47]));
    const error = await (await open(folder)).read("logo.png").catch(toErrorBody);
    expect(error).toEqual({ error: "logo.png is binary", tag: "FileNotReadable" });
  });

  test("reports the reason without the name of the file, too", async () => {
    await using folder = await temporaryFolder("//- is x.ts\none\n//- b.png\n\0\n");
    const tree = await open(folder);
    await folder.write("//- is x.ts\nanother one\n");
    const reasons = await Promise.all(
      tree.files.map(async ({ path }) => tree.read(path).catch((error: unknown) => unreadReason(error, path))),
    );
    expect(reasons).toEqual(["binary", "changed on disk while the question ran"]);
    expect(unreadReason(new Error("is x.ts"), "x.ts")).toBe("is x.ts");
  });

  test("stops when the question is cancelled", async () => {
    await using folder = await temporaryFolder("//- a.ts\n");
    const tree = await open(folder);
    await expect(tree.read("a.ts", { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  });
});

describe("search paths", () => {
  const source = "//- docs/en/a.md\n//- docs/fr/a.md\n//- docs/index.md\n//- docs-old/a.md\n//- src/a.ts\n";

  test.each([
    [["docs/en"], ["docs/en/a.md"]],
    [["docs"], ["docs/en/a.md", "docs/fr/a.md", "docs/index.md"]],
    [
      ["docs/index.md", "src"],
      ["docs/index.md", "src/a.ts"],
    ],
    [
      ["docs", "docs/en", "docs"],
      ["docs/en/a.md", "docs/fr/a.md", "docs/index.md"],
    ],
  ])("%j includes %j", async (searchPaths, files) => {
    await using folder = await temporaryFolder(source);
    const tree = await open(folder, { searchPaths });
    expect(tree.files.map((file) => file.path)).toEqual(files);
    await expect(tree.read("docs-old/a.md")).rejects.toMatchObject({ tag: "FileNotFound" });
  });

  test.each([
    ["doc", "folders in the root: docs/, docs-old/, src/"],
    ["docs/de/a", "folders in docs: en/, fr/"],
    ["docs/en/api", "docs/en has no folders"],
    ["src/a.ts/b", "src/a.ts has no folders"],
  ])("%j does not exist: %s", async (searchPath, hint) => {
    await using folder = await temporaryFolder(source);
    const error = await open(folder, { searchPaths: [searchPath] }).catch(toErrorBody);
    expect(error).toEqual({
      error: `no search path ${JSON.stringify(searchPath)} at this revision`,
      tag: "SearchPathNotFound",
      hint,
    });
  });

  test("do not go through links", async () => {
    await using outside = await temporaryFolder("//- a.ts\n");
    await using folder = await temporaryFolder();
    await symlink(outside.path, path.join(folder.path, "out"));
    await expect(open(folder, { searchPaths: ["out"] })).rejects.toMatchObject({ tag: "SearchPathNotFound" });
    await expect(open(folder, { searchPaths: ["../x"] })).rejects.toMatchObject({ tag: "InvalidPath" });
  });
});

test("the tree is released once", async () => {
  await using folder = await temporaryFolder();
  let released = 0;
  const tree = await open(folder, { release: async () => void released++ });
  await tree[Symbol.asyncDispose]();
  await tree[Symbol.asyncDispose]();
  expect(released).toBe(1);
});
