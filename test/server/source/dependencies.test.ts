import { describe, expect, test } from "vitest";
import { dependenciesIn, searchesFor, statedIn, variableIn } from "../../../server/source/dependencies.ts";

const whole = (name: string) => ({ name, as: "whole" }) as const;

describe("the version that a file states, with its lines", () => {
  test.each([
    ["package.json", '{ "dependencies": {\n    "zod": "^4.1.0"\n} }', "zod", "^4.1.0", 2],
    ["package.json", '{ "engines": { "node": ">=20" } }', "node", ">=20", 1],
    ["package.json", '{ "packageManager": "pnpm@9.1.0" }', "pnpm", "9.1.0", 1],
    ["package-lock.json", '    "node_modules/ms": {\n      "version": "2.1.2",\n', "ms", "2.1.2", 1],
    ["pnpm-lock.yaml", "      zod:\n        specifier: ^4\n        version: 4.1.5\n", "zod", "4.1.5", 1],
    ["yarn.lock", '"ms@^2.1.1, ms@^2.1.3":\n  version "2.1.3"\n', "ms", "2.1.3", 1],
    ["bun.lock", '    "ms": ["ms@2.1.3", "", {}],', "ms", "2.1.3", 1],
    ["pyproject.toml", 'dependencies = [\n  "Twisted>=21.7.0,<26",\n]', "twisted", ">=21.7.0,<26", 2],
    ["pyproject.toml", '[project]\nrequires-python = ">=3.10"', "python", ">=3.10", 2],
    ["pom.xml", "<javaVersion>17</javaVersion>", "java", "17", 1],
    ["pyproject.toml", '[tool.poetry.dependencies]\nrich = "^13.0"', "rich", "^13.0", 2],
    ["requirements/base.txt", "Django==5.0.1\n", "django", "==5.0.1", 1],
    ["requirements-dev.txt", "pytest >= 8\n", "pytest", ">= 8", 1],
    ["uv.lock", '[[package]]\nname = "httpx"\nversion = "0.28.1"\n', "httpx", "0.28.1", 2],
    ["poetry.lock", '[[package]]\nname = "typing-extensions"\nversion = "4.12.2"\n', "typing_extensions", "4.12.2", 2],
    ["go.mod", "require (\n\tgithub.com/spf13/cobra v1.8.1\n)", "cobra", "v1.8.1", 2],
    ["go.mod", "require (\n\tgithub.com/cli/go-gh/v2 v2.11.0\n)", "go-gh", "v2.11.0", 2],
    ["go.mod", "module x\n\ngo 1.22\n", "go", "1.22", 3],
    ["Cargo.toml", '[dependencies]\nmio = { version = "1.2.0", default-features = false }', "mio", "1.2.0", 2],
    ["Cargo.toml", '[dependencies.clap]\noptional = true\nversion = "4.5"', "clap", "4.5", 1],
    ["Cargo.toml", '[package]\nrust-version = "1.70"', "rust", "1.70", 2],
    ["Cargo.lock", '[[package]]\nname = "mio"\nversion = "1.0.3"\n', "mio", "1.0.3", 2],
    ["pom.xml", "<artifactId>junit</artifactId>\n<version>4.13.2</version>\n", "junit", "4.13.2", 1],
    ["pom.xml", "<artifactId>guava</artifactId>\n<version>${guava.version}</version>", "guava", "${guava.version}", 1],
    ["build.gradle", "implementation 'com.google.guava:guava:33.0.0-jre'", "guava", "33.0.0-jre", 1],
    ["build.gradle.kts", 'id("org.springframework.boot") version "3.2.0"', "org.springframework.boot", "3.2.0", 1],
    ["libs.versions.toml", '[versions]\nkotlin = "2.0.0"', "kotlin", "2.0.0", 2],
    ["libs.versions.toml", 'a = { module = "com.x:okio", version.ref = "okio" }', "okio", "okio", 1],
    ["Gemfile", 'gem "rails", "~> 7.1"', "rails", "~> 7.1", 1],
    ["Gemfile.lock", "    rack (3.0.8)\n", "rack", "3.0.8", 1],
    ["x.gemspec", 's.add_dependency "rack", ">= 3"', "rack", ">= 3", 1],
    ["composer.json", '"require": { "php": "^8.2", "laravel/framework": "^11.9" }', "framework", "^11.9", 1],
    ["composer.lock", '            "name": "monolog/monolog",\n            "version": "3.5.0",', "monolog", "3.5.0", 1],
    ["App.csproj", '<PackageReference Include="Serilog" Version="3.1.1" />', "serilog", "3.1.1", 1],
    ["Directory.Packages.props", '<PackageVersion Include="xunit" Version="2.9.0" />', "xunit", "2.9.0", 1],
    ["mix.exs", '      {:phoenix, "~> 1.7"},', "phoenix", "~> 1.7", 1],
    ["mix.lock", '  "plug": {:hex, :plug, "1.16.1", "a13…", [:mix]},', "plug", "1.16.1", 1],
    ["pubspec.yaml", "dependencies:\n  http: ^1.2.0\n", "http", "^1.2.0", 2],
    ["pubspec.lock", '  http:\n    dependency: "direct main"\n    version: "1.2.1"\n', "http", "1.2.1", 1],
    ["Package.swift", '.package(url: "https://host.example/vapor.git", from: "4.89.0"),', "vapor", "4.89.0", 1],
    ["Package.swift", "// swift-tools-version:5.9", "swift", "5.9", 1],
    [
      "build.zig.zon",
      '        .clap = .{\n            .url = "https://x.example/0.9.tar.gz",',
      "clap",
      "https://x.example/0.9.tar.gz",
      1,
    ],
    ["CMakeLists.txt", "find_package(Boost 1.70 REQUIRED)", "boost", "1.70", 1],
    ["meson.build", "glib = dependency('glib-2.0', version: '>=2.56')", "glib-2.0", ">=2.56", 1],
    ["app.cabal", "    , aeson >=2.0 && <2.3", "aeson", ">=2.0 && <2.3", 1],
    ["Dockerfile", "FROM node:20-alpine AS build", "node", "20-alpine", 1],
    [".nvmrc", "v20.11.0\n", "node", "20.11.0", 1],
    [".tool-versions", "ruby 3.3.0\n", "ruby", "3.3.0", 1],
    [
      "gradle-wrapper.properties",
      "distributionUrl=https\\://host.example/distributions/gradle-8.7-bin.zip",
      "gradle",
      "8.7",
      1,
    ],
    ["package.json", '{\n  "version": "0.1.0"\n}', "this", "0.1.0", 2],
  ])("%s: %j", (path, text, name, version, startLine) => {
    const lines = text.split("\n");
    expect(statedIn({ path, startLine: 1, lines }, whole(name))[0]).toMatchObject({ version, startLine });
    const isFound = searchesFor(whole(name)).some(({ pattern }) =>
      lines.some((line) => new RegExp(pattern, "i").test(line)),
    );
    expect(isFound).toBe(true);
  });

  test.each([
    ["package.json", '{ "dependencies": { "ms-format": "^1.0.0", "forms": "^2" } }', "ms"],
    ["package.json", '{ "scripts": { "zod": "vitest run" }, "homepage": "https://zod.example" }', "zod"],
    ["Cargo.toml", '[dependencies]\nclap_derive = "4"', "clap"],
    ["notes.txt", "Django==5.0.1", "django"],
  ])("none in %s: %j", (path, text, name) => {
    expect(statedIn({ path, startLine: 1, lines: text.split("\n") }, whole(name))).toEqual([]);
  });

  test("searches fit into the limits of the exact search", () => {
    const long = "a".repeat(80);
    for (const { pattern, glob } of searchesFor({ name: long, as: "part" })) {
      expect(pattern.length).toBeLessThanOrEqual(1000);
      expect(glob.length).toBeLessThanOrEqual(1000);
    }
  });

  test("a version that is a variable", () => {
    const value = (text: string) => variableIn(text)?.name;
    expect(["${guava.version}", "$okioVersion", "okio", "1.2.3", "^4"].map(value)).toEqual([
      "guava.version",
      "okioVersion",
      "okio",
      undefined,
      undefined,
    ]);
    const [stated] = statedIn(
      { path: "pom.xml", startLine: 7, lines: ["<guava.version>33.0.0</guava.version>"] },
      { name: "guava.version", as: "variable" },
    );
    expect(stated).toMatchObject({ version: "33.0.0", startLine: 7 });
  });
});

describe("the lines that name what a project depends on", () => {
  test.each([
    [
      "package.json",
      '{\n  "version": "1.0.0",\n  "scripts": {\n    "a": "latest"\n  },\n  "dependencies": {\n    "b": "1"\n  },\n  "devDependencies": {\n    "c": "1"\n  }\n}',
      [6, 7],
    ],
    ["package.json", '{\n  "devDependencies": {\n    "c": "1"\n  }\n}', [2, 3]],
    ["Cargo.toml", '[package]\nedition = "2021"\n\n[dependencies]\na = "1"\n\n[dev-dependencies]\nb = "1"\n', [4, 5]],
    ["pyproject.toml", '[project]\nname = "x"\ndependencies = [\n  "a>=1",\n]\n[tool.x]\nsource = [\n  "b"\n]', [3, 4]],
    [
      "pom.xml",
      "<artifactId>own</artifactId>\n<version>1</version>\n<dependency>\n<artifactId>a</artifactId>\n<version>2</version>\n</dependency>",
      [3, 4, 5],
    ],
    ["go.mod", "module x\n\nrequire (\n\ta.example/b v1.0.0\n)", [4]],
    ["Gemfile", 'source "https://g.example"\n\ngem "rack"', [3]],
    ["App.csproj", '<Project>\n<PackageReference Include="A" Version="1" />\n</Project>', [2]],
  ])("%s: %j", (path, text, expected) => {
    const found = dependenciesIn({ path, lines: text.split("\n") });
    const lines = found.flatMap(({ startLine, endLine }) =>
      Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at),
    );
    expect([...new Set(lines)].toSorted((a, b) => a - b)).toEqual(expected);
  });
});
