import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createKeptWalks } from "../../../server/resources/kept-walks.ts";
import { temporaryFolder } from "../../support/folder.ts";

const pathsIn = ({ files }: { files: readonly { path: string }[] }) => files.map((file) => file.path);

test("all who read a folder share its files, at once and later", async () => {
  await using folder = await temporaryFolder("//- a.ts\na\n//- b/c.ts\nc\n");
  const walk = createKeptWalks();
  const [first, second] = await Promise.all([walk(folder.path, {}), walk(folder.path, {})]);
  expect(pathsIn(first)).toEqual(["a.ts", "b/c.ts"]);
  expect(second.files).toBe(first.files);
  expect((await walk(folder.path, {})).files).toBe(first.files);
  expect(pathsIn(await walk(folder.path, { searchPaths: ["b"] }))).toEqual(["b/c.ts"]);
});

test("a folder in the place of another one is looked up", async () => {
  await using folder = await temporaryFolder("//- tree/a.ts\na\n");
  const walk = createKeptWalks();
  const tree = path.join(folder.path, "tree");
  await walk(tree, {});
  await rm(tree, { recursive: true });
  await folder.write("//- tree/b.ts\nb\n");
  expect(pathsIn(await walk(tree, {}))).toEqual(["b.ts"]);
});

test("whoever leaves takes the files from no one else", async () => {
  await using folder = await temporaryFolder("//- a.ts\na\n");
  const walk = createKeptWalks();
  const leaving = new AbortController();
  const [left, stayed] = [walk(folder.path, { signal: leaving.signal }), walk(folder.path, {})];
  leaving.abort(new Error("left"));
  await expect(left).rejects.toThrow("left");
  expect(pathsIn(await stayed)).toEqual(["a.ts"]);
});
