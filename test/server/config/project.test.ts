import { mkdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { findProject } from "../../../server/config/project.ts";
import { temporaryFolder } from "../../support/folder.ts";

/** The project found from `cwd`, relative to a home directory that holds `files`; empty folders end with a slash. */
async function check(files: string, cwd: string, expected: string | undefined): Promise<void> {
  await using home = await temporaryFolder(files);
  const working = path.join(home.path, cwd);
  await mkdir(working, { recursive: true });
  const found = await findProject({ cwd: working, homeDirectory: home.path });
  expect(found === undefined ? undefined : path.relative(home.path, found)).toBe(expected);
}

test("the repository around a folder", () => check("//- app/.git/HEAD\nref\n", "app/src/deep", "app"));
test("a repository takes precedence over a nearer manifest", () =>
  check("//- app/.git/HEAD\nref\n//- app/packages/a/package.json\n{}\n", "app/packages/a/src", "app"));
test("a worktree, whose .git is a file", () => check("//- app/.git\ngitdir: elsewhere\n", "app", "app"));
test("without a repository the nearest manifest", () =>
  check("//- app/go.mod\nmodule a\n//- app/tools/Cargo.toml\n[package]\n", "app/tools/src", path.join("app", "tools")));
test("a folder without either has no project", () => check("//- notes/a.md\ntext\n", "notes", undefined));
test("a repository of dotfiles in the home directory is not a project", () =>
  check("//- .git/HEAD\nref\n//- package.json\n{}\n", "notes", undefined));
test("the home directory is not a project", () => check("//- .git/HEAD\nref\n", "", undefined));
