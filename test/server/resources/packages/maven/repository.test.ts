import { describe, expect, test } from "vitest";
import { toErrorBody } from "../../../../../server/errors.ts";
import { mavenEcosystem } from "../../../../../server/resources/packages/maven/maven.ts";
import { mirrorSettings, startMavenRepository } from "../../../../support/maven-repository.ts";
import { mavenWorkspace } from "../../../../support/maven-workspace.ts";

type Options = Parameters<typeof mavenWorkspace>[0];
const name = "org.demo:demo-core";

/** The label and the files; or the error, its hint and what it left. */
async function outcome(options: Options, version?: string): Promise<string[]> {
  await using workspace = await mavenWorkspace(options);
  try {
    await using snapshot = await workspace.open({ name: "it", package: name, version });
    return [snapshot.info.label.replace(", fetched just now", ""), ...snapshot.files.map((file) => file.path)];
  } catch (error) {
    const { tag, error: message, hint } = toErrorBody(error);
    return [`${tag}: ${message}`, hint ?? "", ...(await workspace.kept())].map((line) =>
      line.replaceAll(/127\.0\.0\.1:\d+/g, "<host>"),
    );
  }
}

test("a repository gives the sources of the newest usual release, of a range and of a version", async () => {
  await using repository = await startMavenRepository();
  for (const version of ["1.9", "1.10", "2.0", "3.0-M1", "20050101"]) repository.publish({ name, version });
  expect(await outcome({ repository })).toEqual([
    `${name} 2.0 (latest in the registry)`,
    ".citewell-package/README.md",
    ".citewell-package/metadata.json",
    ".citewell-package/page.md",
    "demo/demo_core.java",
  ]);
  expect((await outcome({ repository }, "[1.0,2.0)"))[0]).toBe(`${name} 1.10 ([1.0,2.0) in the registry)`);
  expect((await outcome({ repository }, "1"))[0]).toBe(`${name} 1.10 (1 in the registry)`);
  expect((await outcome({ repository }, "3.0-M1"))[0]).toBe(`${name} 3.0-M1 (from the registry)`);
  expect(await outcome({ repository }, "2.1")).toEqual([
    `VersionNotFound: ${name} has no version "2.1"`,
    expect.stringContaining("the newest is 2.0"),
  ]);
});

test("a snapshot is its last build", async () => {
  await using repository = await startMavenRepository();
  repository.publish({ name, version: "1.0-SNAPSHOT", fileVersion: "1.0-20260101.101010-3" });
  expect((await outcome({ repository }, "1.0-SNAPSHOT"))[0]).toBe(
    `${name} 1.0-SNAPSHOT (1.0-SNAPSHOT in the registry)`,
  );
});

test("what was fetched answers without the repository", async () => {
  await using repository = await startMavenRepository();
  repository.publish({ name, version: "1.0" });
  await using workspace = await mavenWorkspace({ repository });
  await (await workspace.open({ name: "it", package: name, version: "1.0" }))[Symbol.asyncDispose]();
  await repository.stop();
  await using snapshot = await workspace.open({ name: "it", package: name, version: "1.0" });
  expect((await snapshot.read("demo/demo_core.java")).text).toContain("org.demo:demo-core 1.0");
});

describe("an archive is refused", () => {
  test.each(["sha512", "sha256", "sha1"])("whose %s is another one, and nothing is stored", async (algorithm) => {
    await using repository = await startMavenRepository();
    const checksum = { sha512: "0".repeat(128), sha256: "0".repeat(64), sha1: "0".repeat(40) }[algorithm] ?? "";
    repository.publish({ name, version: "1.0", algorithms: [algorithm], checksum });
    expect(await outcome({ repository })).toEqual([
      "IntegrityMismatch: <host>/maven2/org/demo/demo-core/1.0/demo-core-1.0-sources.jar does not match its checksum",
      expect.stringContaining("nothing was stored"),
    ]);
  });

  test("with an entry that leaves its folder", async () => {
    await using repository = await startMavenRepository();
    repository.publish({ name, version: "1.0", entries: [{ path: "../out.java", content: "evil" }] });
    expect((await outcome({ repository }))[0]).toMatch(/^PackageUnreadable: .* an entry that leaves its folder/);
  });
});

test("a version without a sources JAR names the repository of its POM, or of its parent's", async () => {
  await using repository = await startMavenRepository();
  const scm = "<scm><url>http://git.example/demo/core.git</url><tag>v1.0</tag></scm>";
  repository.publish({ name, version: "1.0", files: null, pom: scm });
  expect(await outcome({ repository })).toEqual([
    `PackageUnreadable: ${name} 1.0 has no sources JAR on <host>; its source is at https://git.example/demo/core`,
    "add its source repository instead: https://git.example/demo/core@v1.0",
  ]);
  repository.publish({ name: "org.demo:parent", version: "1", files: null, pom: scm });
  const parent = "<parent><groupId>org.demo</groupId><artifactId>parent</artifactId><version>1</version></parent>";
  repository.publish({ name, version: "2.0", files: null, pom: parent });
  expect((await outcome({ repository }))[1]).toBe("add its source repository instead: https://git.example/demo/core");
});

test("a version that was moved to other coordinates names them", async () => {
  await using repository = await startMavenRepository();
  const moved = (inside: string) =>
    `<distributionManagement><relocation>${inside}</relocation></distributionManagement>`;
  repository.publish({ name, version: "1.0", files: null, pom: moved("<groupId>org.fresh</groupId>") });
  expect(await outcome({ repository })).toEqual([
    `PackageUnreadable: ${name} 1.0 has moved to org.fresh:demo-core`,
    "name org.fresh:demo-core instead",
  ]);
  repository.publish({ name, version: "2.0", files: null, pom: moved("<version>3.0</version>") });
  expect((await outcome({ repository }))[0]).toMatch(/ has no sources JAR /);
});

test("a sources JAR without a checksum beside it is refused for that", async () => {
  await using repository = await startMavenRepository();
  repository.publish({ name, version: "1.0", algorithms: [] });
  expect(await outcome({ repository })).toEqual([
    `RegistryFailed: the sources JAR of ${name} 1.0 on <host> has no checksum beside it`,
    "ask the repository's operator to add its .sha1, or name another version",
  ]);
});

test("a package that no repository has is not found", async () => {
  await using repository = await startMavenRepository();
  expect((await outcome({ repository }))[0]).toBe(`PackageNotFound: no package "${name}" on <host>`);
});

describe("credentials", () => {
  const header = `Basic ${Buffer.from("me:s3cret").toString("base64")}`;
  const server = (id: string, password: string) =>
    `<servers><server><id>${id}</id><username>me</username><password>${password}</password></server></servers>`;

  test.each(["s3cret", "${env.SECRET}"])("of the mirror's server are sent: %s", async (password) => {
    await using repository = await startMavenRepository();
    repository.publish({ name, version: "1.0" });
    repository.requireAuthorization(header);
    const settings = mirrorSettings(repository.url, server("loopback", password));
    expect((await outcome({ settings, env: () => ({ SECRET: "s3cret" }) }))[0]).toBe(
      `${name} 1.0 (latest in the registry)`,
    );
  });

  test("that are encrypted are refused plainly", async () => {
    await using repository = await startMavenRepository();
    const settings = mirrorSettings(repository.url, server("loopback", "{COQLCE6DU6GtcS5P=}"));
    expect((await outcome({ settings }))[0]).toBe(
      "RegistryFailed: the password of <host> in settings.xml is encrypted",
    );
    expect(repository.requests).toEqual([]);
  });

  test("never go to a repository that only the project names, even by the server's id", async () => {
    await using repository = await startMavenRepository();
    repository.publish({ name, version: "1.0" });
    const files = `//- project/pom.xml\n<project><artifactId>mine</artifactId><repositories><repository><id>corp</id><url>${repository.url}</url></repository></repositories></project>\n`;
    const settings = `<settings>${server("corp", "s3cret")}<mirrors><mirror><id>none</id><mirrorOf>central</mirrorOf><url>http://127.0.0.1:9/</url></mirror></mirrors></settings>`;
    expect((await outcome({ settings, files }))[0]).toBe(`${name} 1.0 (latest in the registry)`);
    expect(repository.requests.map(({ headers }) => headers.authorization)).not.toContain(header);
  });
});

describe("a repository of a Gradle build is used, as one of a POM", () => {
  const none =
    "<settings><mirrors><mirror><id>none</id><mirrorOf>central</mirrorOf><url>http://127.0.0.1:9/</url></mirror></mirrors></settings>";
  test.each([
    ["build.gradle", (url: string) => `repositories { mavenLocal(); maven { url '${url}' } }`],
    ["build.gradle", (url: string) => `repositories {\n  maven {\n    name = 'x'\n    url = uri("${url}")\n  }\n}`],
    [
      "build.gradle.kts",
      (url: string) => `val at = "${url.replace(/maven2\/$/, "")}"\nrepositories { maven("${url}") }`,
    ],
    ["build.gradle.kts", (url: string) => `repositories { maven { setUrl("${url}") } }`],
    [
      "settings.gradle.kts",
      (url: string) => `dependencyResolutionManagement { repositories { maven(url = "${url}") } }`,
    ],
  ])("%s, %s", async (file, script) => {
    await using repository = await startMavenRepository();
    repository.publish({ name, version: "1.0" });
    const files = `//- project/${file}\n${script(repository.url)}\n`;
    expect((await outcome({ settings: none, files }))[0]).toBe(`${name} 1.0 (latest in the registry)`);
  });

  test("but not one that it publishes to, nor a folder, and never with the user's credentials", async () => {
    await using repository = await startMavenRepository();
    repository.publish({ name, version: "1.0" });
    const settings = none.replace(
      "<mirrors>",
      `<servers><server><id>${repository.url}</id><username>me</username><password>x</password></server></servers><mirrors>`,
    );
    const build = (block: string) => `//- project/build.gradle\n${block}\n`;
    const published = build(
      `publishing { repositories { maven { url '${repository.url}' } } }\nrepositories { maven { url 'file:///tmp' } }`,
    );
    expect((await outcome({ settings, files: published }))[0]).toMatch(/^RegistryFailed: .* could not be reached/);
    expect(repository.requests).toEqual([]);
    await outcome({ settings, files: build(`repositories { maven { url '${repository.url}' } }`) });
    expect(repository.requests.flatMap(({ headers }) => headers.authorization ?? [])).toEqual([]);
    expect(repository.requests.length).toBeGreaterThan(0);
  });

  test("google() is Google's", async () => {
    await using workspace = await mavenWorkspace({ files: "//- project/build.gradle\nrepositories { google() }\n" });
    const registry = await mavenEcosystem.openRegistry?.(name, { location: workspace.location, network: {} });
    expect(registry?.id).toBe("https://dl.google.com/dl/android/maven2/ https://repo.maven.apache.org/maven2/");
  });
});

test("plain HTTP is for hosts of the user's own configuration", async () => {
  const files =
    "//- project/pom.xml\n<project><artifactId>mine</artifactId><repositories><repository><id>x</id><url>http://repository.example/</url></repository></repositories></project>\n";
  expect((await outcome({ files }))[0]).toBe(
    "RegistryFailed: the repository http://repository.example is not reached over https",
  );
});
