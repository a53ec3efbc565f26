import { describe, expect, test } from "vitest";
import { askBuiltin } from "../../../support/ask-builtin.ts";
import { fixture } from "../../../support/fixture.ts";

async function ask(tree: string, question: string) {
  const { text } = await askBuiltin([fixture(tree, { resource: "shop" })], question);
  return { text, first: /^\*\*1\.\*\* (.*)$/m.exec(text)?.[1] ?? "" };
}

describe("the version of a language that a project needs", () => {
  const ofMember = (name: string, version: string) =>
    `//- ${name}/Cargo.toml\n[package]\nname = "${name}"\nrust-version = "${version}"\n`;

  test("of a workspace, of the package with the project's name", async () => {
    const tree = ["counter", "shop", "till"].map((name, n) => ofMember(name, `1.6${n}`)).join("");
    expect((await ask(tree, "minimum supported rust version?")).text).toMatch(
      /^`shop\/Cargo\.toml` requires `rust` `1\.61`/,
    );
  });

  test("of a pom, also that of the release, on the next line", async () => {
    const tree = `//- pom.xml\n<project>\n  <properties>\n    <java.version>11</java.version>\n    <java.release.version>11</java.release.version>\n  </properties>\n</project>\n`;
    const { text } = await ask(tree, "which java version do I need for this (3.6.0-SNAPSHOT)");
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
    expect((await ask(tree, question)).text).toMatch(/^`pyproject\.toml` requires `python` `>=3\.10`/);
  });

  test("a function that handles the oldest version is none", async () => {
    const tree = `//- shop.py\ndef oldest_python(): return 3\n//- pyproject.toml\nrequires-python = ">=3.10"\n`;
    expect((await ask(tree, "where is the oldest python for a till handled")).text).toContain("def oldest_python");
  });

  test("a number of nodes is none", async () => {
    const tree = `//- src/cluster.js\n// The minimum node count of a till.\nexport const minNodes = 3;\n//- package.json\n{\n  "engines": {\n    "node": ">=20"\n  }\n}\n`;
    expect((await ask(tree, "what is the minimum node count")).text).toContain("export const minNodes = 3");
  });

  test.each(["which node runtime is needed", "what node do we need"])("also asked as “%s”", async (question) => {
    const tree = `//- package.json\n{\n  "engines": {\n    "node": ">=20"\n  }\n}\n`;
    expect((await ask(tree, question)).text).toContain("requires `node` `>=20`");
  });

  test("the package manager comes with the version that is asked for together with it", async () => {
    const tree = `//- package.json\n{\n  "packageManager": "pnpm@9.1.0",\n  "engines": {\n    "node": ">=20"\n  }\n}\n`;
    const { text } = await ask(tree, "minimum node version and package manager for working on shop");
    expect(text).toContain('"packageManager": "pnpm@9.1.0"');
    expect(text).toContain("requires `node` `>=20`");
  });
});

describe("how the tests are run", () => {
  test("a block of commands is shown whole, because a comment in it is no heading", async () => {
    const tree = `//- CONTRIBUTING.md\n# Contributing\n\n## Tests\n\nThese are the commands:\n\n\`\`\`bash\n# Run a single test\npython run.py name\n# or equally:\npytest -k name\n\`\`\`\n\nThen open a pull request.\n`;
    const { text, first } = await ask(tree, "how to run only one test of the test suite");
    expect(first).toBe("how to run one test, in `CONTRIBUTING.md`: [[shop:CONTRIBUTING.md#L5-L11]]");
    expect(text).toContain("pytest -k name");
    expect(text).not.toContain("pull request");
  });

  test("a long block is shown in part", async () => {
    const many = Array.from({ length: 30 }, (_, n) => `# step ${n}\ndo ${n}\n`).join("");
    const tree = `//- CONTRIBUTING.md\n# Tests\n\n\`\`\`bash\n${many}# Run a single test\npytest -k name\n\`\`\`\n`;
    const { text } = await ask(tree, "how to run only one test");
    expect(text).toContain("pytest -k name");
    expect(text).not.toContain("do 1\n");
  });

  test("a guide in any folder comes before what CI runs", async () => {
    const tree = `//- .github/workflows/ci.yml\njobs:\n  test:\n    steps:\n      - run: cargo check --all\n//- doc/dev-guide/src/index.md\n# Developing\n\n1. Clone it\n2. Test it: \`cargo test --features=all\`\n`;
    expect((await ask(tree, "how to run the tests before sending a PR")).first).toMatch(
      /^how to run the tests, in `doc\/dev-guide\/src\/index\.md`/,
    );
  });

  test("a sentence about the test suite, if no file has a command for it", async () => {
    const tree = `//- CONTRIBUTING.md\n# Contributing\n\n## Before submitting\n\n- The test suite is in another repository, which can be cloned.\n//- docs/window.md\n# The window\n\nAll changes are seen in the window.\n`;
    const { text } = await ask(tree, "there is no test folder here?? how do people test their changes");
    expect(text).toMatch(/\*\*1\.\*\* how to run the tests, in `CONTRIBUTING\.md`/);
    expect(text).toContain("The test suite is in another repository");
    // It only mentions them, so what search finds is shown as well.
    expect(text).toContain("All changes are seen in the window.");
  });

  test("the tests of one package", async () => {
    const tree = `//- CONTRIBUTING.md\n# Contributing\n\nRun all tests with \`npm test\`, or those of one:\n\n    npm test --workspace=till\n`;
    expect((await ask(tree, "how do I run only the tests of one package")).text).toContain("npm test --workspace=till");
  });
});

test("the branch for a pull request", async () => {
  const tree = `//- .github/contributing.md\n# Contributing\n\n- Be kind.\n- A pull request with a feature should be submitted against the \`next\` branch.\n`;
  const { text } = await ask(tree, "which branch should my PR target, its a new feature");
  expect(text).toMatch(/\*\*1\.\*\* which branch to use, .*\n\n```markdown\n- A pull request with a feature/);
});

test("how it is built, by a command in a document on development that has no such heading", async () => {
  const tree = `//- docs/development.md\n# Development\n\n1. **First**\n\nYou can compile it by running \`make\` in this directory.\n//- src/build.ts\n/** Builds the shop from its source. */\nexport function build() {}\n`;
  expect((await ask(tree, "build shop from source")).first).toMatch(/^how to build it, in `docs\/development\.md`/);
});

test.each(["what does shop actually do", "what does the tool do"])("%s: what it is", async (question) => {
  const tree = `//- README.md\n# Shop\n\nSells books.\n//- docs/tool.md\n# Tool\n\nIt is actually a tool for books.\n`;
  expect((await ask(tree, question)).first).toContain("what it is, in `README.md`");
});

test("a heading for the build counts, whatever words follow, and no sentence that begins with make", async () => {
  const tree = `//- CONTRIBUTING.md\n# Contributing\n\nMake sure that git knows your name.\n//- README.md\n# Shop\n\n## Build Instructions\n\nRun ninja.\n`;
  expect((await ask(tree, "how do I make a debug build")).first).toMatch(/^how to build it, in `README\.md`/);
});
