import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { readDependencies } from "../../../../../server/resources/packages/dependencies.ts";
import {
  environment,
  packDistribution,
  type PypiIndex,
  sha256,
  startPypiIndex,
} from "../../../../support/pypi-index.ts";
import { pypiWorkspace } from "../../../../support/pypi-workspace.ts";

let index: PypiIndex;
const wheelName = "demo_pkg-1.5.0-py3-none-any.whl";
const wheel = packDistribution({ name: "demo-pkg", version: "1.5.0", filename: wheelName });
const hash = sha256(wheel);

beforeAll(async () => {
  index = await startPypiIndex();
  index.publish({ name: "demo-pkg", version: "1.5.0", filename: wheelName, bytes: wheel });
  for (const version of ["1.0.0", "2.0.0", "2.1.0rc1"]) index.publish({ name: "demo-pkg", version });
});
afterAll(() => index[Symbol.asyncDispose]());

async function label(files: string, name = "demo-pkg"): Promise<string> {
  await using workspace = await pypiWorkspace({ index, files });
  try {
    await using snapshot = await workspace.open({ name: "it", package: name });
    return snapshot.info.label.replace(", fetched just now", "");
  } catch (error) {
    return `${toErrorBody(error).tag}: ${toErrorBody(error).error}`;
  }
}

const manifest = `//- project/pyproject.toml
[project]
name = "mine"
dependencies = ["Demo_Pkg>=1"]
`;

describe("a lockfile's version is fetched", () => {
  test.each([
    [
      "uv.lock",
      `version = 1\n[[package]]\nname = "mine"\nversion = "0.1"\nsource = { editable = "." }\n\n[[package]]\nname = "demo-pkg"\nversion = "1.5.0"\nsource = { registry = "https://index.example/simple" }\nwheels = [\n  { url = "https://elsewhere.example/x.whl", hash = "sha256:${hash}", size = 1 },\n]\n`,
    ],
    [
      "poetry.lock",
      `[[package]]\nname = "demo-pkg"\nversion = "1.5.0"\nfiles = [\n  {file = "${wheelName}", hash = "sha256:${hash}"},\n]\n\n[package.dependencies]\nother = ">=1"\n\n[metadata]\nlock-version = "2.0"\n`,
    ],
    [
      "pdm.lock",
      `[metadata]\nlock_version = "4.5"\n\n[[package]]\nname = "demo-pkg"\nversion = "1.5.0"\nfiles = [{file = "${wheelName}", hash = "sha256:${hash}"}]\n`,
    ],
    [
      "pylock.toml",
      `lock-version = "1.0"\n[[packages]]\nname = "demo-pkg"\nversion = "1.5.0"\nwheels = [{ name = "${wheelName}", url = "https://elsewhere.example/x.whl", hashes = { sha256 = "${hash}" } }]\n`,
    ],
    [
      "Pipfile.lock",
      JSON.stringify({ default: { "demo-pkg": { version: "==1.5.0", hashes: [`sha256:${hash}`] } }, develop: {} }),
    ],
    ["requirements.txt", `# pinned\nother==1\ndemo-pkg==1.5.0 ; python_version >= "3" \\\n    --hash=sha256:${hash}\n`],
    ["requirements-dev.txt", "-r base.txt\n//- project/base.txt\nDemo.Pkg[extra] == 1.5.0\n"],
  ])("%s", async (file, text) => {
    const named = file === "requirements-dev.txt" ? file : file;
    expect(await label(`${manifest}//- project/${file}\n${text}`)).toBe(
      `demo-pkg 1.5.0 (from ${named})`.replace("demo-pkg", file === "requirements-dev.txt" ? "Demo.Pkg" : "demo-pkg"),
    );
  });

  test("from a folder below that of the lockfile", async () => {
    const lock = `//- uv.lock\n[[package]]\nname = "demo-pkg"\nversion = "1.0.0"\nsource = { registry = "x" }\n`;
    expect(await label(manifest + lock)).toBe("demo-pkg 1.0.0 (from uv.lock)");
  });
});

test.each([
  ['members = ["pro*"]', "1.0.0"],
  ['members = ["pro*"]\nexclude = ["project"]', "1.5.0"],
])("of a uv workspace with %s the lockfile of its root, not a member's own, is read", async (workspace, version) => {
  const lock = (locked: string) =>
    `[[package]]\nname = "demo-pkg"\nversion = "${locked}"\nsource = { registry = "x" }\n`;
  const root = `//- pyproject.toml\n[tool.uv.workspace]\n${workspace}\n//- uv.lock\n${lock("1.0.0")}`;
  expect(await label(`${manifest}${root}//- project/uv.lock\n${lock("1.5.0")}`)).toBe(
    `demo-pkg ${version} (from uv.lock)`,
  );
});

test("a file whose checksum is not that of the lockfile is refused, and nothing is stored", async () => {
  const wrong = "0".repeat(64);
  const lock = `//- project/uv.lock\n[[package]]\nname = "demo-pkg"\nversion = "1.5.0"\nwheels = [{ hash = "sha256:${wrong}" }]\n`;
  expect(await label(manifest + lock)).toMatch(/^IntegrityMismatch: no file of demo-pkg 1\.5\.0 on the index/);
});

describe("another origin than an index is never replaced by it", () => {
  test.each([
    [
      "uv.lock",
      '[[package]]\nname = "demo-pkg"\nversion = "1.0.0"\nsource = { git = "https://git.example/o/r?rev=1#abc" }\n',
      "https://git.example/o/r?rev=1#abc",
    ],
    [
      "poetry.lock",
      '[[package]]\nname = "demo-pkg"\nversion = "1.0.0"\n\n[package.source]\ntype = "git"\nurl = "https://user:pass@git.example/o/r"\n',
      "https://git.example/o/r",
    ],
    [
      "pyproject.toml",
      '[project]\nname = "mine"\ndependencies = ["demo-pkg @ https://files.example/demo.zip"]\n',
      "https://files.example/demo.zip",
    ],
    ["requirements.txt", "demo-pkg @ git+https://token@git.example/o/r\n", "git+https://git.example/o/r"],
  ])("%s", async (file, text, origin) => {
    expect(await label(`//- project/${file}\n${text}`)).toBe(
      `PackageNotFound: ${file} takes demo-pkg from ${origin}, not from an index`,
    );
  });
});

describe("without a lockfile", () => {
  test.each([
    [
      "pyproject.toml",
      '[project]\ndependencies = ["demo-pkg >=1,<1.5"]\n',
      "demo-pkg 1.0.0 (>=1,<1.5 of pyproject.toml)",
    ],
    [
      "pyproject.toml",
      '[tool.poetry.dependencies]\npython = "^3.9"\ndemo-pkg = "^1.0"\n',
      "demo-pkg 1.5.0 (^1.0 of pyproject.toml)",
    ],
    [
      "pyproject.toml",
      '[dependency-groups]\ndev = ["demo-pkg==2.0.0", {include-group = "x"}]\n',
      "demo-pkg 2.0.0 (from pyproject.toml)",
    ],
    ["setup.cfg", "[options]\ninstall_requires =\n    other\n    demo-pkg>=2\n", "demo-pkg 2.0.0 (>=2 of setup.cfg)"],
    ["Pipfile", '[packages]\ndemo-pkg = {version = "==1.*", extras = ["x"]}\n', "demo-pkg 1.5.0 (==1.* of Pipfile)"],
    ["other.txt", "", "demo-pkg 2.0.0 (latest in the registry)"],
  ])("%s: %j", async (file, text, expected) => {
    expect(await label(`//- project/${file}\n${text}`)).toBe(expected);
  });
});

test("the dependencies of the project and of its uv workspace are listed, with their versions", async () => {
  const files = `//- project/pyproject.toml
[project]
name = "mine"
dependencies = ["demo-pkg>=1", "mine[extra]", "local-one"]
[dependency-groups]
dev = ["pytest"]
[tool.uv.sources]
local-one = { workspace = true }
[tool.uv.workspace]
members = ["packages/*"]
//- project/packages/one/pyproject.toml
[project]
name = "local-one"
dependencies = ["rich==13.0"]
//- project/uv.lock
[[package]]
name = "demo-pkg"
version = "1.5.0"
source = { registry = "x" }
${environment("project/.venv", [{ name: "pytest", version: "8.0.0" }])}`;
  await using workspace = await pypiWorkspace({ index, files });
  const found = await readDependencies(workspace.location);
  const usual = { type: "pypi", wanted: undefined, isUsual: true };
  expect(found).toEqual({
    usable: [
      { ...usual, name: "demo-pkg", package: "demo-pkg", version: "1.5.0" },
      { ...usual, name: "pytest", package: "pytest", version: "8.0.0" },
      { ...usual, name: "rich", package: "rich", version: undefined, wanted: "13.0", isUsual: false },
    ],
    skipped: [{ name: "local-one", reason: "pyproject.toml takes local-one from this workspace, not from an index" }],
  });
});
