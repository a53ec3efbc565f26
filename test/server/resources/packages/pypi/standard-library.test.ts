import { rename, symlink } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { pypiEcosystem } from "../../../../../server/resources/packages/pypi/pypi.ts";
import { findImportOrigin } from "../../../../../server/resources/packages/import-origin.ts";
import { environment } from "../../../../support/pypi-index.ts";
import type { NpmWorkspace, NpmWorkspaceOptions } from "../../../../support/npm-workspace.ts";
import { pypiWorkspace } from "../../../../support/pypi-workspace.ts";

const pip = { name: "pip", version: "24.0" };
const library = `//- python/bin/python3.12
//- python/lib/python3.12/os.py
import sys
//- python/lib/python3.12/json/__init__.py
def loads(text): ...
//- python/lib/python3.12/json/decoder.py
class JSONDecoder: ...
//- python/lib/python3.12/datetime.py
from _pydatetime import *
//- python/lib/python3.12/_pydatetime.py
class datetime: ...
//- python/lib/python3.12/jsonlike.py
//- python/lib/python3.12/test/test_json.py
//- python/lib/python3.12/site-packages/other.py
`;

/** Installs the interpreter, and names it in the environment of the project. */
async function install({ folder }: NpmWorkspace): Promise<void> {
  const python = path.join(folder.path, "python");
  await symlink("python3.12", path.join(python, "bin", "python3"));
  await folder.write(`//- project/.venv/pyvenv.cfg\nhome = ${path.join(python, "bin")}\n`);
}

async function opened(
  name: string,
  {
    prepare = install,
    own = environment("project/.venv", [pip]),
    ...options
  }: NpmWorkspaceOptions & { prepare?: typeof install; own?: string } = {},
): Promise<string[]> {
  const files = `${own}${library}${options.files ?? ""}`;
  const env = (root: string) => ({ PATH: path.join(root, "none"), ...options.env?.(root) });
  await using workspace = await pypiWorkspace({ ...options, files, env });
  await prepare(workspace);
  const choice = await pypiEcosystem.choose({ package: name }, workspace.location);
  if (choice.type !== "installed") return [choice.type];
  await using snapshot = await workspace.open({ name: "it", package: name });
  const label = snapshot.info.label.replaceAll(workspace.folder.path, "<root>");
  return [label, ...snapshot.files.map((file) => file.path)];
}

const origin = "3.12 (of Python's standard library in <root>/python/lib/python3.12)";

test("a module is that of the interpreter which the environment names", async () => {
  expect(await opened("json")).toEqual([`json ${origin}`, "json/__init__.py", "json/decoder.py"]);
  expect(await opened("json.decoder")).toEqual([`json ${origin}`, "json/__init__.py", "json/decoder.py"]);
  expect(await opened("datetime")).toEqual([`datetime ${origin}`, "_pydatetime.py", "datetime.py"]);
  expect(await opened("python")).toEqual([
    `python ${origin}`,
    "_pydatetime.py",
    "datetime.py",
    "json/__init__.py",
    "json/decoder.py",
    "jsonlike.py",
    "os.py",
  ]);
});

test("without an environment, that of the PATH", async () => {
  const env = (root: string) => ({ PATH: path.join(root, "python", "bin") });
  const prepare = ({ folder }: NpmWorkspace) =>
    symlink("python3.12", path.join(folder.path, "python", "bin", "python3"));
  expect((await opened("json", { env, prepare, own: "" }))[0]).toBe(`json ${origin}`);
});

test("a package of the project comes before a module of the same name", async () => {
  const declared = '//- project/pyproject.toml\n[project]\nname = "app"\ndependencies = ["json"]\n';
  expect(await opened("json", { files: declared })).toEqual(["published"]);
});

test("other modules, and those of a service for others, are not of the library", async () => {
  expect(await opened("requests")).toEqual(["published"]);
  expect(await opened("other")).toEqual(["published"]);
  expect(await opened("json", { isAnonymous: true })).toEqual(["published"]);
});

test("an environment of the project cannot name another folder as the library", async () => {
  const prepare = async (workspace: NpmWorkspace) => {
    await install(workspace);
    const lib = path.join(workspace.folder.path, "python", "lib");
    await rename(path.join(lib, "python3.12"), path.join(workspace.folder.path, "secrets"));
    await symlink(path.join(workspace.folder.path, "secrets"), path.join(lib, "python3.12"));
  };
  expect(await opened("json", { prepare })).toEqual(["published"]);
});

test("an import of the library has it as its origin", async () => {
  await using workspace = await pypiWorkspace({ files: `${environment("project/.venv", [pip])}${library}` });
  await install(workspace);
  const imported = { module: "json", name: "loads", language: "python", folder: workspace.location.cwd };
  expect(await findImportOrigin(imported, workspace.location)).toMatchObject({
    name: "json",
    reference: "pypi:json",
    version: "3.12",
  });
});
