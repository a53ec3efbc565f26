import { expect, test } from "vitest";
import { dependencyAt } from "../../../server/protocol/dependency-line.ts";

/** The dependencies of all lines. */
function found(fileName: string, text: string): string[] {
  const lines = text.split("\n");
  return lines.flatMap((_, line) => dependencyAt(fileName, lines, line) ?? []);
}

test.each([
  [
    "package.json",
    '{\n  "name": "shop",\n  "version": "1.0.0",\n  "engines": { "node": ">=20" },\n  "scripts": {\n    "test": "vitest"\n  },\n  "dependencies": {\n    "@scope/one": "^1.2.0",\n    "zod": "workspace:*"\n  }\n}',
    ["@scope/one", "zod"],
  ],
  [
    "pyproject.toml",
    '[project]\nname = "app"\nversion = "1.0"\ndependencies = [\n  "pydantic[email]>=2,<3",\n]',
    ["pydantic"],
  ],
  [
    "pyproject.toml",
    '[tool.poetry.dependencies]\npython = "^3.9"\nflask = "^2.0"\n[project]\nrequires-python = ">=3.8"',
    ["flask"],
  ],
  ["requirements-dev.txt", "# comment\nflask==2.0\n-r other.txt", ["flask"]],
  [
    "Cargo.toml",
    '[package]\nname = "tool"\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\nclap = "=3.2"',
    ["serde", "clap"],
  ],
  [
    "go.mod",
    "module example.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/spf13/cobra v1.0.0\n)",
    ["github.com/spf13/cobra"],
  ],
  ["composer.json", '{ "require": {\n  "monolog/monolog": "^3"\n} }', ["monolog/monolog"]],
  [
    "Shop.csproj",
    '<ItemGroup>\n  <PackageReference Include="Newtonsoft.Json" Version="13.0.1" />\n</ItemGroup>',
    ["Newtonsoft.Json"],
  ],
  [
    "build.gradle.kts",
    'dependencies {\n  implementation("com.squareup.okhttp3:okhttp:4.9.0")\n}',
    ["com.squareup.okhttp3:okhttp"],
  ],
  ["Gemfile", 'source "https://example.com"\ngem "rails", "~> 7.0"', ["rails"]],
  ["README.md", "zod==1", []],
])("%s", (fileName, text, names) => {
  expect(found(fileName, text)).toEqual(names);
});

test("pom.xml, on each line of the element and on no other", () => {
  const text =
    "<dependencies>\n<dependency>\n<groupId>org.slf4j</groupId>\n<artifactId>slf4j-api</artifactId>\n</dependency>\n</dependencies>";
  const lines = text.split("\n");
  expect(lines.map((_, line) => dependencyAt("pom.xml", lines, line))).toEqual([
    undefined,
    "org.slf4j:slf4j-api",
    "org.slf4j:slf4j-api",
    "org.slf4j:slf4j-api",
    "org.slf4j:slf4j-api",
    undefined,
  ]);
});
