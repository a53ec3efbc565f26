import { expect, test } from "vitest";
import { statedRepository } from "../../../server/upgrade/stated-repository.ts";
import { fixture } from "../../support/fixture.ts";

const at = "https://github.com/shop/till";

test.each([
  [
    "an object",
    "package.json",
    '{ "homepage": "https://github.com/a/site", "repository": { "type": "git", "url": "git+https://github.com/shop/till.git" } }',
    at,
  ],
  [
    "an object over several lines",
    "package.json",
    '{ "funding": ["https://github.com/sponsors/ann"], "repository": {\n  "type": "git",\n  "url": "https://github.com/shop/till.git"\n} }',
    at,
  ],
  ["sponsors alone", "package.json", '{ "funding": "https://github.com/sponsors/ann" }', undefined],
  ["a short form", "package.json", '{ "bugs": "https://github.com/a/b/issues", "repository": "shop/till" }', at],
  ["ssh", "package.json", '{ "repository": "git@github.com:shop/till.git" }', at],
  ["a crate", "Cargo.toml", 'homepage = "https://gitlab.com/a/b"\nrepository = "https://github.com/shop/till"\n', at],
  ["a Python package", "till-1.0.dist-info/METADATA", "Project-URL: Source, https://github.com/shop/till/\n", at],
  ["an artifact", "META-INF/maven/shop/till/pom.xml", "<scm>\n<url>https://github.com/shop/till</url></scm>", at],
  ["a home page alone", "composer.json", '{ "homepage": "https://github.com/shop/till" }', at],
  ["another host", "package.json", '{ "repository": "https://git.example/shop/till" }', undefined],
  ["no manifest of its own", "node_modules/other/package.json", '{ "repository": "a/b" }', undefined],
])("%s", async (_, path, text, expected) => {
  const signal = new AbortController().signal;
  expect(await statedRepository("till", fixture(`//- ${path}\n${text}\n`), { signal })).toBe(expected);
});

test("a Go module has it in its name", async () => {
  const signal = new AbortController().signal;
  expect(await statedRepository("github.com/shop/till/v2", fixture("//- go.mod\nmodule x\n"), { signal })).toBe(at);
});
