import { mkdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
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
test("a folder of notes is not a project", () => check("//- notes/a.md\ntext\n", "notes", undefined));

describe("without a repository and a manifest, a folder with source files", () => {
  const tree = "//- jq/COPYING\nMIT\n//- jq/src/main.c\nint main;\n//- jq/docs/manual.md\ntext\n";
  test.each([
    ["an unpacked tree", tree, "jq", "jq"],
    ["a folder deep in it", `${tree}//- jq/src/deep/er/a.c\nint a;\n`, "jq/src/deep/er", "jq"],
    ["its documents", tree, "jq/docs", "jq"],
    ["a folder of scripts", "//- scripts/a.py\nprint()\n", "scripts", "scripts"],
    ["sources further down", "//- app/lib/x/a.rb\nputs 1\n", "app", "app"],
    ["a tree in the downloads", tree.replaceAll("jq/", "Downloads/jq/"), "Downloads/jq/src", "Downloads/jq"],
    [
      "one project of several",
      `//- work/a/README\na\n//- work/a/a.c\nint a;\n//- work/b/README\nb\n`,
      "work/a",
      "work/a",
    ],
    [
      "a tree with a README and several parts",
      "//- app/LICENSE\nMIT\n//- app/x/README\nx\n//- app/y/README\ny\n//- app/x/a.go\npackage a\n",
      "app",
      "app",
    ],
  ])("%s", (_what, files, cwd, expected) => check(files, cwd, path.normalize(expected)));

  test.each([
    ["the home directory", "//- a.py\nprint()\n", ""],
    ["an empty folder", "", "empty"],
    ["the downloads", "//- Downloads/a.py\nprint()\n//- Downloads/jq/src/a.c\nint a;\n", "Downloads"],
    ["the desktop", "//- Desktop/a.py\nprint()\n", "Desktop"],
    [
      "a folder of many projects",
      "//- work/a/package.json\n{}\n//- work/b/go.mod\nmodule b\n//- work/x.py\nprint()\n",
      "work",
    ],
    [
      "a folder of unpacked trees",
      "//- work/README.md\nmine\n//- work/a/COPYING\na\n//- work/b/README\nb\n//- work/a/a.c\nint a;\n",
      "work",
    ],
    ["installed packages alone", "//- app/node_modules/a/index.js\nlet a;\n", "app"],
  ])("but not %s", (_what, files, cwd) => check(files, cwd, undefined));

  test.each(["/", "/tmp", "/usr/local", "/var/tmp", "/home"])("and not %s", async (cwd) => {
    expect(await findProject({ cwd, homeDirectory: "/home/ann" })).toBeUndefined();
  });
});
test("a repository of dotfiles in the home directory is not a project", () =>
  check("//- .git/HEAD\nref\n//- package.json\n{}\n", "notes", undefined));
test("the home directory is not a project", () => check("//- .git/HEAD\nref\n", "", undefined));
