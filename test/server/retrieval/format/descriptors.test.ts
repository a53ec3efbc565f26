import { fstatSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { createDescriptors } from "../../../../server/retrieval/format/descriptors.ts";
import { temporaryFolder } from "../../../support/folder.ts";

const isOpen = (descriptor: number) => {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
};

test("those that were not read for longest are closed, and opened again when they are read", async () => {
  await using folder = await temporaryFolder("//- a\nA\n//- b\nB\n//- c\nC\n");
  const descriptors = createDescriptors({ limit: 2 });
  const open = (name: string) => descriptors.of(path.join(folder.path, name));
  const [a, b] = [open("a"), open("b")];
  expect(open("a")).toBe(a);
  const c = open("c");
  expect([a, b, c].map(isOpen)).toEqual([true, b === c, true]);
  expect(readFileSync(open("b"), "utf8")).toBe("B\n");
  for (const name of ["a", "b", "c"]) descriptors.close(path.join(folder.path, name));
});

test("what is closed can be removed, and is gone then", async () => {
  await using folder = await temporaryFolder("//- a\nA\n");
  const descriptors = createDescriptors({ limit: 2 });
  const file = path.join(folder.path, "a");
  const descriptor = descriptors.of(file);
  descriptors.close(file);
  expect(isOpen(descriptor)).toBe(false);
  rmSync(file);
  expect(() => descriptors.of(file)).toThrow(/ENOENT/);
});
