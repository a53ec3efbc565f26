import { chmod } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { findProgram, toSpawn } from "../../../server/lib/find-program.ts";
import { temporaryFolder } from "../../support/folder.ts";

const files = "//- a/tool\n#!/bin/sh\n//- a/tool.cmd\n@echo off\n//- b/tool.exe\nMZ\n//- b/tool\n#!/bin/sh\n";

async function check(platform: NodeJS.Platform, env: Record<string, string>, expected: string | undefined) {
  await using folder = await temporaryFolder(files);
  await chmod(path.join(folder.path, "b/tool"), 0o755);
  const absolute = Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replaceAll("~", folder.path)]),
  );
  const found = await findProgram("tool", { env: absolute, platform });
  expect(found && path.relative(folder.path, found)).toBe(expected);
}

test("finds the first executable file in PATH", () => check("linux", { PATH: "~/a:~/b" }, "b/tool"));

test("on Windows finds a file with a default extension, with case-insensitive variables", () =>
  check("win32", { Path: "~/none;~/a;~/b" }, "a/tool.cmd"));

test("on Windows uses only the extensions in PATHEXT", () =>
  check("win32", { PATH: "~/a;~/b", PATHEXT: ".EXE" }, "b/tool.exe"));

test("finds nothing with an empty PATH", () => check("linux", { PATH: "" }, undefined));

test("starts npm's .cmd files with a shell on Windows", () => {
  const file = "C:\\Program Files\\nodejs\\opencode.cmd";
  expect(toSpawn(file, ["auth", "login"], { platform: "win32" })).toEqual({
    file: `"${file}" auth login`,
    args: [],
    shell: true,
  });
});

test.each([
  ["C:\\bin\\opencode.exe", "win32"],
  ["/usr/bin/opencode", "linux"],
] as const)("%s is started as it is", (file, platform) => {
  expect(toSpawn(file, ["auth", "login"], { platform })).toEqual({ file, args: ["auth", "login"], shell: false });
});
