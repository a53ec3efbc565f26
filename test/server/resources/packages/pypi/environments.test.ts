import path from "node:path";
import { expect, test } from "vitest";
import { findEnvironments } from "../../../../../server/resources/packages/pypi/environments.ts";
import { environment } from "../../../../support/pypi-index.ts";
import { pypiWorkspace } from "../../../../support/pypi-workspace.ts";

const pip = { name: "pip", version: "24.0" };
const manifest = '[project]\nname = "app"\n';

/** The labels of the environments for a folder of the user. */
async function labels(files: string, cwd: string, env?: (root: string) => Record<string, string>): Promise<string[]> {
  await using workspace = await pypiWorkspace({ files, cwd, ...(env === undefined ? {} : { env }) });
  return (await findEnvironments(workspace.location)).map(({ label }) => label);
}

test.each<[string, string, string, string[]]>([
  ["the repository", "//- x/app/.git/HEAD\n//- x/app/src/a.py\n", "x/app/src", ["../.venv"]],
  [
    "the repository of a workspace",
    `//- x/app/.git/HEAD\n//- x/app/member/pyproject.toml\n${manifest}`,
    "x/app/member",
    ["../.venv"],
  ],
  [
    "the project without a repository",
    `//- x/app/pyproject.toml\n${manifest}//- x/app/src/a.py\n`,
    "x/app/src",
    ["../.venv"],
  ],
  [
    "the workspace without a repository",
    `//- x/app/pyproject.toml\n${manifest}//- x/app/member/pyproject.toml\n${manifest}`,
    "x/app/member",
    ["../.venv"],
  ],
  ["the folder without a manifest", "//- x/app/a.py\n", "x/app", [".venv"]],
  ["none above a folder without a manifest", "//- x/app/src/a.py\n", "x/app/src", []],
])("an environment is that of %s, not one above", async (_, files, cwd, expected) => {
  const both = `${files}${environment("x/app/.venv", [pip])}${environment("x/venv", [pip])}`;
  expect(await labels(both, cwd)).toEqual(expected);
});

test("the active environment may be anywhere", async () => {
  const env = (root: string) => ({ VIRTUAL_ENV: path.join(root, "x", "venv") });
  const files = `//- x/app/.git/HEAD\n${environment("x/venv", [pip])}`;
  expect(await labels(files, "x/app", env)).toEqual(["../venv"]);
});
