import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { type Folder, temporaryFolder } from "../support/folder.ts";
import { startInTerminal } from "../support/pty.ts";

/** A workspace of two packages: one dependency hoisted, one installed below its package, one nowhere. */
const workspace = `//- package.json
{ "name": "root", "workspaces": ["packages/*"], "devDependencies": { "left-pad": "^1.0.0", "gone": "*" } }
//- packages/app/package.json
{ "name": "app", "dependencies": { "root": "*", "is-odd": "1.x", "left-pad": "*" } }
//- packages/app/node_modules/is-odd/package.json
{ "name": "is-odd", "version": "1.2.3" }
//- node_modules/left-pad/package.json
{ "name": "left-pad", "version": "1.3.0" }
//- citewell.config.jsonc
{ "resources": [] }
`;

const run = (folder: Folder, ...args: string[]) => runHere(["deps", ...args], { cwd: folder.path });
const configured = async (folder: Folder) =>
  JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8")).resources;

test.each(["--all", "--yes"])("%s adds what the packages of the workspace depend on, once", async (flag) => {
  await using folder = await temporaryFolder(workspace);
  const { code, stdout } = await run(folder, flag);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^added gone \*\nadded is-odd 1\.2\.3\nadded left-pad 1\.3\.0\nto .*citewell\.config\.jsonc\nleft out root: it is a package of this workspace\n$/,
  );
  expect(await configured(folder)).toEqual([
    { type: "npm", name: "gone", package: "gone" },
    { type: "npm", name: "is-odd", package: "is-odd", version: "1.2.3" },
    { type: "npm", name: "left-pad", package: "left-pad" },
  ]);
  expect(JSON.parse((await run(folder, flag, "--json")).stdout)).toMatchObject({
    added: [],
    present: ["gone", "is-odd", "left-pad"],
  });
});

test("names choose; one that the workspace does not depend on is refused", async () => {
  await using folder = await temporaryFolder(workspace);
  expect(await run(folder, "left-pda")).toMatchObject({ code: 3, stderr: expect.stringContaining("left-pad") });
  expect(await configured(folder)).toEqual([]);
  expect(await run(folder, "left-pad")).toMatchObject({ code: 0 });
  expect(await configured(folder)).toHaveLength(1);
});

test("without a project file one is created, and the global file stays as it is", async () => {
  await using folder = await temporaryFolder(`//- package.json
{ "dependencies": { "left-pad": "*" } }
//- node_modules/left-pad/package.json
{ "name": "left-pad", "version": "1.3.0" }
`);
  const { stdout } = await run(folder, "--all");
  expect(stdout).toMatch(/^added left-pad 1\.3\.0\nto .*citewell\.config\.jsonc, created for this project\n$/);
  const text = await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8");
  expect(text).toContain('"name": "left-pad"');
  expect(text).not.toContain("1.3.0");
  const status = await runHere(["status", "--json"], { cwd: folder.path, env: { CI: "1" } });
  expect(JSON.parse(status.stdout).global).toMatchObject({ exists: false });
});

test("without an installation or a lockfile, an exact version in package.json is the one added", async () => {
  await using folder = await temporaryFolder(`//- package.json
{ "dependencies": { "ms": "2.1.3", "undici": "^7.0.0" }, "devDependencies": { "tar": "=7.5.0-rc.1" } }
//- citewell.config.jsonc
{ "resources": [] }
`);
  const { stdout } = await run(folder, "--all");
  expect(stdout).toMatch(/^added ms 2\.1\.3\nadded tar 7\.5\.0-rc\.1\nadded undici \^7\.0\.0\n/);
  expect(await configured(folder)).toEqual([
    { type: "npm", name: "ms", package: "ms", version: "2.1.3" },
    { type: "npm", name: "tar", package: "tar", version: "7.5.0-rc.1" },
    { type: "npm", name: "undici", package: "undici" },
  ]);
});

test("without names and a terminal it ends with 2 and names the options; without package.json, too", async () => {
  await using folder = await temporaryFolder(workspace);
  expect(await run(folder)).toMatchObject({ code: 2, stderr: expect.stringContaining("(names, or --all)") });
  await using empty = await temporaryFolder();
  expect(await run(empty, "--all")).toMatchObject({ code: 2, stderr: expect.stringContaining("no package.json") });
});

test("what is not from a registry is left out, with the reason, and refused by its name", async () => {
  await using folder = await temporaryFolder(`//- package.json
{ "dependencies": { "mine": "git+https://me:secret@host.example/o/mine.git#2.1.1", "renamed": "npm:ms@2.1.3", "ms": "^2" } }
//- citewell.config.jsonc
{ "resources": [] }
`);
  const origin = "package.json takes mine from git+https://host.example/o/mine.git#2.1.1, not from a registry";
  const { stdout } = await run(folder, "--all");
  expect(stdout).toMatch(/^added ms \^2\nadded renamed 2\.1\.3\n/);
  expect(stdout).toContain(`\nleft out mine: ${origin}\n`);
  expect(await configured(folder)).toEqual([
    { type: "npm", name: "ms", package: "ms" },
    { type: "npm", name: "renamed", package: "ms", version: "2.1.3" },
  ]);
  expect(JSON.parse((await run(folder, "--all", "--json")).stdout)).toMatchObject({
    skipped: [{ name: "mine", reason: origin }],
  });
  expect(await run(folder, "mine")).toMatchObject({ code: 7, stderr: expect.stringContaining(origin) });
});

test("many left out for one reason are one line with their number and the first names, in every ecosystem", async () => {
  await using folder = await temporaryFolder(`//- package.json
{ "name": "root", "workspaces": ["npm/*"], "dependencies": { "n1": "*", "n2": "*", "fork": "file:fork" } }
//- npm/n1/package.json
{ "name": "n1" }
//- npm/n2/package.json
{ "name": "n2" }
//- Cargo.toml
[workspace]
members = ["crates/*"]
//- crates/app/Cargo.toml
[package]
name = "app"
version = "1.0.0"
[dependencies]
c1 = { path = "../c1" }
c2 = { path = "../c2" }
c3 = { path = "../c3" }
c4 = { path = "../c4" }
//- crates/c1/Cargo.toml
[package]
name = "c1"
version = "1.0.0"
//- crates/c2/Cargo.toml
[package]
name = "c2"
version = "1.0.0"
//- crates/c3/Cargo.toml
[package]
name = "c3"
version = "1.0.0"
//- crates/c4/Cargo.toml
[package]
name = "c4"
version = "1.0.0"
//- pyproject.toml
[project]
name = "app"
version = "1"
dependencies = ["p1", "p2"]
[tool.uv.sources]
p1 = { workspace = true }
p2 = { workspace = true }
//- pom.xml
<project><modelVersion>4.0.0</modelVersion><groupId>org.a</groupId><artifactId>root</artifactId><version>1</version>
<packaging>pom</packaging><modules><module>m1</module><module>m2</module></modules>
<dependencies>
<dependency><groupId>org.a</groupId><artifactId>m1</artifactId><version>1</version></dependency>
<dependency><groupId>org.a</groupId><artifactId>m2</artifactId><version>1</version></dependency>
</dependencies></project>
//- m1/pom.xml
<project><modelVersion>4.0.0</modelVersion><groupId>org.a</groupId><artifactId>m1</artifactId><version>1</version></project>
//- m2/pom.xml
<project><modelVersion>4.0.0</modelVersion><groupId>org.a</groupId><artifactId>m2</artifactId><version>1</version></project>
//- app.csproj
<Project Sdk="Microsoft.NET.Sdk"><ItemGroup>
<PackageReference Include="Not.There" Version="1.2.3" /><PackageReference Include="Nor.There" Version="2.0.0-rc.1" />
</ItemGroup></Project>
//- citewell.config.jsonc
{ "resources": [] }
`);
  const { stdout } = await run(folder, "--all");
  expect(stdout.split("\n").filter((line) => line.startsWith("left out"))).toEqual([
    "left out fork: package.json takes fork from file:fork, not from a registry",
    "left out 2 (n1, n2): each is a package of this workspace",
    "left out 2 (p1, p2): pyproject.toml takes each from this workspace, not from an index",
    "left out 4 (c1, c2, c3, …): each is a crate of this workspace",
    "left out 2 (org.a:m1, org.a:m2): the build takes each from this workspace, not from a repository",
    "left out 2 (Nor.There, Not.There): each is not installed",
  ]);
  const { skipped } = JSON.parse((await run(folder, "--all", "--json")).stdout);
  expect(skipped).toContainEqual({ name: "c4", reason: "it is a crate of this workspace" });
  expect(skipped).toHaveLength(13);
});

test.each([["Gemfile", "Ruby gems without a Gemfile.lock"]])(
  "with %s alone, it says that %s cannot be added yet",
  async (manifest, what) => {
    await using folder = await temporaryFolder(`//- ${manifest}\n\n`);
    expect(await run(folder, "--all")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`${manifest}: ${what} cannot be added yet`),
    });
  },
);

test("beside a manifest that can be read, another one is named, with what to do instead", async () => {
  await using folder = await temporaryFolder(`//- Package.swift\n\n${workspace}`);
  expect(await run(folder, "left-pad")).toMatchObject({
    code: 0,
    stderr:
      "Package.swift: Swift packages cannot be added yet; add a dependency's repository or folder: citewell add <url-or-path>\n",
  });
});

test("in a monorepo without a manifest of its own, the folders with one are named", async () => {
  const files = `//- web/package.json\n{ "dependencies": { "ms": "2" } }
//- bindings/java/build.gradle\napi 'org.demo:core:1.5'
//- bindings/go/go.mod\nmodule m\n\nrequire example.org/demo v1.0.0
//- a/deep/one/package.json\n{ "dependencies": { "ms": "2" } }
//- docs/a.md\n`;
  await using folder = await temporaryFolder(files);
  const { code, stderr } = await run(folder, "--all");
  expect(code).toBe(2);
  const named = /hint: run it in a folder with one: (.*)\n/.exec(stderr)?.[1]?.split(", ") ?? [];
  expect(named.map((one) => one.replaceAll("\\", "/")).toSorted()).toEqual(["bindings/go", "bindings/java", "web"]);
});

test("gems of a lock file are added, and its Gemfile is not named as one that cannot be", async () => {
  await using folder = await temporaryFolder(
    `//- Gemfile\ngem "rack"\n//- Gemfile.lock\nDEPENDENCIES\n  rack\n//- vendor/bundle/ruby/3.1.0/gems/rack-2.0.0/lib/rack.rb\n\n//- citewell.config.jsonc\n{ "resources": [] }\n`,
  );
  expect(await run(folder, "--all")).toMatchObject({ code: 0, stderr: "" });
  expect(await configured(folder)).toEqual([{ type: "gem", name: "rack", package: "rack" }]);
});

test("in a terminal several can be chosen", async () => {
  await using folder = await temporaryFolder(workspace);
  const session = startInTerminal(["deps"], { cwd: folder.path });
  await session.sees("Which dependencies should be added?");
  session.type("\u001B[B \u001B[B \r");
  expect(await session.exit).toBe(0);
  expect((await configured(folder)).map(({ name }: { name: string }) => name)).toEqual(["is-odd", "left-pad"]);
});
