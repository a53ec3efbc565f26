import { rm } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { createKeptJson } from "../../../server/resources/kept-json.ts";
import { Head, writeJson } from "../../../server/resources/stored.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("a file is read once, and again when it is replaced or removed", async () => {
  await using folder = await temporaryFolder();
  const file = path.join(folder.path, "head.json");
  const read = createKeptJson(Head);
  expect(await read(file)).toBeUndefined();
  await writeJson(file, { revision: "a" });
  const first = await read(file);
  expect(first).toEqual({ revision: "a" });
  expect(await read(file)).toBe(first);
  await writeJson(file, { revision: "b" });
  expect(await read(file)).toEqual({ revision: "b" });
  await rm(file);
  expect(await read(file)).toBeUndefined();
});
