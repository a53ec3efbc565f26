import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { temporaryFolder } from "../support/folder.ts";
import { startGitServer } from "../support/git-server.ts";

const project = (url: string, commit: string) => `//- App.csproj
<Project><ItemGroup><PackageReference Include="Demo.Retry" Version="1.5.0" /></ItemGroup></Project>
//- packages.lock.json
{
  "version": 1,
  "dependencies": {
    "net8.0": {
      "Demo.Http": {
        "type": "Transitive",
        "resolved": "2.0.0",
        "dependencies": {
          "Demo.Retry": "1.5.0"
        }
      },
      "Demo.Retry": {
        "type": "Direct",
        "requested": "[1.5.0, )",
        "resolved": "1.5.0"
      }
    }
  }
}
//- packages/demo.retry/1.5.0/demo.retry.nuspec
<package><metadata><id>Demo.Retry</id><version>1.5.0</version>
<repository type="git" url="${url}" commit="${commit}" /></metadata></package>
//- citewell.config.jsonc
{ "resources": [] }
//- .home/citewell.config.jsonc
{ "allowHosts": ["localhost"] }
`;

const configured = async (folder: { path: string }) =>
  JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8")).resources;

test("a package of the project is searched at its commit, listed, and asked about", async () => {
  await using git = await startGitServer();
  const commit = await git.commit("retry", { "src/Retry.cs": "class Retry { int DelaySeconds() => 2; }\n" });
  await git.commit("retry", { "src/Retry.cs": "class Retry { int DelaySeconds() => 9; }\n" });
  await using folder = await temporaryFolder(project(git.url("retry"), commit));
  const env = {
    CITEWELL_HOME: path.join(folder.path, ".home"),
    NUGET_PACKAGES: path.join(folder.path, "packages"),
    NODE_EXTRA_CA_CERTS: git.caFile,
    SSL_CERT_FILE: git.caFile,
  };
  const options = { cwd: folder.path, env };
  const search = await runHere(["search", "DelaySeconds", "-r", "nuget:demo.retry", "--json"], options);
  expect(search).toMatchObject({ code: 0 });
  const [found] = JSON.parse(search.stdout).results;
  expect(found).toMatchObject({ path: "src/Retry.cs", revision: `1.5.0+${commit.slice(0, 16)}` });
  expect(search.stdout).toContain("=> 2;");

  const { stdout } = await runHere(["doctor"], options);
  expect(stdout).toMatch(/\.NET packages: \S+packages\n/);
  const ask = ["ask", "-q", "What version of Demo.Retry do we use, and who asks for it?", "-r", "."];
  const answer = (await runHere(ask, options)).stdout;
  expect(answer).toMatch(/`packages\.lock\.json` has `Demo\.Retry` `1\.5\.0`/);
  expect(answer).toMatch(/this depends on it: `Demo\.Http` \[packages\.lock\.json:9\]/);

  expect(await runHere(["deps", "--all"], options)).toMatchObject({ code: 0, stderr: "" });
  expect(await configured(folder)).toEqual([{ type: "nuget", name: "Demo.Retry", package: "Demo.Retry" }]);
});

test.each([
  ["dotnet add package Serilog", { package: "Serilog" }],
  ["dotnet add src/App package Serilog --version 4.0.0", { package: "Serilog" }],
  ["pkg:nuget/Serilog@4.0.0", { package: "Serilog", version: "4.0.0" }],
  ["https://www.nuget.org/packages/Serilog/4.0.0", { package: "Serilog", version: "4.0.0" }],
])("add takes what people have at hand: %s", async (text, expected) => {
  await using folder = await temporaryFolder(
    `//- packages/serilog/4.0.0/serilog.nuspec\n<package><metadata><repository url="https://git.example/a/b" commit="${"1".repeat(40)}" /></metadata></package>\n//- citewell.config.jsonc\n{ "resources": [] }\n`,
  );
  await runHere(["add", text], { cwd: folder.path, env: { NUGET_PACKAGES: path.join(folder.path, "packages") } });
  expect(await configured(folder)).toEqual([{ type: "nuget", name: "Serilog", ...expected }]);
});
