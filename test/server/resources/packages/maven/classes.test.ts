import { mkdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { dependencies, pomOf } from "../../../../support/maven-repository.ts";
import { mavenWorkspace } from "../../../../support/maven-workspace.ts";
import type { NpmWorkspace } from "../../../../support/npm-workspace.ts";
import { packZip } from "../../../../support/zip.ts";

const project = `//- project/pom.xml\n${pomOf({ name: "org.mine:app", version: "1", rest: dependencies("org.demo:core:1.5", "org.demo:more:2.0") })}`;

/** Writes a file of a version into the local repository. */
async function install(workspace: NpmWorkspace, coordinates: string, suffix: string, entries: readonly string[]) {
  const [group = "", artifact = "", version = ""] = coordinates.split(":");
  const folder = path.join(workspace.folder.path, "home/.m2/repository", ...group.split("."), artifact, version);
  await mkdir(folder, { recursive: true });
  const bytes = packZip(entries.map((entry) => ({ path: entry, content: `// ${entry}\n` })));
  await writeFile(path.join(folder, `${artifact}-${version}${suffix}`), bytes);
}

async function outcome(workspace: NpmWorkspace, name: string): Promise<string> {
  try {
    await using snapshot = await workspace.open({ name: "it", package: name });
    return `${snapshot.info.label}: ${snapshot.files.map((file) => file.path).join()}`;
  } catch (error) {
    return `${toErrorBody(error).tag}: ${toErrorBody(error).error}`;
  }
}

describe("a class or a package means the dependency whose JAR has it", () => {
  test.each([
    ["org.demo.Retry", "org.demo:core 1.5"],
    ["org.demo.Retry.after", "org.demo:core 1.5"],
    ["org.demo.more", "org.demo:more 2.0"],
    ["org.demo.more.One", "org.demo:more 2.0"],
    ["org.demo", 'PackageNotFound: "org.demo" is not a group and an artifact, such as org.slf4j:slf4j-api'],
    ["org.demo.None", 'PackageNotFound: "org.demo.None" is not a group and an artifact, such as org.slf4j:slf4j-api'],
  ])("%s", async (name, expected) => {
    await using workspace = await mavenWorkspace({ files: project });
    await install(workspace, "org.demo:core:1.5", ".jar", ["org/demo/Retry.class", "org/demo/Retry$Inner.class"]);
    await install(workspace, "org.demo:core:1.5", "-sources.jar", ["org/demo/Retry.java"]);
    await install(workspace, "org.demo:more:2.0", "-sources.jar", ["org/demo/Own.java", "org/demo/more/One.java"]);
    expect(await outcome(workspace, name)).toMatch(expected);
  });
});

describe("the JDK", () => {
  const entries = [
    "java.base/java/util/List.java",
    "java.base/java/lang/Object.java",
    "java.desktop/javax/swing/X.java",
  ];
  const files =
    '//- jdk/release\nIMPLEMENTOR="x"\nJAVA_VERSION="21.0.4"\n//- jdk/bin/javac\n//- jdk/lib/.keep\n//- bin/.keep\n';

  async function withJdk(env: (root: string) => Record<string, string>, name: string, { hasSource = true } = {}) {
    await using workspace = await mavenWorkspace({ files, env });
    const root = workspace.folder.path;
    await symlink(path.join(root, "jdk/bin/javac"), path.join(root, "bin/javac"));
    const bytes = packZip(entries.map((entry) => ({ path: entry, content: `// ${entry}\n` })));
    if (hasSource) await writeFile(path.join(root, "jdk/lib/src.zip"), bytes);
    return await outcome(workspace, name);
  }
  const home = (root: string) => ({ JAVA_HOME: path.join(root, "jdk") });

  test.each([
    ["jdk", `jdk 21.0.4 (of the installed JDK): ${[entries[1], entries[0], entries[2]].join()}`],
    ["java.util.List", "java.base 21.0.4 (of the installed JDK): java/lang/Object.java,java/util/List.java"],
    ["java.util", "java.base 21.0.4 (of the installed JDK): java/lang/Object.java,java/util/List.java"],
    ["javax.swing.X", "java.desktop 21.0.4 (of the installed JDK): javax/swing/X.java"],
    ["java.desktop", "java.desktop 21.0.4 (of the installed JDK): javax/swing/X.java"],
    ["java.none.X", 'PackageNotFound: "java.none.X" is not a group and an artifact, such as org.slf4j:slf4j-api'],
  ])("of JAVA_HOME has %s", async (name, expected) => {
    expect(await withJdk(home, name)).toBe(expected);
  });

  test("of PATH, through a link", async () => {
    expect(await withJdk((root) => ({ PATH: path.join(root, "bin") }), "java.util.List")).toMatch(
      /^java\.base 21\.0\.4 /,
    );
  });

  test("without its source says so", async () => {
    const fault = "PackageNotFound: the JDK 21.0.4 has no lib/src.zip";
    expect(await withJdk(home, "jdk", { hasSource: false })).toBe(fault);
    expect(await withJdk(home, "java.util.List", { hasSource: false })).toBe(fault);
  });
});
