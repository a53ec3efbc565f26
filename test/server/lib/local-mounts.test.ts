import { realpathSync } from "node:fs";
import os from "node:os";
import { expect, test } from "vitest";
import { describeLocalMounts } from "../../../server/lib/local-mounts.ts";
import { temporaryFolder } from "../../support/folder.ts";

test("the mounts of a folder stay the same while nothing is mounted", async () => {
  await using folder = await temporaryFolder();
  const root = realpathSync(folder.path);
  expect(describeLocalMounts(root)).toBe(describeLocalMounts(root));
});

test("file systems that do not report changes are not local", () => {
  expect(describeLocalMounts("/proc/self")).toBeUndefined();
  expect(describeLocalMounts("/sys")).toBeUndefined();
});

test("a folder that has such a file system below it is not local, either", () => {
  expect(describeLocalMounts("/")).toBeUndefined();
  expect(describeLocalMounts(os.platform() === "linux" ? "/dev" : "/")).toBeUndefined();
});
