import { mkdir, symlink, truncate } from "node:fs/promises";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { dependenciesNamedIn, dependenciesOf } from "../../../../../server/resources/packages/dependencies.ts";
import { nugetEcosystem } from "../../../../../server/resources/packages/nuget/nuget.ts";
import type { Source } from "../../../../../server/resources/source.ts";
import { npmWorkspace, type NpmWorkspace, type NpmWorkspaceOptions } from "../../../../support/npm-workspace.ts";

const commit = "0123456789abcdef0123456789abcdef01234567";
const url = "https://github.com/serilog/serilog";

function nuspec(
  id: string,
  version: string,
  repository = `<repository type="git" url="${url}.git" commit="${commit}" />`,
) {
  const key = id.toLowerCase();
  return `//- home/.nuget/packages/${key}/${version.toLowerCase()}/${key}.nuspec
<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://schemas.microsoft.com/packaging/2013/05/nuspec.xsd">
  <metadata><id>${id}</id><version>${version}</version>
  <projectUrl>https://github.com/serilog/serilog</projectUrl>${repository}</metadata>
</package>
`;
}
const csproj = (items: string, at = "project/App.csproj") =>
  `//- ${at}\n<Project Sdk="Microsoft.NET.Sdk">${items}</Project>\n`;
const references = `<ItemGroup>
  <PackageReference Include="serilog" Version="4.0.0" />
  <PackageReference Include="Polly"><Version>[8.2.0, 9.0)</Version></PackageReference>
</ItemGroup>`;
const installed = `${nuspec("Serilog", "4.0.0")}${nuspec("Serilog", "4.1.0")}${nuspec("Polly", "8.2.0")}`;
const files = `${csproj(references)}${installed}`;

/** A repository at one commit. */
function commitSource({ url: address, commit: id }: { url: string; commit: string }): Source {
  return {
    key: `${address}#${id}`,
    resolve: async () => id,
    async fetch(directory, { revision }) {
      mkdirSync(path.join(directory, "src"));
      writeFileSync(path.join(directory, "src", "Log.cs"), `// ${revision}\n`);
      return {};
    },
  };
}

type Options = Omit<NpmWorkspaceOptions, "ecosystem"> & { prepare?: (workspace: NpmWorkspace) => Promise<unknown> };

/** The label, the revision and the files, or the error. */
async function outcome({ prepare, ...options }: Options, name: string, version?: string): Promise<string[]> {
  await using workspace = await npmWorkspace({ ...options, ecosystem: nugetEcosystem, commitSource });
  await prepare?.(workspace);
  try {
    await using snapshot = await workspace.open({ name: "it", package: name, version });
    return [snapshot.info.label, snapshot.info.revision, ...snapshot.files.map((file) => file.path)];
  } catch (error) {
    const { tag, error: message, hint = "" } = toErrorBody(error);
    return [`${tag}: ${message}`, hint];
  }
}

const serilog = (from: string, version = "4.0.0") => `Serilog ${version} (${from}${url} at 0123456)`;

test("a citation has a link to the commit", async () => {
  await using workspace = await npmWorkspace({ files, ecosystem: nugetEcosystem, commitSource });
  await using snapshot = await workspace.open({ name: "it", package: "Serilog" });
  const link = snapshot.permalink("src/Log.cs", { startLine: 1, endLine: 1 });
  expect(link).toBe(`${url}/blob/${commit}/src/Log.cs#L1`);
});

test("a package is read at the commit that it was built from", async () => {
  expect(await outcome({ files }, "Serilog")).toEqual([
    serilog("from App.csproj, "),
    `4.0.0+${commit.slice(0, 16)}`,
    "src/Log.cs",
  ]);
  expect((await outcome({ files: `${files}//- project/a/b.cs\n`, cwd: "project/a" }, "SERILOG"))[0]).toBe(
    serilog("from App.csproj, "),
  );
  expect((await outcome({ files }, "Polly"))[0]).toMatch(/^Polly 8\.2\.0 \(from App\.csproj/);
  expect((await outcome({ files }, "Serilog", "4.1.0"))[0]).toBe(serilog("", "4.1.0"));
});

const assets = (targets: object, folders: object = {}) =>
  `//- project/obj/project.assets.json\n${JSON.stringify({ version: 3, targets, packageFolders: folders })}\n`;
const restored = assets({
  "net8.0": {
    "Serilog/4.1.0": { type: "package" },
    "Serilog.Sinks.Console/6.0.0": { type: "package", dependencies: { Serilog: "4.0.0" } },
    "Lib/1.0.0": { type: "project", dependencies: { Serilog: "4.1.0" } },
  },
});
const lock = `//- project/packages.lock.json\n${JSON.stringify({
  version: 1,
  dependencies: { "net8.0": { Serilog: { type: "Direct", requested: "[4.0.0, )", resolved: "4.1.0" } } },
})}\n`;

test.each<[string, string, string]>([
  ["the restored assets", `${files}${restored}`, serilog("from obj/project.assets.json, ", "4.1.0")],
  ["the lock file", `${files}${lock}`, serilog("from packages.lock.json, ", "4.1.0")],
  [
    "central versions with a property",
    `${csproj('<ItemGroup><PackageReference Include="Serilog" /></ItemGroup>', "project/src/App.fsproj")}//- project/Directory.Packages.props
<Project><PropertyGroup><SerilogVersion>$(Major).0.0</SerilogVersion></PropertyGroup>
<ItemGroup><PackageVersion Include="Serilog" Version="$(SerilogVersion)" /></ItemGroup></Project>
//- project/Directory.Build.props
<Project><PropertyGroup><Major>4</Major></PropertyGroup></Project>
//- project/App.sln
Project("{FAE04EC0}") = "App", "src\\App.fsproj", "{1}"
${installed}`,
    serilog("from Directory.Packages.props, "),
  ],
  [
    "packages.config",
    `//- project/packages.config\n<packages><package id="Serilog" version="4.0.0" targetFramework="net48" /></packages>\n${installed}`,
    serilog("from packages.config, "),
  ],
  [
    "a solution in XML",
    `//- project/App.slnx\n<Solution><Project Path="src/App.csproj" /></Solution>\n${csproj(references, "project/src/App.csproj")}${installed}`,
    serilog("from App.csproj, "),
  ],
  ["no project, by the highest that is installed", installed, serilog("", "4.1.0")],
])("the version is that of %s", async (_, source, label) => {
  expect((await outcome({ files: source }, "Serilog"))[0]).toBe(label);
});

test("in the folders that NUGET_PACKAGES and the restore name", async () => {
  const elsewhere = files.replaceAll("home/.nuget/packages", "cache");
  const env = (root: string) => ({ NUGET_PACKAGES: `${root}/cache` });
  expect((await outcome({ files: elsewhere, env }, "Serilog"))[0]).toBe(serilog("from App.csproj, "));
  expect((await outcome({ files: elsewhere }, "Serilog"))[0]).toBe("PackageNotFound: Serilog 4.0.0 is not installed");
  const prepare = async ({ folder }: NpmWorkspace) =>
    folder.write(
      assets({ "net8.0": { "Serilog/4.1.0": { type: "package" } } }, { [`${folder.path}/cache/`]: {}, relative: {} }),
    );
  expect((await outcome({ files: elsewhere, prepare }, "Serilog"))[0]).toContain("4.1.0");
});

test.each<[string, string]>([
  ["no repository", ""],
  ["no commit", `<repository type="git" url="${url}" />`],
  ["a short commit", `<repository type="git" url="${url}" commit="0123456" />`],
  ["a branch", `<repository type="git" url="${url}" commit="--upload-pack=evil" />`],
  ["another system", `<repository type="svn" url="${url}" commit="${commit}" />`],
  ["a file", `<repository type="git" url="file:///etc" commit="${commit}" />`],
  ["a password", `<repository type="git" url="https://me:secret@git.example/o/p" commit="${commit}" />`],
])("a package that names %s is refused, with its project's address", async (_, repository) => {
  expect(await outcome({ files: `${csproj(references)}${nuspec("Serilog", "4.0.0", repository)}` }, "Serilog")).toEqual(
    [
      "PackageNotFound: Serilog 4.0.0 has no source, and names no commit of its repository",
      `add its repository as a resource: citewell add ${url}`,
    ],
  );
});

test("what is not installed is refused", async () => {
  expect(await outcome({ files: csproj(references) }, "Polly")).toEqual([
    "PackageNotFound: Polly 8.2.0 is not installed",
    "run: dotnet restore; or add its repository as a resource",
  ]);
  expect((await outcome({ files }, "Serilog", "4.0.0x"))[0]).toBe("PackageNotFound: Serilog 4.0.0x is not installed");
  expect((await outcome({ files }, "Unknown.Package"))[0]).toBe(
    "PackageNotFound: Unknown.Package is not installed, and no registry is asked for it",
  );
});

test("what the projects of a solution name is listed, and offered where a question names it", async () => {
  const solution = `//- project/All.sln\nProject("{F}") = "A", "a\\A.csproj", "{1}"\nProject("{F}") = "B", "b\\B.csproj", "{2}"\n`;
  const other = '<ItemGroup><PackageReference Include="Moq" Version="4.*" /></ItemGroup>';
  const two = `${solution}${csproj(references, "project/a/A.csproj")}${csproj(other, "project/b/B.csproj")}${installed}`;
  await using workspace = await npmWorkspace({ files: two, ecosystem: nugetEcosystem });
  const found = await dependenciesOf(nugetEcosystem, workspace.location);
  expect(found?.usable.map(({ name, version }) => [name, version])).toEqual([
    ["Polly", "8.2.0"],
    ["serilog", "4.0.0"],
  ]);
  expect(found?.skipped).toEqual([{ name: "Moq", reason: "Moq is not installed" }]);
  const named = await dependenciesNamedIn("How does Serilog write events?", nugetEcosystem, workspace.location);
  expect(named).toEqual([{ type: "nuget", name: "serilog", version: "4.0.0" }]);
  expect(await dependenciesNamedIn("What is a serial log?", nugetEcosystem, workspace.location)).toEqual([]);
});

test("the restored assets say what asks for a package; a lock file is read itself", async () => {
  const asking = async (source: string) => {
    await using workspace = await npmWorkspace({ files: source, ecosystem: nugetEcosystem });
    return await nugetEcosystem.dependentsOf?.("serilog", workspace.location);
  };
  const file = "obj/project.assets.json";
  expect(await asking(`${files}${restored}`)).toEqual({
    name: "Serilog",
    by: [
      { name: "App", version: undefined, wanted: "4.0.0", file: "App.csproj" },
      { name: "Serilog.Sinks.Console", version: "6.0.0", wanted: "4.0.0", file },
      { name: "Lib", version: "1.0.0", wanted: "4.1.0", file },
    ],
  });
  expect(await asking(`${files}${restored}${lock}`)).toBeUndefined();
  expect(await asking(files)).toBeUndefined();
});

test("a hosted project reads nothing of the computer", async () => {
  expect((await outcome({ files, isAnonymous: true }, "Serilog"))[0]).toMatch(/^PackageNotFound: /);
});

test.each<[string, string]>([
  ["a version with a path", csproj('<ItemGroup><PackageReference Include="Serilog" Version="../../x" /></ItemGroup>')],
  ["a name with a path", csproj('<ItemGroup><PackageReference Include="../../Serilog" Version="4.0.0" /></ItemGroup>')],
  ["broken XML", "//- project/App.csproj\n<Project><ItemGroup>\n"],
  [
    "an entity",
    '//- project/App.csproj\n<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><Project>&e;</Project>\n',
  ],
  [
    "a circle of properties",
    csproj(
      '<PropertyGroup><A>$(B)</A><B>$(A)</B></PropertyGroup><ItemGroup><PackageReference Include="Serilog" Version="$(A)" /></ItemGroup>',
    ),
  ],
  [
    "broken JSON",
    "//- project/App.csproj\n<Project/>\n//- project/obj/project.assets.json\n{\n//- project/packages.lock.json\n[[\n",
  ],
  [
    "wrong types",
    `//- project/App.csproj\n<Project/>\n${assets({ a: [1], b: { "Serilog/../..": { type: "package" }, "x/1": 3 } })}//- project/packages.lock.json\n{"dependencies":{"net8.0":{"Serilog":{"type":"Direct","resolved":"../../../x"}}}}\n`,
  ],
])("%s in a project names no package that is read", async (_, source) => {
  const found = await outcome(
    { files: `${source}//- home/secret/serilog.nuspec\n<package><metadata/></package>\n` },
    "Serilog",
  );
  expect(found[0]).toMatch(/^PackageNotFound: Serilog.* is not installed/);
});

test("a link out of the packages folder and a nuspec that is too large are not read", async () => {
  const outside = `${csproj(references)}${nuspec("Serilog", "4.0.0").replace("home/.nuget/packages/serilog/4.0.0", "outside")}`;
  const link = async ({ folder }: NpmWorkspace) => {
    const packages = path.join(folder.path, "home/.nuget/packages/serilog");
    await mkdir(packages, { recursive: true });
    await symlink(path.join(folder.path, "outside"), path.join(packages, "4.0.0"));
  };
  expect((await outcome({ files: outside, prepare: link }, "Serilog"))[0]).toMatch(/is not installed/);
  const grow = ({ folder }: NpmWorkspace) =>
    truncate(path.join(folder.path, "home/.nuget/packages/serilog/4.0.0/serilog.nuspec"), 65 * 1024 * 1024);
  expect((await outcome({ files, prepare: grow }, "Serilog"))[0]).toMatch(/is not installed/);
});
