import { readdir, readFile, utimes } from "node:fs/promises";
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

test("what was not used for a month is removed, and uploads of killed processes after a day", async () => {
  const days = (count: number) => new Date(Date.now() - count * 24 * 3600 * 1000);
  await using folder = await temporaryFolder(
    "//- old.tgz\n1\n//- used.tgz\n1\n//- b.tgz.incomplete.0.1.a\n1\n//- c.tgz.incomplete.0.1.b\n1\n",
  );
  const blobs = createDirectoryBlobs(folder.path);
  for (const name of ["old.tgz", "used.tgz"]) await utimes(path.join(folder.path, name), days(31), days(31));
  const killed = path.join(folder.path, "b.tgz.incomplete.0.1.a");
  await utimes(killed, days(2), days(2));
  await using copies = await temporaryFolder();
  await blobs.get("used.tgz", path.join(copies.path, "copy"), { signal });
  await blobs.sweep();
  expect((await readdir(folder.path)).toSorted()).toEqual(["c.tgz.incomplete.0.1.b", "used.tgz"]);
});
