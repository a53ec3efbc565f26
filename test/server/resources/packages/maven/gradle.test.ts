import { describe, expect, test } from "vitest";
import { readDependencies } from "../../../../../server/resources/packages/dependencies.ts";
import { chooseVersion } from "../../../../../server/resources/packages/maven/version-choice.ts";
import { mavenWorkspace } from "../../../../support/maven-workspace.ts";

/** `group:artifact version` of each dependency. */
async function listed(files: string): Promise<string[] | undefined> {
  await using workspace = await mavenWorkspace({ files });
  const found = await readDependencies(workspace.location);
  return found?.usable.map(({ name, version, wanted }) => `${name} ${version ?? wanted}`);
}

describe("the dependencies of a build script that are plain text", () => {
  test.each([
    ["build.gradle", "dependencies { implementation 'org.demo:core:1.5' }", ["org.demo:core 1.5"]],
    ["build.gradle.kts", 'dependencies { implementation("org.demo:core:1.5") }', ["org.demo:core 1.5"]],
    ["build.gradle", "api group: 'org.demo', name: 'core', version: '1.5'", ["org.demo:core 1.5"]],
    ["build.gradle.kts", 'api(group = "org.demo", name = "core", version = "1.5")', ["org.demo:core 1.5"]],
    ["build.gradle", "api 'org.demo:core:1.5:tests@jar'", ["org.demo:core 1.5"]],
    [
      "build.gradle",
      "def v = '1.5'\napi 'org.demo:core:1.5',\n    \"org.demo:more:${v}\",\n    'org.demo:tests:1.0:all@jar'\nargs 'a', 'no:one:1'",
      ["org.demo:core 1.5", "org.demo:more 1.5", "org.demo:tests 1.0"],
    ],
    ["build.gradle.kts", 'implementation(platform("org.demo:bom:3.0"))', ["org.demo:bom 3.0"]],
    ["build.gradle.kts", 'implementation("org.demo:core")', ["org.demo:core latest"]],
    ["build.gradle", "def v = '1.5'\napi \"org.demo:core:$v\"", ["org.demo:core 1.5"]],
    ["build.gradle.kts", 'val v = "1.5"\napi("org.demo:core:${v}")', ["org.demo:core 1.5"]],
    ["build.gradle.kts", 'api("org.demo:core:${fromElsewhere()}")', ["org.demo:core latest"]],
    [
      "build.gradle",
      "// api 'org.demo:a:1.0'\n/* api 'org.demo:b:1.0' */\napi 'org.demo:core:1.+'",
      ["org.demo:core 1.+"],
    ],
  ])("%s: %s", async (file, text, expected) => {
    expect(await listed(`//- project/${file}\n${text}\n`)).toEqual(expected);
  });

  test("with the properties of the build, and of its projects", async () => {
    const files = `//- project/settings.gradle.kts
include(":app", ":lib:core")
//- project/gradle.properties
demoVersion=1.5
//- project/app/build.gradle
dependencies { api "org.demo:app:$demoVersion" }
//- project/lib/core/build.gradle.kts
dependencies { api("org.demo:core:2.0") }
`;
    expect(await listed(files)).toEqual(["org.demo:app 1.5", "org.demo:core 2.0"]);
  });
});

test.each([
  ["build.gradle.kts", 'implementation(platform("org.demo:bom:3.0"))\nimplementation("org.demo:core")'],
  ["build.gradle", "api enforcedPlatform('org.demo:bom:3.0')\napi 'org.demo:core'"],
  ["build.gradle", "imports { mavenBom 'org.demo:bom:3.0' }\napi 'org.demo:core'"],
])("a platform sets the version of what has none: %s: %s", async (file, text) => {
  const bom = `//- home/.m2/repository/org/demo/bom/3.0/bom-3.0.pom
<project><groupId>org.demo</groupId><artifactId>bom</artifactId><version>3.0</version><dependencyManagement><dependencies>
<dependency><groupId>org.demo</groupId><artifactId>core</artifactId><version>2.7</version></dependency>
</dependencies></dependencyManagement></project>
`;
  expect(await listed(`//- project/${file}\n${text}\n${bom}`)).toEqual(["org.demo:bom 3.0", "org.demo:core 2.7"]);
  expect(await listed(`//- project/${file}\n${text}\n`)).toEqual(["org.demo:bom 3.0", "org.demo:core latest"]);
});

test("a version catalogue has the versions of what the scripts name", async () => {
  const files = `//- project/settings.gradle
include 'app'
//- project/gradle/libs.versions.toml
[versions]
demo = "1.5"
strict = { strictly = "2.0" }
[libraries]
demo-core = { module = "org.demo:core", version.ref = "demo" }
demo-core-more = { group = "org.demo", name = "more", version = "1.6" }
short = "org.demo:short:1.7"
strict_one = { module = "org.demo:strict", version.ref = "strict" }
unused = "org.demo:unused:1.0"
[bundles]
all = ["strict_one", "short"]
//- project/app/build.gradle.kts
dependencies {
  implementation(libs.demo.core)
  implementation(libs.bundles.all)
}
`;
  expect(await listed(files)).toEqual(["org.demo:core 1.5", "org.demo:short 1.7", "org.demo:strict 2.0"]);
});

test("a lockfile has the version, also of what dependencies bring", async () => {
  const files = `//- project/build.gradle
dependencies { implementation 'org.demo:core:1.+' }
//- project/gradle.lockfile
# This is a Gradle generated file for dependency locking.
org.demo:brought:3.0=annotationProcessor
org.demo:brought:2.0=compileClasspath,runtimeClasspath
org.demo:core:1.5=compileClasspath,runtimeClasspath
empty=annotationProcessor
`;
  expect(await listed(files)).toEqual(["org.demo:core 1.5"]);
  await using workspace = await mavenWorkspace({ files });
  expect(await chooseVersion({ package: "org.demo:brought" }, workspace.location)).toMatchObject({
    wanted: { version: "2.0" },
    origin: "from gradle.lockfile",
  });
});
