import { execFileSync } from "node:child_process";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createIgnoreRules } from "../../../server/resources/ignore-rules.ts";
import { type WalkOptions, walkTree } from "../../../server/resources/walk.ts";
import { type Folder, temporaryFolder } from "../../support/folder.ts";

/** The paths of the files, and `path: reason` of what is skipped. */
async function walk(folder: Folder, options: WalkOptions): Promise<{ files: string[]; skipped: string[] }> {
  const { files, skipped } = await walkTree(await realpath(folder.path), options);
  return { files: files.map((file) => file.path), skipped: skipped.map((file) => `${file.path}: ${file.reason}`) };
}

test("in a tree that is too large, the deepest folders are skipped and reported", async () => {
  await using folder = await temporaryFolder(
    "//- z.ts\n//- a/one.ts\n//- a/deep/two.ts\n//- b/three.ts\n//- b/deep/four.ts\n",
  );
  const reason = "the tree has more than 7 files; ask about one of its folders";
  expect(await walk(folder, { limit: 7 })).toEqual({
    files: ["a/one.ts", "b/three.ts", "z.ts"],
    skipped: [`a/deep: ${reason}`, `b/deep: ${reason}`],
  });
});

test("a single folder with too many files is read partially", async () => {
  await using folder = await temporaryFolder(Array.from({ length: 20 }, (_, number) => `//- ${number}.ts\n`).join(""));
  const { files, skipped } = await walk(folder, { limit: 5 });
  expect(files).toHaveLength(5);
  expect(skipped).toEqual([".: read in part: the tree has more than 5 files; ask about one of its folders"]);
});

test("a folder is read completely, with one call or in parts", async () => {
  const paths = (count: number) =>
    Array.from({ length: count }, (_, number) => `${String(number).padStart(150, "0")}.ts`);
  for (const count of [20, 3000]) {
    await using folder = await temporaryFolder(
      paths(count)
        .map((file) => `//- ${file}\n`)
        .join(""),
    );
    expect(await walk(folder, {})).toEqual({ files: paths(count), skipped: [] });
  }
});

test("an ignore file applies in a folder of any size", async () => {
  for (const count of [20, 3000]) {
    const names = Array.from({ length: count }, (_, number) => `${String(number).padStart(150, "0")}.ts`);
    const source = names.map((name) => `//- below/${name}\n`).join("");
    await using folder = await temporaryFolder(`${source}//- below/.gitignore\n*1.ts\n//- below/kept/a1.js\n`);
    const exclude = createIgnoreRules(await realpath(folder.path));
    const { files } = await walk(folder, { exclude });
    const kept = [".gitignore", ...names.filter((name) => !name.endsWith("1.ts")), "kept/a1.js"];
    expect(files).toEqual(kept.map((name) => `below/${name}`));
  }
});

test("a path too deep for the system is skipped with its folder, and the rest is read", async () => {
  await using folder = await temporaryFolder("//- a.ts\n");
  const name = "d".repeat(200);
  const digging = `for (let i = 0; i < 25; i++) { fs.mkdirSync("${name}"); process.chdir("${name}"); fs.writeFileSync("f.ts", ""); }`;
  execFileSync(process.execPath, ["-e", digging], { cwd: folder.path });
  try {
    const exclude = createIgnoreRules(await realpath(folder.path));
    const { files, skipped } = await walk(folder, { exclude });
    expect(files[0]).toBe("a.ts");
    expect(files.length).toBeGreaterThan(15);
    expect(skipped).toEqual([expect.stringMatching(/d: its path is too long for this system$/)]);
  } finally {
    // Node cannot name what it would remove; rm goes down folder by folder.
    execFileSync("rm", ["-rf", path.join(folder.path, name)]);
  }
});
