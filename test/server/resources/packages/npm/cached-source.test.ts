import { appendFile, mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { createCachedSource } from "../../../../../server/resources/packages/npm/cached-source.ts";
import { openZip } from "../../../../../server/resources/packages/zip.ts";
import type { Source } from "../../../../../server/resources/source.ts";
import { type Folder, temporaryFolder } from "../../../../support/folder.ts";
import { packYarnZip, packZip, type ZipEntry } from "../../../../support/zip.ts";

const ordinary: ZipEntry = { path: "node_modules/pkg/index.js", content: "export {}\n" };
const signal = new AbortController().signal;
/** The cache's zip of a folder with two files, with `compressionLevel: 9`. */
const writtenByYarn = `
UEsDBBQAAAAAAECu1ggAAAAAAAAAAAAAAAANAAAAbm9kZV9tb2R1bGVzL1BLAwQUAAAAAABArtYIAAAAAAAAAAAAAAAAEQAAAG5vZGVf
bW9kdWxlcy9wa2cvUEsDBBQAAgAIAECu1gjRyVM9IQAAACEAAAAdAAAAbm9kZV9tb2R1bGVzL3BrZy9wYWNrYWdlLmpzb26rVspLzE1V
slIqyE5X0lEqSy0qzszPA/IN9Qz0DJRquQBQSwMEFAAAAAAAQK7WCAAAAAAAAAAAAAAAABUAAABub2RlX21vZHVsZXMvcGtnL3NyYy9Q
SwMEFAACAAgAQK7WCFPOklIfAAAAIAMAABkAAABub2RlX21vZHVsZXMvcGtnL3NyYy9hLmpzS60oyC8qUUjOzysuUUhUsFUwtOZKHRUb
FRsVA4sBAFBLAQI/AxQAAAAAAECu1ggAAAAAAAAAAAAAAAANAAAAAAAAAAAAAADtQQAAAABub2RlX21vZHVsZXMvUEsBAj8DFAAAAAAA
QK7WCAAAAAAAAAAAAAAAABEAAAAAAAAAAAAAAO1BKwAAAG5vZGVfbW9kdWxlcy9wa2cvUEsBAj8DFAACAAgAQK7WCNHJUz0hAAAAIQAA
AB0AAAAAAAAAAAAAAKSBWgAAAG5vZGVfbW9kdWxlcy9wa2cvcGFja2FnZS5qc29uUEsBAj8DFAAAAAAAQK7WCAAAAAAAAAAAAAAAABUA
AAAAAAAAAAAAAO1BtgAAAG5vZGVfbW9kdWxlcy9wa2cvc3JjL1BLAQI/AxQAAgAIAECu1ghTzpJSHwAAACADAAAZAAAAAAAAAAAAAACk
gekAAABub2RlX21vZHVsZXMvcGtnL3NyYy9hLmpzUEsFBgAAAAAFAAUATwEAAD8BAAAAAA==
`;

/** The files that are there afterwards, and what was left out; or the error, without the folder of the test. */
async function unpacked(zip: Uint8Array, { aborted = false } = {}): Promise<string[]> {
  await using folder = await temporaryFolder("//- out/.keep\n");
  const source = await sourceOf(folder, zip);
  return await outcome(folder, source, { aborted });
}

async function sourceOf(folder: Folder, zip: Uint8Array, name = "pkg"): Promise<Source> {
  const file = path.join(folder.path, "pkg.zip");
  await writeFile(file, zip);
  const { size: sizeBytes, mtimeMs } = await stat(file);
  const reference = "npm:1.0.0";
  return createCachedSource({ name, reference, version: "1.0.0", isPatched: false, file, sizeBytes, mtimeMs });
}

async function outcome(folder: Folder, source: Source, { aborted = false } = {}): Promise<string[]> {
  const directory = path.join(folder.path, "out");
  const options = { revision: "", signal: aborted ? AbortSignal.abort() : signal, onProgress: () => {} };
  try {
    const { skipped = [] } = await source.fetch(directory, options);
    return [...(await filesBelow(directory)), ...skipped.map(({ path, reason }) => `${path}: ${reason}`)];
  } catch (error) {
    const outside = (await filesBelow(folder.path)).filter((name) => !/^(out\/|pkg\.zip)/.test(name));
    const { tag, error: text } = toErrorBody(error);
    return [`${tag}: ${text.replace(path.join(folder.path, "pkg.zip"), "pkg.zip")}`, ...outside];
  }
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory() && entry.name !== ".keep");
  return files
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .toSorted();
}

const unreadable = (fault: string) => [`PackageUnreadable: pkg.zip in yarn's cache cannot be read: ${fault}`];

describe("the package's files are unpacked completely", () => {
  test.each([
    ["stored, as yarn 4 keeps them", 0],
    ["deflated, as yarn 3 keeps them", 8],
  ])("%s", async (_title, method) => {
    await using folder = await temporaryFolder("//- out/.keep\n");
    const files = { "package.json": "{}", "src/deep/a.js": "export {}\n".repeat(1000), "empty.js": "", "ü.md": "ü" };
    const source = await sourceOf(folder, packYarnZip("@sc/pkg", files, { method }), "@sc/pkg");
    expect(await outcome(folder, source)).toEqual(Object.keys(files).toSorted());
    for (const [name, content] of Object.entries(files)) {
      expect(await readFile(path.join(folder.path, "out", name), "utf8")).toBe(content);
    }
  });

  test("as yarn 4.18 itself wrote them", async () => {
    await using folder = await temporaryFolder("//- out/.keep\n");
    const source = await sourceOf(folder, Buffer.from(writtenByYarn, "base64"));
    expect(await outcome(folder, source)).toEqual(["package.json", "src/a.js"]);
    const text = await readFile(path.join(folder.path, "out/src/a.js"), "utf8");
    expect(text).toBe("export const a = 1;\n".repeat(40));
  });

  test("and nothing beside them", async () => {
    const beside = { path: "node_modules/other/index.js", content: "x" };
    const alike = { path: "node_modules/pkg2/index.js", content: "x" };
    expect(await unpacked(packZip([beside, ordinary, alike, { path: "loose.js" }]))).toEqual(["index.js"]);
  });
});

describe("a zip with an entry that leaves the folder is refused", () => {
  test.each([
    "../outside.js",
    "node_modules/pkg/../../../outside.js",
    "/outside.js",
    "C:/outside.js",
    "node_modules/pkg/..\\..\\outside.js",
    "\\outside.js",
  ])("%s", async (entryPath) => {
    expect(await unpacked(packZip([ordinary, { ...ordinary, path: entryPath }]))).toEqual(
      unreadable(`it has an entry that leaves its folder: ${JSON.stringify(entryPath)}`),
    );
  });
});

describe("anything but a plain file is skipped and reported", () => {
  test.each<[string, ZipEntry[], string[]]>([
    [
      "a symbolic link, and what is written through it",
      [
        { path: "node_modules/pkg/link", content: "/etc", mode: 0o120777 },
        { path: "node_modules/pkg/link/passwd", content: "forged" },
      ],
      ["index.js", "link/passwd", "link: a link, which is not followed"],
    ],
    [
      "a device",
      [{ path: "node_modules/pkg/dev", content: "", mode: 0o020644 }],
      ["index.js", "dev: not a regular file"],
    ],
    [
      "a file that would pass for the package's pages",
      [{ path: "node_modules/pkg/.Citewell-Package/page.md", content: "forged" }],
      ["index.js", ".Citewell-Package/page.md: its folder is reserved for the package's pages"],
    ],
    [
      "a path that is invalid on some platform",
      [{ path: "node_modules/pkg/C:/a.js" }, { path: "node_modules/pkg/a\\b.js" }, { path: "node_modules/pkg//c.js" }],
      [
        "index.js",
        "C:/a.js: its name must not be absolute",
        "a\\b.js: its name must not contain a backslash",
        "/c.js: its name must not be absolute",
      ],
    ],
    [
      "a file that is too large",
      [{ path: "node_modules/pkg/big.bin", content: "x", method: 8, size: 9 * 1024 * 1024 }],
      ["index.js", "big.bin: 9 MB, over the limit of 8 MB"],
    ],
    ["a folder", [{ path: "node_modules/pkg/empty", mode: 0o40755 }], ["index.js"]],
    ["but not a file without a mode", [{ path: "node_modules/pkg/plain.js", mode: 0 }], ["index.js", "plain.js"]],
  ])("%s", async (_title, entries, expected) => {
    expect(await unpacked(packZip([ordinary, ...entries]))).toEqual(expected);
  });
});

describe("an untrustworthy entry is refused, and nothing is written outside the folder", () => {
  const content = "export {}\n".repeat(100);
  const entry: ZipEntry = { path: "node_modules/pkg/a.js", content };
  const quoted = '"node_modules/pkg/a.js": ';
  test.each<[string, ZipEntry, string]>([
    ["a wrong checksum", { ...entry, checksum: 1 }, `${quoted}the checksum does not match`],
    ["fewer bytes than declared", { ...entry, size: 2000 }, "compressed/uncompressed size mismatch for stored file"],
    [
      "fewer bytes than declared, deflated",
      { ...entry, method: 8, size: 2000 },
      `${quoted}not enough bytes in the stream. expected 2000. got only 1000`,
    ],
    [
      "more bytes than declared: a zip bomb",
      { ...entry, method: 8, size: 10 },
      `${quoted}too many bytes in the stream. expected 10.`,
    ],
    ["an encrypted entry", { ...entry, flags: 1, method: 8 }, `${quoted}entry is encrypted`],
    ["an unknown method", { ...entry, method: 14 }, `${quoted}unsupported compression method: 14`],
  ])("%s", async (_title, hostile, fault) => {
    const [error = "", ...outside] = await unpacked(packZip([ordinary, hostile]));
    expect(error.startsWith(unreadable(fault)[0] ?? "")).toBe(true);
    expect(outside).toEqual([]);
  });

  test("a zip64 size without its zip64 field", async () => {
    const hostile = { ...ordinary, method: 8, size: 0xffffffff };
    expect(await unpacked(packZip([hostile]))).toEqual(unreadable("it unpacks to more than any package needs"));
  });

  test("a name that the disk refuses is skipped and reported", async () => {
    const long = "x".repeat(300);
    const entries = ["a", "a/b", long].map((name) => ({ path: `node_modules/pkg/${name}` }));
    expect(await unpacked(packZip([...entries, ordinary]))).toEqual([
      "a",
      "index.js",
      expect.stringMatching(/^a\/b: the disk refuses its name \((ENOTDIR|EEXIST)\)$/),
      `${long}: the disk refuses its name (ENAMETOOLONG)`,
    ]);
  });

  test("gigabytes in a few bytes", async () => {
    const gigabyte = 1024 * 1024 * 1024;
    const entries = [0, 1, 2].map((at) => ({ path: `node_modules/pkg/${at}`, method: 8, size: gigabyte }));
    expect(await unpacked(packZip(entries))).toEqual(unreadable("it unpacks to more than any package needs"));
  });

  test("many folders in the paths of a few files", async () => {
    const entries = Array.from({ length: 3000 }, (_value, at) => ({
      path: `node_modules/pkg/${at}/${"d/".repeat(70)}a`,
    }));
    expect(await unpacked(packZip(entries))).toEqual(unreadable("it unpacks to more than any package needs"));
  });

  test("a zip of another package", async () => {
    expect(await unpacked(packYarnZip("other", { "index.js": "x" }))).toEqual(
      unreadable("it has nothing in node_modules/pkg/"),
    );
  });
});

describe("a file that is not a whole zip is refused", () => {
  const whole = packYarnZip("pkg", { "index.js": "x".repeat(10_000) });
  const withShort = (offset: number, value: number) => {
    const zip = Buffer.from(whole);
    zip.writeUInt16LE(value, zip.length - 22 + offset);
    return zip;
  };
  const withLong = (offset: number, value: number) => {
    const zip = Buffer.from(whole);
    zip.writeUInt32LE(value, zip.length - 22 + offset);
    return zip;
  };
  const noEnd = "End of central directory record signature not found";
  const noHeader = "invalid central directory file header signature";
  test.each<[string, Uint8Array, string]>([
    ["an empty file", Buffer.alloc(0), noEnd],
    ["a page", Buffer.from("<html>".repeat(200)), noEnd],
    ["half of one", whole.subarray(0, whole.length / 2), noEnd],
    ["its end only", Buffer.from("PK\x05\x06"), noEnd],
    ["one with a byte behind it", Buffer.concat([whole, Buffer.from("x")]), "Invalid comment length"],
    ["a directory at the wrong offset", withLong(16, 3), noHeader],
    ["a directory behind the end", withLong(16, whole.length), "unexpected EOF"],
    ["a directory with fewer entries than declared", withShort(10, 4), "unexpected EOF"],
    ["a part of several", withShort(4, 1), "multi-disk zip files are not supported"],
  ])("%s", async (_title, bytes, fault) => {
    const [error = "", ...outside] = await unpacked(bytes);
    expect(error.startsWith(unreadable(fault)[0] ?? "")).toBe(true);
    expect(outside).toEqual([]);
  });

  test("more entries than the limit, before they are read", async () => {
    await using folder = await temporaryFolder();
    const file = path.join(folder.path, "pkg.zip");
    await writeFile(file, packZip([ordinary, { path: "b" }]));
    await expect(openZip(file, { entryLimit: 1 })).rejects.toThrow("it has 2 entries, the limit is 1");
    await using zip = await openZip(file, { entryLimit: 2 });
    expect(zip.entries.map((entry) => entry.path)).toEqual([ordinary.path, "b"]);
  });

  test("a header that is not where the directory says", async () => {
    const zip = packZip([ordinary]);
    zip.write("XX", 0);
    const [error] = await unpacked(zip);
    expect(error).toMatch(/"node_modules\/pkg\/index\.js": invalid local file header signature/);
  });
});

describe("the zip on disk", () => {
  test("has its checksum as its revision", async () => {
    await using folder = await temporaryFolder();
    const source = await sourceOf(folder, Buffer.from("bytes"));
    expect(await source.resolve({ signal })).toBe("1.0.0+ad87abc1efb42e03");
  });

  test("is another source after a change, and is not mixed with its old content", async () => {
    await using folder = await temporaryFolder("//- out/.keep\n");
    const zip = packYarnZip("pkg", { "index.js": "x" });
    const before = await sourceOf(folder, zip);
    const file = path.join(folder.path, "pkg.zip");
    await utimes(file, new Date(1000), new Date(1000));
    expect(await outcome(folder, before)).toEqual(unreadable("it changed while it was read"));
    await appendFile(file, "x");
    expect((await sourceOf(folder, zip)).key).not.toBe(before.key);
  });

  test("may be missing, or be a folder", async () => {
    await using folder = await temporaryFolder("//- out/.keep\n");
    const source = await sourceOf(folder, packYarnZip("pkg", { "index.js": "x" }));
    const file = path.join(folder.path, "pkg.zip");
    await rm(file);
    expect(await source.resolve({ signal }).catch(toErrorBody)).toMatchObject({
      tag: "PackageUnreadable",
      error: expect.stringContaining("ENOENT"),
      hint: "remove it, then run: yarn install",
    });
    await mkdir(file);
    expect(await outcome(folder, source)).toEqual([expect.stringMatching(/^PackageUnreadable: .*EISDIR/)]);
  });

  test("is not read further for a cancelled question", async () => {
    expect(await unpacked(packZip([ordinary]), { aborted: true })).toEqual(["Cancelled: the question was cancelled"]);
  });
});
