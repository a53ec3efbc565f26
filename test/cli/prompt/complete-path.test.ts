import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { completePath, splitPath } from "../../../cli/prompt/complete-path.ts";
import { temporaryFolder } from "../../support/folder.ts";

async function check(text: string, expected: readonly string[], options: { hasFiles?: boolean } = {}): Promise<void> {
  await using folder = await temporaryFolder(
    "//- work/src/a.ts\n1\n//- work/my docs/b.md\n1\n//- work/.hidden/c\n1\n//- work/readme.md\n1\n//- home/notes/d\n1\n",
  );
  await symlink(path.join(folder.path, "home"), path.join(folder.path, "work/linked"));
  await symlink(path.join(folder.path, "gone"), path.join(folder.path, "work/broken"));
  const found = await completePath(text.replace("$ROOT", folder.path), {
    cwd: path.join(folder.path, "work"),
    homeDirectory: path.join(folder.path, "home"),
    platform: "linux",
    ...options,
  });
  expect(found.map(({ word }) => word.replace(folder.path, "$ROOT"))).toEqual(expected);
}

describe("folders", () => {
  test.each([
    ["./", ["./linked/", '"./my docs/"', "./src/"]],
    ["s", ["src/"]],
    ["SR", ["src/"]],
    ["dcs", ['"my docs/"']],
    ["./s", ["./src/"]],
    ["~", ["~/notes/"]],
    ["~/n", ["~/notes/"]],
    ["..", ["../home/", "../work/"]],
    ["$ROOT/wo", ["$ROOT/work/"]],
    ["./.h", ["./.hidden/"]],
    ["./linked/", ["./linked/notes/"]],
    ["./my docs/", []],
    ["./none/", []],
    ["./zz", []],
  ])("%s", (text, expected) => check(text, expected));
});

test("files end a word", () => check("r", ["readme.md "], { hasFiles: true }));

describe("where a path is split", () => {
  test.each([
    ["linux", "/tmp/fo", "/tmp/", "fo", "/"],
    ["linux", String.raw`a\b`, "", String.raw`a\b`, "/"],
    ["win32", String.raw`C:\Users\an`, "C:\\Users\\", "an", "\\"],
    ["win32", "C:/Users/an", "C:/Users/", "an", "/"],
    ["win32", "sr", "", "sr", "\\"],
  ] as const)("on %s: %s", (platform, text, folder, name, separator) => {
    expect(splitPath(text, platform)).toEqual({ folder, name, separator });
  });
});
