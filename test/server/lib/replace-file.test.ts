import { chmod, lstat, readdir, readFile, stat, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { replaceFile } from "../../../server/lib/replace-file.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("replaces the whole content and leaves no other file", async () => {
  await using folder = await temporaryFolder("//- a.txt\nbefore\n");
  const file = path.join(folder.path, "a.txt");
  await replaceFile(file, "after");
  await replaceFile(path.join(folder.path, "b.bin"), Uint8Array.of(0, 255), { isPrecious: false });
  expect(await readFile(file, "utf8")).toBe("after");
  expect([...(await readFile(path.join(folder.path, "b.bin")))]).toEqual([0, 255]);
  expect((await readdir(folder.path)).toSorted()).toEqual(["a.txt", "b.bin"]);
});

test("keeps the mode by default", async () => {
  await using folder = await temporaryFolder("//- a.txt\nbefore\n");
  const file = path.join(folder.path, "a.txt");
  const rightsOf = async () => ((await stat(file)).mode & 0o777).toString(8);
  await chmod(file, 0o626);
  await replaceFile(file, "after");
  expect(await rightsOf()).toBe("626");
  await replaceFile(file, "secret", { mode: 0o600 });
  expect(await rightsOf()).toBe("600");
});

test("replaces the target of a symbolic link", async () => {
  await using folder = await temporaryFolder("//- real/a.txt\nbefore\n");
  const link = path.join(folder.path, "link.txt");
  await symlink(path.join("real", "a.txt"), link);
  await replaceFile(link, "after");
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(path.join(folder.path, "real/a.txt"), "utf8")).toBe("after");
});

test("keeps the old file if writing fails, and leaves no other file", async () => {
  await using folder = await temporaryFolder("//- folder.txt/a.txt\nbefore\n");
  await expect(replaceFile(path.join(folder.path, "folder.txt"), "after")).rejects.toThrow(/EISDIR|EPERM|ENOTEMPTY/);
  await expect(replaceFile(path.join(folder.path, "gone", "a.txt"), "after")).rejects.toThrow("ENOENT");
  expect(await readdir(folder.path)).toEqual(["folder.txt"]);
});
