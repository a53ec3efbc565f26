import { mkdir, readdir, readFile, utimes } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createDirectoryBlobs } from "../../../../server/hosted/snapshots/blobs.ts";
import { temporaryFolder } from "../../../support/folder.ts";

const { signal } = new AbortController();

test("a blob is stored by several nodes at once, copied and removed", async () => {
  await using folder = await temporaryFolder("//- mine\nbytes\n");
  const blobs = createDirectoryBlobs(path.join(folder.path, "shared"));
  const [mine, copy] = [path.join(folder.path, "mine"), path.join(folder.path, "copy")];
  expect([await blobs.has("a.tgz"), await blobs.get("a.tgz", copy, { signal })]).toEqual([false, false]);
  await Promise.all(["a.tgz", "a.tgz", "a.tgz"].map((name) => blobs.put(name, mine, { signal })));
  expect([await blobs.has("a.tgz"), await blobs.get("a.tgz", copy, { signal })]).toEqual([true, true]);
  expect(await readFile(copy, "utf8")).toBe("bytes\n");
  expect(await readdir(path.join(folder.path, "shared"))).toEqual(["a.tgz"]);
  await blobs.remove("a.tgz");
  await blobs.remove("a.tgz");
  expect(await blobs.has("a.tgz")).toBe(false);
});

/** The name of a pack. */
function nameOf(letter: string): string {
  return `${letter.repeat(20)}-${letter.repeat(20)}.1.tgz`;
}

test("what was not used for a month is removed, and uploads of killed processes after a day", async () => {
  const days = (count: number) => new Date(Date.now() - count * 24 * 3600 * 1000);
  const [old, used] = [nameOf("a"), nameOf("b")];
  const [killed, running] = [`${nameOf("c")}.incomplete.0.1.a`, `${nameOf("d")}.incomplete.0.1.b`];
  await using folder = await temporaryFolder([old, used, killed, running].map((name) => `//- ${name}\n1\n`).join(""));
  const blobs = createDirectoryBlobs(folder.path);
  for (const name of [old, used]) await utimes(path.join(folder.path, name), days(31), days(31));
  await utimes(path.join(folder.path, killed), days(2), days(2));
  await using copies = await temporaryFolder();
  await blobs.get(used, path.join(copies.path, "copy"), { signal });
  await blobs.sweep();
  expect((await readdir(folder.path)).toSorted()).toEqual([used, running]);
});

test("files and folders that are no blobs stay, however old they are", async () => {
  const old = new Date(Date.now() - 90 * 24 * 3600 * 1000);
  await using folder = await temporaryFolder(`//- backup.tgz\n1\n//- notes.incomplete.txt\n1\n//- ${nameOf("a")}\n1\n`);
  await mkdir(path.join(folder.path, "a-folder"));
  for (const name of await readdir(folder.path)) await utimes(path.join(folder.path, name), old, old);
  await createDirectoryBlobs(folder.path).sweep();
  expect((await readdir(folder.path)).toSorted()).toEqual(["a-folder", "backup.tgz", "notes.incomplete.txt"]);
});
