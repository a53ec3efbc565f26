import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { packZip } from "../support/zip.ts";

const home = `
//- py/pyproject.toml
[project]
name = "app"
dependencies = ["pyyaml"]
//- py/load.py
import yaml


def load(text):
    return yaml.safe_load(text)
//- py/.venv/pyvenv.cfg
home = /usr/bin
//- py/.venv/lib/python3.12/site-packages/PyYAML-6.0.1.dist-info/METADATA
Name: PyYAML
Version: 6.0.1
//- py/.venv/lib/python3.12/site-packages/PyYAML-6.0.1.dist-info/RECORD
yaml/__init__.py,,
//- py/.venv/lib/python3.12/site-packages/yaml/__init__.py
def safe_load(stream):
    return load(stream, SafeLoader)
//- py/.venv/lib/python3.12/site-packages/settings-2.0.dist-info/METADATA
Name: settings
Version: 2.0
Requires-Dist: pyyaml (>=6)
Requires-Dist: rich ; extra == "color"
//- py/.venv/lib/python3.12/site-packages/settings-2.0.dist-info/RECORD
settings.py,,
//- locked/uv.lock
[[package]]
name = "settings"
version = "2.0"
dependencies = [
    { name = "pyyaml" },
]

[[package]]
name = "pyyaml"
version = "6.0.2"
source = { registry = "https://pypi.org/simple" }
//- locked/pyproject.toml
[project]
name = "locked"
dependencies = ["pyyaml"]
//- locked/load.py
from yaml import safe_load
//- js/package.json
{ "name": "app", "dependencies": { "tiny": "1.2.3", "twin": "2.0.0" } }
//- js/src/wait.ts
import { tinyDelay } from "tiny/delay";
import { twice } from "twin";
export const wait = () => twice(tinyDelay);
//- js/node_modules/tiny/package.json
{ "name": "tiny", "version": "1.2.3" }
//- js/node_modules/tiny/delay.js
export const tinyDelay = 5;
//- js/node_modules/twin/package.json
{ "name": "twin", "version": "2.0.0" }
//- js/node_modules/twin/index.js
export function twice(number) { return 2 * number; }
//- js/packages/twin/package.json
{ "name": "twin", "version": "3.0.0-dev" }
//- js/packages/twin/index.js
export function twice(number) {
  return number + number;
}
//- go/go.mod
module example.com/app

go 1.22

require github.com/Acme/logs v1.4.0

require github.com/Acme/text v0.3.1 // indirect
//- gopath/pkg/mod/cache/download/github.com/!acme/logs/@v/v1.4.0.mod
module github.com/Acme/logs

require github.com/Acme/text v0.3.0
//- gopath/pkg/mod/github.com/!acme/text@v0.3.1/text.go
package text
//- go/main.go
package main

import (
	"fmt"

	"github.com/Acme/logs/level"
)

func main() { fmt.Println(level.Debug) }
//- gopath/pkg/mod/github.com/!acme/logs@v1.4.0/go.mod
module github.com/Acme/logs
//- gopath/pkg/mod/github.com/!acme/logs@v1.4.0/level/level.go
package level

const (
	Debug = 1
	Error = 3
)
//- rust/Cargo.toml
[package]
name = "app"
version = "0.1.0"

[dependencies]
tiny-json = "1"
//- rust/Cargo.lock
version = 4

[[package]]
name = "app"
version = "0.1.0"
dependencies = ["tiny-json"]

[[package]]
name = "tiny-json"
version = "1.0.9"
source = "registry+https://github.com/rust-lang/crates.io-index"
//- rust/src/main.rs
fn main() {
    println!("{:?}", tiny_json::parse_text("1"));
}
//- cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tiny-json-1.0.9/Cargo.toml
[package]
name = "tiny-json"
version = "1.0.9"
//- cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tiny-json-1.0.9/.cargo-ok
{"v":1}
//- cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tiny-json-1.0.9/src/lib.rs
pub fn parse_text(text: &str) -> usize {
    text.len()
}
//- jvm/pom.xml
<project>
  <groupId>org.example</groupId>
  <artifactId>app</artifactId>
  <version>1.0</version>
  <dependencies>
    <dependency>
      <groupId>org.acme</groupId>
      <artifactId>checks</artifactId>
      <version>4.2</version>
    </dependency>
  </dependencies>
</project>
//- jvm/src/main/java/App.java
import org.acme.checks.Check;

class App {
  void run() { Check.isTrue(true); }
}
//- .m2/repository/org/acme/checks/4.2/checks-4.2.pom
<project><groupId>org.acme</groupId><artifactId>checks</artifactId><version>4.2</version>
<dependencies><dependency><groupId>org.acme</groupId><artifactId>base</artifactId><version>1.1</version></dependency></dependencies>
</project>
`;

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder(home);
  const file = path.join(folder.path, ".m2/repository/org/acme/checks/4.2/checks-4.2-sources.jar");
  await mkdir(path.dirname(file), { recursive: true });
  const source = "package org.acme.checks;\n\npublic class Check {\n  public static void isTrue(boolean it) {}\n}\n";
  await writeFile(file, packZip([{ path: "org/acme/checks/Check.java", content: source }]));
});
afterAll(() => folder[Symbol.asyncDispose]());

function run(cwd: string, args: readonly string[]) {
  const env = {
    HOME: folder.path,
    CITEWELL_HOME: path.join(folder.path, ".home"),
    GOPATH: path.join(folder.path, "gopath"),
    GOFLAGS: "",
    CARGO_HOME: path.join(folder.path, "cargo"),
  };
  return runHere(args, { cwd: path.join(folder.path, cwd), env });
}

describe("a name that is not defined in the project", () => {
  test.each([
    ["py", "Where does safe_load come from?", "`yaml`, of PyYAML 6.0.1 (installed in .venv)", "yaml/__init__.py"],
    ["js", "where is tinyDelay defined?", "`tiny/delay`, of tiny 1.2.3 (installed in node_modules)", "delay.js"],
    [
      "go",
      "Where is level.Debug defined?",
      "`github.com/Acme/logs/level`, of github.com/Acme/logs v1.4.0 (from go.mod, in the module cache)",
      "level/level.go",
    ],
    [
      "rust",
      "Which crate is parse_text from?",
      "`tiny_json`, of tiny-json 1.0.9 (from Cargo.lock, unpacked by Cargo)",
      "src/lib.rs",
    ],
    [
      "jvm",
      "which library has `Check`?",
      "`org.acme.checks`, of org.acme:checks 4.2 (from pom.xml, in the local Maven repository)",
      "org/acme/checks/Check.java",
    ],
  ])("is found in the installed package of its import: %s", async (cwd, question, origin, file) => {
    const { stdout } = await run(cwd, ["ask", "-q", question, "--json"]);
    const { text: answer, citations } = JSON.parse(stdout);
    expect(answer).toContain(`comes from ${origin}. It is imported here:`);
    expect(citations.map(({ state, path: cited }: Record<string, string>) => [state, cited])).toEqual([
      ["verified", expect.anything()],
      ["verified", file],
    ]);
  });

  test.each([
    [
      "py",
      "Where does safe_load come from?",
      "pypi:yaml:yaml/__init__.py:1-2",
      "PyYAML 6.0.1 (installed in .venv as yaml)",
    ],
    [
      "go",
      "Where is level.Debug defined?",
      "go:github.com/Acme/logs@v1.4.0:level/level.go:4",
      "github.com/Acme/logs v1.4.0 (from go.mod, in the module cache)",
    ],
    [
      "rust",
      "Which crate is parse_text from?",
      "cargo:tiny-json@1.0.9:src/lib.rs:1-3",
      "tiny-json 1.0.9 (from Cargo.lock, unpacked by Cargo)",
    ],
  ])("is verified in that version: %s", async (cwd, question, place, label) => {
    const { stdout } = await run(cwd, ["ask", "-q", question, "--json"]);
    await folder.write(`//- ${cwd}/answer.md\n${JSON.parse(stdout).text}`);
    const verified = await run(cwd, ["verify", "answer.md"]);
    expect(verified.stdout).toContain(`answer.md:3  ✓ verified  ${place}\n2 citations: 2 verified.\n`);
    expect(verified.stdout).toContain(label);
  });

  test("has the locked version where the package is not installed", async () => {
    const { stdout } = await run("locked", ["search", "--definition", "safe_load", "--json"]);
    const [hit] = JSON.parse(stdout).results;
    expect(hit).toMatchObject({ path: "load.py", reason: "imported from `yaml` of pyyaml 6.0.2 (from uv.lock)" });
  });
});

describe("what depends on a package", () => {
  test.each([
    ["py", "What version of pyyaml do we use, and who asks for it?", "- `settings` 2.0: `>=6` in its metadata\n"],
    ["go", "Why is github.com/Acme/text in our build?", "- `github.com/Acme/logs` v1.4.0 [go.mod:5]("],
    ["jvm", "Who needs base?", "- `org.acme:checks` 4.2 [pom.xml:8-9]("],
    ["locked", "who depends on pyyaml?", "In `uv.lock`, this depends on it: `settings` [uv.lock:5]("],
  ])("is in the lock file, or in the metadata of what is installed: %s", async (cwd, question, line) => {
    const { stdout } = await run(cwd, ["ask", "-q", question, "--json"]);
    expect(JSON.parse(stdout).text).toContain(line);
  });

  test("has the version where no file of the project states one", async () => {
    const { stdout } = await run("jvm", ["ask", "-q", "What version of base do we use?", "--json"]);
    expect(JSON.parse(stdout).text).toContain("The project uses `org.acme:base` `1.1` (from the POM of checks");
  });
});

test("of two copies of a package, the answer says which one the project uses", async () => {
  const { stdout } = await run("js", ["ask", "-q", "Where is twice defined?", "--json"]);
  const { text: answer } = JSON.parse(stdout);
  expect(answer).toMatch(
    /^packages\/twin\/ is a copy of twin; the project uses twin 2\.0\.0 \(installed in node_modules\), npm:twin\.\n/,
  );
  expect(answer).toContain("return number + number;");
});
