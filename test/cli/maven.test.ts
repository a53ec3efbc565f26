import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { runHere } from "../support/cli-here.ts";
import { runCli } from "../support/cli.ts";
import { temporaryFolder } from "../support/folder.ts";
import { dependencies, mirrorSettings, pomOf, startMavenRepository } from "../support/maven-repository.ts";

const name = "org.demo:demo-core";
const project = `//- pom.xml
${pomOf({ name: "org.mine:app", version: "1", rest: `<properties><demo>1.5</demo></properties>${dependencies(`${name}:\${demo}`)}` })}
//- citewell.config.jsonc
{ "resources": [] }
`;

test("the version of the build is fetched once, cited and verified, and answers without the repository", async () => {
  await using repository = await startMavenRepository();
  const files = {
    "org/demo/Retry.java": "class Retry {\n  int retryAfter(Response response) {\n    return 1;\n  }\n}\n",
  };
  repository.publish({ name, version: "1.5", files });
  repository.publish({ name, version: "2.0", files });
  await using folder = await temporaryFolder(
    `${project}//- home/.m2/settings.xml\n${mirrorSettings(repository.url)}\n`,
  );
  const home = path.join(folder.path, "home");
  const env = { HOME: home, USERPROFILE: home };
  const search = () =>
    runHere(["search", "retry after response", "-r", "pkg:maven/org.demo/demo-core", "--json"], {
      cwd: folder.path,
      env,
    });
  const expected = {
    results: [{ resource: `maven:${name}`, revision: expect.stringMatching(/^1\.5\+/), path: "org/demo/Retry.java" }],
  };
  expect(JSON.parse((await search()).stdout)).toMatchObject(expected);
  await repository.stop();
  expect(JSON.parse((await search()).stdout)).toMatchObject(expected);
  const citation = `\`maven:${name}:org/demo/Retry.java:2-3\` has it.`;
  const verified = await runCli(["verify", "-", "-r", `maven:${name}`, "--json"], {
    cwd: folder.path,
    env,
    stdin: citation,
  });
  expect(JSON.parse(verified.stdout)).toMatchObject({ citations: [{ state: "verified" }] });
});

test("the dependencies of a project are added by the names of their artifacts", async () => {
  await using folder = await temporaryFolder(`${project}
//- package.json
{ "dependencies": { "demo-core": "^9.0.0" } }
`);
  const { stdout } = await runHere(["deps", "--all"], { cwd: folder.path });
  expect(stdout).toMatch(/^added demo-core \^9\.0\.0\nadded maven-demo-core 1\.5\n/);
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([
    { type: "npm", name: "demo-core", package: "demo-core" },
    { type: "maven", name: "maven-demo-core", package: name },
  ]);
});

test.each([
  ["maven:org.slf4j:slf4j-api", {}],
  ["mvn:org.slf4j:slf4j-api:2.0.13", { version: "2.0.13" }],
  ["org.slf4j:slf4j-api:2.0.13", { version: "2.0.13" }],
  ["org.slf4j:slf4j-api:jar:2.0.13:compile", { version: "2.0.13" }],
  ["pkg:maven/org.slf4j/slf4j-api@2.0.13", { version: "2.0.13" }],
  ['implementation("org.slf4j:slf4j-api:2.0.13")', { version: "2.0.13" }],
  ["testImplementation 'org.slf4j:slf4j-api:2.0.13'", { version: "2.0.13" }],
  [
    "<dependency>\n  <groupId>org.slf4j</groupId>\n  <artifactId>slf4j-api</artifactId>\n  <version>2.0.13</version>\n</dependency>",
    { version: "2.0.13" },
  ],
  ["https://central.sonatype.com/artifact/org.slf4j/slf4j-api", {}],
  ["https://search.maven.org/artifact/org.slf4j/slf4j-api/2.0.13/jar", { version: "2.0.13" }],
  ["https://mvnrepository.com/artifact/org.slf4j/slf4j-api/2.0.13", { version: "2.0.13" }],
  ["https://repo1.maven.org/maven2/org/slf4j/slf4j-api/2.0.13/slf4j-api-2.0.13.pom", { version: "2.0.13" }],
])("add takes what people have at hand: %s", async (text, expected) => {
  await using folder = await temporaryFolder('//- citewell.config.jsonc\n{ "resources": [] }\n');
  await runHere(["add", text], { cwd: folder.path });
  const { resources } = JSON.parse(await readFile(path.join(folder.path, "citewell.config.jsonc"), "utf8"));
  expect(resources).toEqual([{ type: "maven", name: "slf4j-api", package: "org.slf4j:slf4j-api", ...expected }]);
});
