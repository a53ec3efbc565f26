import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { environment, packDistribution, sha256, startPypiIndex } from "../support/pypi-index.ts";

const installed = environment(".venv", [
  { name: "PyYAML", version: "6.0.2", files: { "yaml/loader.py": "def construct_document(node):\n    return node\n" } },
]);
const wheelName = "demo_pkg-1.5.0-py3-none-any.whl";
const wheel = packDistribution({
  name: "demo-pkg",
  version: "1.5.0",
  filename: wheelName,
  files: { "demo_pkg/retry.py": "def retry_after(response):\n    return response.headers['retry-after']\n" },
});
const project = `//- pyproject.toml
[project]
name = "mine"
dependencies = ["pyyaml", "demo-pkg>=1"]
//- uv.lock
version = 1

[[package]]
name = "demo-pkg"
version = "1.5.0"
source = { registry = "https://index.example/simple" }
wheels = [{ url = "https://index.example/${wheelName}", hash = "sha256:${sha256(wheel)}" }]
//- citewell.config.jsonc
{ "resources": [] }
${installed}`;

test("the installed version is searched by the name of a module, and a citation of it is verified", async () => {
  await using folder = await temporaryFolder(project);
  const { stdout } = await runHere(["search", "construct document", "-r", "pypi:yaml", "--limit", "1"], {
    cwd: folder.path,
  });
  expect(stdout).toContain("pypi:yaml:yaml/loader.py:1-2");
  const citation = "`pypi:yaml:yaml/loader.py:1-2` has it.";
  const verified = await runCli(["verify", "-", "-r", "pypi:yaml", "--json"], { cwd: folder.path, stdin: citation });
  expect(JSON.parse(verified.stdout)).toMatchObject({ citations: [{ state: "verified" }] });
});

test("the locked version is fetched once, and answers without the index", async () => {
  await using folder = await temporaryFolder(project);
  await using index = await startPypiIndex();
  index.publish({ name: "demo-pkg", version: "1.5.0", filename: wheelName, bytes: wheel });
  index.publish({ name: "demo-pkg", version: "2.0.0" });
  const env = { PIP_INDEX_URL: index.url };
  const search = () =>
    runHere(["search", "retry after header", "-r", "pkg:pypi/demo-pkg", "--json"], { cwd: folder.path, env });
  expect(JSON.parse((await search()).stdout)).toMatchObject({
    results: [{ resource: "pypi:demo-pkg", revision: expect.stringMatching(/^1\.5\.0\+/), path: "demo_pkg/retry.py" }],
  });
  await index.stop();
  expect((await search()).stdout).toContain("demo_pkg/retry.py");
});

test("the dependencies of a project of two languages are added, each by its own name", async () => {
  await using folder = await temporaryFolder(`${project}
//- package.json
{ "dependencies": { "demo-pkg": "^9.0.0" } }
`);
  const { stdout } = await runHere(["deps", "--all"], { cwd: folder.path });
  expect(stdout).toMatch(/^added demo-pkg \^9\.0\.0\nadded pypi-demo-pkg 1\.5\.0\nadded pyyaml 6\.0\.2\n/);
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([
    { type: "npm", name: "demo-pkg", package: "demo-pkg" },
    { type: "pypi", name: "pypi-demo-pkg", package: "demo-pkg" },
    { type: "pypi", name: "pyyaml", package: "pyyaml" },
  ]);
});

test.each([
  ["pip install 'requests[socks]==2.32.3'", { package: "requests", version: "2.32.3" }],
  ["uv add httpx", { package: "httpx" }],
  ["https://pypi.org/project/rich/13.9.4/", { package: "rich", version: "13.9.4" }],
  ["pkg:pypi/flask@3.1.0", { package: "flask", version: "3.1.0" }],
])("add takes what people have at hand: %s", async (text, expected) => {
  await using folder = await temporaryFolder('//- citewell.config.jsonc\n{ "resources": [] }\n');
  await runHere(["add", text], { cwd: folder.path });
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([{ type: "pypi", name: expected.package, ...expected }]);
});
