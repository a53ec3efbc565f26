import { describe, expect, test } from "vitest";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

async function ask(tree: string, question: string) {
  const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], question);
  return text;
}

describe("the version of a language that a project needs", () => {
  const ofMember = (name: string, version: string) =>
    `//- ${name}/Cargo.toml\n[package]\nname = "${name}"\nrust-version = "${version}"\n`;

  test("of a workspace, of the package with the project's name", async () => {
    const tree = ["counter", "shop", "till"].map((name, n) => ofMember(name, `1.6${n}`)).join("");
    expect(await ask(tree, "minimum supported rust version?")).toMatch(/^`shop\/Cargo\.toml` requires `rust` `1\.61`/);
  });

  test("of a pom, also that of the release, on the next line", async () => {
    const tree = `//- pom.xml\n<project>\n  <properties>\n    <java.version>11</java.version>\n    <java.release.version>11</java.release.version>\n  </properties>\n</project>\n`;
    const text = await ask(tree, "which java version do I need for this (3.6.0-SNAPSHOT)");
    expect(text).toMatch(/^`pom\.xml` requires `java` `11`: \[\[shop:pom\.xml#L3-L4\]\]/);
  });

  test.each([
    "oldest python version shop still runs on",
    "minimum python version and operating system for working on shop",
    "what python version should I use for development",
    "lowest python supported",
    "what python do I need to run it (not the code to check)",
  ])("%s", async (question) => {
    const tree = `//- pyproject.toml\n[project]\nname = "shop"\nrequires-python = ">=3.10"\n`;
    expect(await ask(tree, question)).toMatch(/^`pyproject\.toml` requires `python` `>=3\.10`/);
  });

  test("a function that handles the oldest version is none", async () => {
    const tree = `//- shop.py\ndef oldest_python(): return 3\n//- pyproject.toml\nrequires-python = ">=3.10"\n`;
    expect(await ask(tree, "where is the oldest python for a till handled")).toContain("def oldest_python");
  });
});
