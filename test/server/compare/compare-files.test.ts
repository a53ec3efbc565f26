import { expect, test } from "vitest";
import { compareFiles } from "../../../server/compare/compare-files.ts";
import { CitewellError } from "../../../server/errors.ts";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { fixture } from "../../support/fixture.ts";

const { signal } = new AbortController();

async function check(before: string | Snapshot, after: string | Snapshot): Promise<string[]> {
  const open = (source: string | Snapshot) => (typeof source === "string" ? fixture(source) : source);
  const { files } = await compareFiles(open(before), open(after), { signal });
  return files.map(({ change, path, from, similarity, addedLines, removedLines }) => {
    const renamed = from === undefined ? "" : ` from ${from} (${similarity})`;
    return `${change} ${path}${renamed} +${addedLines} -${removedLines}`;
  });
}

/** Lines that no other file has. */
function code(name: string, count = 10): string {
  return Array.from({ length: count }, (_, index) => `const ${name}${index} = ${index};\n`).join("");
}

test("files that were added, removed and changed, with their lines", async () => {
  const before = "//- a.js\none\ntwo\n//- b.js\ngone\n//- same.js\nx\n";
  expect(await check(before, "//- a.js\none\n2\nthree\n//- c.js\nnew\n//- same.js\nx\n")).toEqual([
    "changed a.js +2 -1",
    "removed b.js +0 -1",
    "added c.js +1 -0",
  ]);
});

test("a renamed file is that with the most lines in common, of the same type, and half of them at least", async () => {
  const before = `//- lib/a.js\n${code("a")}//- lib/b.js\n${code("b")}//- lib/c.js\n${code("c")}`;
  const after = `//- src/a.js\n${code("a")}//- src/bee.js\n${code("b", 8)}more();\n//- src/c.ts\n${code("c")}//- src/d.js\n${code("a", 4)}`;
  expect(await check(before, after)).toEqual([
    "removed lib/c.js +0 -10",
    "renamed src/a.js from lib/a.js (100) +0 -0",
    "renamed src/bee.js from lib/b.js (80) +1 -2",
    "added src/c.ts +10 -0",
    "added src/d.js +4 -0",
  ]);
});

test("short files are renamed only if they are the same, or have the same name", async () => {
  const short = "import a from 'a';\nexport default a;\nrun();\n";
  const other = `${short.slice(0, -7)}stop();\n`;
  expect(await check(`//- one.js\n${short}`, `//- two.js\n${other}`)).toHaveLength(2);
  expect(await check(`//- one.js\n${short}`, `//- two.js\n${short}`)).toEqual([
    "renamed two.js from one.js (100) +0 -0",
  ]);
  expect(await check(`//- lib/one.js\n${short}`, `//- src/one.js\n${other}`)).toEqual([
    "renamed src/one.js from lib/one.js (66) +1 -1",
  ]);
});

test("other line ends alone are no change, nor is what a registry's page says", async () => {
  expect(await check("//- a.js\none\ntwo\n", "//- a.js\none\r\ntwo\r\n")).toEqual([]);
  const page = "//- .citewell-package/README.md\n";
  expect(await check(`${page}old\n//- a.js\n1\n`, `${page}new\n//- a.js\n1\n`)).toEqual([]);
});

/** With files that are not text. */
function withBinary(source: string, path: string, sizeBytes: number): Snapshot {
  const snapshot = fixture(source);
  return {
    ...snapshot,
    files: [...snapshot.files, { path, sizeBytes }],
    read: async (wanted) => {
      if (wanted === path) throw new CitewellError("FileNotReadable", `${path} is binary`);
      return snapshot.read(wanted);
    },
  };
}

test("a binary file has changed if its size has, and has no lines", async () => {
  const small = () => withBinary("//- a.js\n1\n", "logo.png", 10);
  expect(await check(small(), withBinary("//- a.js\n1\n", "logo.png", 20))).toEqual(["changed logo.png +0 -0"]);
  expect(await check(small(), small())).toEqual([]);
  expect(await check(small(), "//- a.js\n1\n")).toEqual(["removed logo.png +0 -0"]);
});

test("a file that a version has but does not read is neither added nor removed, and is counted", async () => {
  const big = { ...fixture("//- a.js\n1\n"), skipped: [{ path: "big.js", reason: "12 MB, over the limit of 8 MB" }] };
  const { files, notes } = await compareFiles(big, fixture("//- a.js\n1\n//- big.js\n1\n"), { signal });
  expect(files).toEqual([]);
  expect(notes).toEqual(["1 file too large to be read"]);
});

test("equal contents by their ids are not read", async () => {
  const known = (source: string) => ({ ...fixture(source), contentIdOf: (path: string) => path });
  expect(await check(known("//- a.js\n1\n"), known("//- a.js\n2\n"))).toEqual([]);
});

test("ends when it is cancelled", async () => {
  const controller = new AbortController();
  controller.abort();
  const comparing = compareFiles(fixture("//- a.js\n1\n"), fixture("//- b.js\n2\n"), { signal: controller.signal });
  await expect(comparing).rejects.toMatchObject({ name: "AbortError" });
});
