import { readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createDiskIndexStore } from "../../../server/retrieval/index-store.ts";
import { describePaths } from "../../../server/retrieval/path-facts.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("what a killed process left half written goes after an hour", async () => {
  await using folder = await temporaryFolder();
  for (const name of ["aa.segment.4711", "bb.index.12", "cc.segment", "fresh.segment.99"])
    await writeFile(path.join(folder.path, name), "");
  const longAgo = new Date(Date.now() - 2 * 3600 * 1000);
  for (const name of ["aa.segment.4711", "bb.index.12", "cc.segment"])
    await utimes(path.join(folder.path, name), longAgo, longAgo);
  await createDiskIndexStore(folder.path).write("demo", {
    key: "1",
    segments: [],
    places: [],
    facts: describePaths([]),
    files: [],
    skipped: [],
  });
  const left = await readdir(folder.path);
  expect(left.filter((name) => !name.endsWith(".index"))).toEqual(["fresh.segment.99"]);
  expect(left).toHaveLength(2);
});
