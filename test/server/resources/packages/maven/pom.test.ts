import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { findNamedDependencies, readDependencies } from "../../../../../server/resources/packages/dependencies.ts";
import { projectPath } from "../../../../../server/resources/packages/files.ts";
import { chooseVersion } from "../../../../../server/resources/packages/maven/version-choice.ts";
import { dependencies, packSources, pomOf } from "../../../../support/maven-repository.ts";
import { mavenWorkspace } from "../../../../support/maven-workspace.ts";

const name = "org.demo:demo-core";
const parent = (version = "1", path = "") =>
  `<parent><groupId>org.demo</groupId><artifactId>parent</artifactId><version>${version}</version>${path}</parent>`;
const managed = (...coordinates: string[]) =>
  `<dependencyManagement>${dependencies(...coordinates)}</dependencyManagement>`;
const project = (rest: string) => `//- project/pom.xml\n${pomOf({ name: "org.mine:app", version: "1", rest })}`;
const onDisk = (coordinates: string, rest: string) => {
  const [group = "", artifact = "", version = ""] = coordinates.split(":");
  const file = `home/.m2/repository/${group.replaceAll(".", "/")}/${artifact}/${version}/${artifact}-${version}.pom`;
  return `//- ${file}\n${pomOf({ name: `${group}:${artifact}`, version, rest })}`;
};

/** What the project means by the dependency, without contacting a registry. */
async function chosen(files: string, cwd = "project"): Promise<string> {
  await using workspace = await mavenWorkspace({ files, cwd });
  const found = await readDependencies(workspace.location);
  const dependency = found?.usable.find((it) => it.name === name);
  return dependency?.version ?? dependency?.wanted ?? "none";
}

describe("the version of a dependency is", () => {
  test.each([
    ["written beside it", project(dependencies(`${name}:1.5`)), "1.5"],
    [
      "a property, which may use another",
      project(`<properties><a.b>1.\${c}</a.b><c>5</c></properties>${dependencies(`${name}:\${a.b}`)}`),
      "1.5",
    ],
    ["that of the project", project(dependencies(`${name}:\${project.version}`)), "1"],
    ["managed", project(managed(`${name}:1.6`) + dependencies(name)), "1.6"],
    [
      "managed by a parent in the tree",
      `//- pom.xml\n${pomOf({ name: "org.demo:parent", version: "1", rest: `<properties><v>1.7</v></properties>${managed(`${name}:\${v}`)}` })}${project(parent() + dependencies(name))}`,
      "1.7",
    ],
    [
      "managed by a parent in the local repository, with the project's own property",
      `${onDisk("org.demo:parent:1", managed(`${name}:\${v}`))}${project(`${parent("1", "<relativePath/>")}<properties><v>1.8</v></properties>${dependencies(name)}`)}`,
      "1.8",
    ],
    [
      "managed by an imported BOM, after what the project manages itself",
      `${onDisk("org.demo:bom:3", managed(`${name}:1.9`, "org.demo:x:1"))}${project(managed("org.demo:bom:3:import") + dependencies(name))}`,
      "1.9",
    ],
    [
      "managed by a BOM that is a module of the same build",
      `//- pom.xml\n${pomOf({ name: "org.mine:all", version: "1", rest: "<modules><module>project</module><module>bom</module></modules>" })}//- bom/pom.xml\n${pomOf({ name: "org.mine:bom", version: "1", rest: managed(`${name}:2.1`) })}${project(managed("org.mine:bom:1:import") + dependencies(name))}`,
      "2.1",
    ],
    [
      "not managed by another version of such a BOM",
      `//- pom.xml\n${pomOf({ name: "org.mine:all", version: "1", rest: "<modules><module>bom</module></modules>" })}//- bom/pom.xml\n${pomOf({ name: "org.mine:bom", version: "2", rest: managed(`${name}:2.1`) })}${project(managed("org.mine:bom:1:import") + dependencies(name))}`,
      "latest",
    ],
    ["unknown where the BOM is not on disk", project(managed("org.demo:bom:3:import") + dependencies(name)), "latest"],
    ["unknown where a property is", project(dependencies(`${name}:\${nowhere}`)), "latest"],
    [
      "not that of a profile",
      project(`<profiles><profile>${dependencies(`${name}:9`)}</profile></profiles>${dependencies(`${name}:1.5`)}`),
      "1.5",
    ],
    [
      "not one that never ends",
      project(`<properties><a>\${b}\${b}</a><b>\${a}</b></properties>${dependencies(`${name}:\${a}`)}`),
      "latest",
    ],
    [
      "of -D in .mvn/maven.config",
      `${project(`<properties><v>1</v></properties>${dependencies(`${name}:\${v}`)}`)}//- project/.mvn/maven.config\n-B -Dv=1.5\n`,
      "1.5",
    ],
    [
      "that of a module",
      `${project("<modules><module>core</module></modules>")}//- project/core/pom.xml\n${pomOf({ name: "org.mine:core", version: "1", rest: dependencies(`${name}:2.5`) })}`,
      "2.5",
    ],
  ])("%s", async (_, files, expected) => {
    expect(await chosen(files)).toBe(expected);
  });

  test("that of the project around a folder", async () => {
    expect(
      await chosen(`${project(dependencies(`${name}:1.5`))}//- project/src/main/x.txt\n`, "project/src/main"),
    ).toBe("1.5");
  });
});

describe("a dependency that others bring has the version that Maven takes", () => {
  const a = (rest: string) => onDisk("org.demo:a:1", rest);
  const b = (rest: string) => onDisk("org.demo:b:1", rest);
  const both = project(dependencies("org.demo:a:1", "org.demo:b:1"));
  const excluding = project(
    `<dependencies><dependency><groupId>org.demo</groupId><artifactId>a</artifactId><version>1</version><exclusions><exclusion><groupId>org.demo</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency></dependencies>`,
  );

  test.each([
    ["the first at the same distance", both + a(dependencies(`${name}:1.1`)) + b(dependencies(`${name}:1.2`)), "1.1"],
    [
      "the nearest",
      both +
        a(dependencies("org.demo:c:1")) +
        onDisk("org.demo:c:1", dependencies(`${name}:1.1`)) +
        b(dependencies(`${name}:1.2`)),
      "1.2",
    ],
    [
      "what the project manages",
      project(managed(`${name}:1.9`) + dependencies("org.demo:a:1")) + a(dependencies(`${name}:1.1`)),
      "1.9",
    ],
    ["none where it is excluded", excluding + a(dependencies(`${name}:1.1`)), undefined],
    ["none of its tests", project(dependencies("org.demo:a:1")) + a(dependencies(`${name}:1.1:test`)), undefined],
  ])("%s", async (_, files, version) => {
    await using workspace = await mavenWorkspace({ files });
    const choice = await chooseVersion({ package: name }, workspace.location);
    expect(choice).toMatchObject(
      version === undefined
        ? { wanted: { version: "latest" } }
        : { wanted: { version }, origin: expect.stringMatching(/^from the POM of [ab]$/) },
    );
  });
});

test("a document type is not read: neither a file nor an entity of it", async () => {
  const evil = `//- secret\n7.7\n//- project/pom.xml\n<!DOCTYPE project [<!ENTITY v SYSTEM "../secret"><!ENTITY w "1.5">]>\n<project><artifactId>a</artifactId>${dependencies(`${name}:&v;`)}</project>`;
  expect(await chosen(evil)).toBe("&v;");
});

describe("sources on disk are read without a registry", () => {
  const bytes = packSources({ name, version: "1.5" });
  const sha1 = createHash("sha1").update(bytes).digest("hex");
  const declared = project(dependencies(`${name}:1.5`));
  const inMaven = "home/.m2/repository/org/demo/demo-core/1.5/demo-core-1.5-sources.jar";

  async function opened(file: string, { files = declared, checksum = "", version = "" } = {}): Promise<string> {
    await using workspace = await mavenWorkspace({ files, settings: "<settings/>" });
    const target = path.join(workspace.folder.path, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes);
    if (checksum !== "") await writeFile(`${target}.sha1`, `${checksum}  demo.jar\n`);
    try {
      await using snapshot = await workspace.open({ name: "it", package: name, version });
      return `${snapshot.info.label}: ${snapshot.files.map((it) => it.path).join()}`;
    } catch (error) {
      return `${toErrorBody(error).tag}: ${toErrorBody(error).error.replace(workspace.folder.path, "")}`;
    }
  }

  test.each([
    [inMaven, {}, "from pom.xml, in the local Maven repository"],
    [inMaven, { version: "1.5" }, "in the local Maven repository"],
    [inMaven, { files: "" }, "the version on disk, in the local Maven repository"],
    [
      `home/.gradle/caches/modules-2/files-2.1/org.demo/demo-core/1.5/${sha1}/demo-core-1.5-sources.jar`,
      {},
      "from pom.xml, in Gradle's cache",
    ],
    [
      "elsewhere/org/demo/demo-core/1.5/demo-core-1.5-sources.jar",
      { files: `${declared}//- project/.mvn/maven.config\n-Dmaven.repo.local=../elsewhere\n` },
      "from pom.xml, in the local Maven repository",
    ],
  ])("%s, %j", async (file, options, origin) => {
    expect(await opened(file, { checksum: sha1, ...options })).toBe(`${name} 1.5 (${origin}): demo/demo_core.java`);
  });

  test("and checked: by the file beside it, and by the folder of Gradle's cache", async () => {
    expect(await opened(inMaven, { checksum: "0".repeat(40) })).toMatch(
      /^IntegrityMismatch: .*does not match its checksum$/,
    );
    const other = `home/.gradle/caches/modules-2/files-2.1/org.demo/demo-core/1.5/${"1".repeat(40)}/demo-core-1.5-sources.jar`;
    expect(await opened(other)).toMatch(/^IntegrityMismatch: /);
  });

  test("a question that names the dependency, with or without its group, is offered it", async () => {
    await using workspace = await mavenWorkspace({ files: declared, settings: "<settings/>" });
    const target = path.join(workspace.folder.path, inMaven);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes);
    const named = (text: string) => findNamedDependencies(text, workspace.location);
    const found = [{ type: "maven", name, version: "1.5" }];
    expect(await named("how does demo-core retry?")).toEqual(found);
    expect(await named("how does org.demo:demo-core retry?")).toEqual(found);
    expect(await named("how does demo retry?")).toEqual([]);
  });
});

test("a hosted project reads nothing of the computer", async () => {
  const files = `${project(dependencies(`${name}:1.5`))}//- home/.m2/repository/org/demo/demo-core/1.5/demo-core-1.5-sources.jar\nx\n`;
  await using workspace = await mavenWorkspace({ files, isAnonymous: true });
  expect(
    await workspace.npm.openStored({ name: "it", package: name }, { signal: new AbortController().signal }),
  ).toBeUndefined();
  expect(await readDependencies(workspace.location)).toBeUndefined();
});

test("a project's file does not name a place on the network", () => {
  expect(
    ["\\\\host\\share", "//host/share", "..", "core"].map((text) => projectPath("/a/b", text) !== undefined),
  ).toEqual([false, false, true, true]);
});

test("a module of the workspace is no dependency to add, nor is one beside the folder", async () => {
  const files = `${project(`<modules><module>core</module></modules>${dependencies("org.mine:core:1", `${name}:1.5`)}`)}//- project/core/pom.xml\n${pomOf({ name: "org.mine:core", version: "1" })}`;
  await using workspace = await mavenWorkspace({ files });
  expect(await readDependencies(workspace.location)).toEqual({
    usable: [{ type: "maven", name, package: name, version: "1.5", wanted: undefined, isUsual: true }],
    skipped: [
      {
        name: "org.mine:core",
        reason: "the build takes org.mine:core from this workspace, not from a repository",
      },
    ],
  });
  const app = `//- project/pom.xml\n${pomOf({ name: "org.mine:root", version: "1" }).replace("</project>", "<modules><module>core</module><module>app</module></modules></project>")}//- project/core/pom.xml\n${pomOf({ name: "org.mine:core", version: "1" })}//- project/app/pom.xml\n${pomOf({ name: "org.mine:app", version: "1" }).replace("</project>", `${dependencies("org.mine:core:1")}</project>`)}`;
  await using member = await mavenWorkspace({ files: app, cwd: "project/app" });
  expect(await readDependencies(member.location)).toMatchObject({ usable: [], skipped: [{ name: "org.mine:core" }] });
});
