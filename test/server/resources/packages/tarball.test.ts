import { execFile } from "node:child_process";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../server/errors.ts";
import { unpackTarball } from "../../../../server/resources/packages/tarball.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { packEntries, packTarball, type TarEntry } from "../../../support/npm-registry.ts";
import { runNpm } from "../../../support/run-npm.ts";

/** The files that are there afterwards, and what was left out; or the error. */
async function unpacked(tarball: Uint8Array, { signal = new AbortController().signal } = {}): Promise<string[]> {
  await using folder = await temporaryFolder("//- out/.keep\n");
  const file = path.join(folder.path, "package.tgz");
  await writeFile(file, tarball);
  const directory = path.join(folder.path, "out");
  try {
    const skipped = await unpackTarball(file, directory, { label: "pkg 1.0.0", reserved: ".reserved", signal });
    return [...(await filesBelow(directory)), ...skipped.map(({ path, reason }) => `${path}: ${reason}`)];
  } catch (error) {
    const outside = (await filesBelow(folder.path)).filter((name) => !/^(out\/|package\.tgz)/.test(name));
    const written = toErrorBody(error).tag === "PackageUnreadable" ? await filesBelow(directory) : [];
    return [`${toErrorBody(error).tag}: ${toErrorBody(error).error}`, ...outside, ...written];
  }
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && entry.name !== ".keep");
  return files
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted();
}

const ordinary: TarEntry = { path: "package/index.js", content: "export {}\n" };

test("a tarball from npm is unpacked completely", async () => {
  await using folder = await temporaryFolder(
    '//- pkg/package.json\n{"name":"pkg","version":"1.0.0"}\n//- pkg/src/deep/a.js\nexport {}\n//- pkg/README.md\n# Hi\n',
  );
  const cwd = path.join(folder.path, "pkg");
  await runNpm(["pack"], { cwd, home: folder.path });
  expect(await unpacked(await readFile(path.join(cwd, "pkg-1.0.0.tgz")))).toEqual([
    "README.md",
    "package.json",
    "src/deep/a.js",
  ]);
});

test("unpacks a tarball from tar with any name of its top folder", async () => {
  await using folder = await temporaryFolder(`//- any-name/${"long-name-".repeat(15)}/a.js\nexport {}\n`);
  await promisify(execFile)("tar", ["-czf", "x.tgz", "any-name"], { cwd: folder.path });
  expect(await unpacked(await readFile(path.join(folder.path, "x.tgz")))).toEqual([`${"long-name-".repeat(15)}/a.js`]);
});

describe("a tarball with an entry that leaves the folder is refused", () => {
  test.each([
    "../outside.js",
    "package/../../outside.js",
    "package/a/../../../outside.js",
    "/outside.js",
    "C:/outside.js",
    "package\\..\\..\\outside.js",
    "\\outside.js",
    "..",
  ])("%s", async (entryPath) => {
    const tarball = packEntries([ordinary, { ...ordinary, path: entryPath }, { ...ordinary, path: "package/z.js" }]);
    expect(await unpacked(tarball)).toEqual([
      `PackageUnreadable: the tarball of pkg 1.0.0 has an entry that leaves its folder: ${JSON.stringify(entryPath)}`,
    ]);
  });
});

describe("anything but a file is skipped and reported", () => {
  test.each<[string, TarEntry[], string[]]>([
    [
      "a symbolic link, and what is written through it",
      [
        { path: "package/link", type: "SymbolicLink", linkpath: "/etc" },
        { path: "package/link/passwd", content: "forged" },
      ],
      ["index.js", "link/passwd", "link: a link, which npm does not unpack either"],
    ],
    [
      "a hard link",
      [{ path: "package/hard", type: "Link", linkpath: "../../package.tgz" }],
      ["index.js", "hard: a link, which npm does not unpack either"],
    ],
    ["a device", [{ path: "package/dev", type: "CharacterDevice" }], ["index.js", "dev: not a regular file"]],
    [
      "what would pass for the package's pages",
      [{ path: "package/.Reserved/page.md", content: "forged" }],
      ["index.js", ".Reserved/page.md: its folder is reserved for the package's pages"],
    ],
    ["a folder", [{ path: "package/empty/", type: "Directory" }], ["index.js"]],
    ["what has no top folder", [{ path: "loose.js", content: "" }], ["index.js"]],
  ])("%s", async (_title, entries, expected) => {
    expect(await unpacked(packEntries([ordinary, ...entries]))).toEqual(expected);
  });
});

test("an unreadable file mode is corrected", async () => {
  await using folder = await temporaryFolder("//- out/.keep\n");
  const file = path.join(folder.path, "package.tgz");
  const closed: TarEntry[] = [
    { path: "package/sub/", type: "Directory", mode: 0o000 },
    { path: "package/sub/a.js", content: "a", mode: 0o000 },
  ];
  await writeFile(file, packEntries(closed));
  const signal = new AbortController().signal;
  await unpackTarball(file, path.join(folder.path, "out"), { label: "pkg", reserved: ".reserved", signal });
  const { mode } = await stat(path.join(folder.path, "out/sub/a.js"));
  expect(mode & 0o444).toBe(0o444);
});

test("a tarball that is not compressed is unpacked", async () => {
  expect(await unpacked(gunzipSync(packEntries([ordinary])))).toEqual(["index.js"]);
});

describe("an invalid tarball", () => {
  const whole = packTarball({ "index.js": "x".repeat(10_000) });
  test.each<[string, Uint8Array]>([
    ["nothing", Buffer.alloc(0)],
    ["a page", Buffer.from("<html>".repeat(200))],
    ["a compressed page", gzipSync(Buffer.from("<html>".repeat(200)))],
    ["half of one", whole.subarray(0, whole.length / 2)],
  ])("%s", async (_title, bytes) => {
    expect(await unpacked(bytes)).toEqual([
      "PackageUnreadable: the tarball of pkg 1.0.0 is not a tarball that can be unpacked",
    ]);
  });

  test("gigabytes in a few bytes", async () => {
    const gigabyte = 1024 * 1024 * 1024;
    const bomb = packEntries([{ path: "package/a", size: 3 * gigabyte }, ordinary]);
    expect(await unpacked(bomb)).toEqual([
      "PackageUnreadable: the tarball of pkg 1.0.0 unpacks to more than any package needs",
    ]);
  });
});

test("an entry whose name the disk refuses is skipped and reported", async () => {
  const long = "x".repeat(300);
  const entries: TarEntry[] = [
    { path: "package/a", content: "x" },
    { path: "package/a/b", content: "y" },
    { path: `package/${long}`, content: "z" },
    { path: `package/${"d/".repeat(2100)}deep.js`, content: "z" },
    ordinary,
  ];
  expect((await unpacked(packEntries(entries))).toSorted()).toEqual([
    "a",
    expect.stringMatching(/^a\/b: the disk refuses its name \((ENOTDIR|EEXIST)\)$/),
    `${"d/".repeat(2100)}deep.js: its path is too long`,
    "index.js",
    `${long}: the disk refuses its name (ENAMETOOLONG)`,
  ]);
});

describe("a tarball with too many entries is refused before anything is written", () => {
  const header = gunzipSync(packEntries([{ path: "package/a.js" }])).subarray(0, 512);
  const folders = Array.from({ length: 3000 }, (_value, index) => `package/${index}/${"d/".repeat(70)}a.js`);
  test.each([
    ["files", gzipSync(Buffer.alloc(200_001 * header.length, header))],
    ["folders in the paths of files", packEntries(folders.map((path) => ({ path })))],
  ])("%s", async (_title, tarball) => {
    await using folder = await temporaryFolder("//- out/.keep\n");
    const file = path.join(folder.path, "package.tgz");
    await writeFile(file, tarball);
    const signal = new AbortController().signal;
    const out = path.join(folder.path, "out");
    const unpacking = unpackTarball(file, out, { label: "pkg 1.0.0", reserved: ".reserved", signal });
    await expect(unpacking).rejects.toMatchObject({
      tag: "PackageUnreadable",
      message: "the tarball of pkg 1.0.0 unpacks to more than any package needs",
    });
    expect(await readdir(out)).toEqual([".keep"]);
  });
});

test("an error of the disk is reported by its code", async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "package.tgz");
  await writeFile(file, packEntries([ordinary]));
  // A file where the folder should be: no user can write there, the superuser included.
  await writeFile(path.join(folder.path, "out"), "");
  const signal = new AbortController().signal;
  const unpacking = unpackTarball(file, path.join(folder.path, "out"), { label: "pkg", reserved: ".reserved", signal });
  await expect(unpacking).rejects.toThrow(/ENOTDIR|EEXIST/);
});

test("a cancelled question stops unpacking", async () => {
  expect(await unpacked(packEntries([ordinary]), { signal: AbortSignal.abort() })).toEqual([
    "Cancelled: the question was cancelled",
  ]);
});
