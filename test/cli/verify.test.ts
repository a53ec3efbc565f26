import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../support/cli.ts";
import { runHere } from "../support/cli-here.ts";
import { temporaryFolder } from "../support/folder.ts";
import { openRepository } from "../support/repository.ts";
import { startInTerminal } from "../support/pty.ts";

const good = "It waits (`src/a.ts:1-2`), see [a](src/a.ts#L2).\n";
const bad = "It waits (src/a.ts:1), then src/a.ts:9 and src/none.ts:1.\n";

async function world() {
  const folder = await temporaryFolder(
    `//- demo/src/a.ts\nexport const a = 1;\nexport const b = 2;\n//- good.md\n${good}//- bad.md\n${bad}//- none.md\nNothing.\n`,
  );
  return {
    path: folder.path,
    run: (args: string[], stdin?: string) =>
      stdin === undefined
        ? runHere(["verify", ...args], { cwd: folder.path })
        : runCli(["verify", ...args], { cwd: folder.path, stdin }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("a text whose citations all hold exits with 0", async () => {
  await using it = await world();
  const { code, stdout } = await it.run(["good.md", "-r", "./demo"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^good\.md:1 {2}✓ verified {2}.*demo:src\/a\.ts:1-2\ngood\.md:1 {2}✓ verified[^]*2 citations: 2 verified/,
  );
});

test("a citation that does not hold exits with 4; the text is not changed", async () => {
  await using it = await world();
  const { code, stdout } = await it.run(["bad.md", "-r", "./demo"]);
  expect(code).toBe(4);
  expect(stdout).toMatch(/✗ out of range {2}.*src\/a\.ts:9 {2}the file has 2 lines\n/);
  expect(stdout).toMatch(/✗ missing {2}.*src\/none\.ts:1 {2}no such file in .*demo\n/);
  expect(await readFile(path.join(it.path, "bad.md"), "utf8")).toBe(bad);
});

test("commits, and lines at them, are checked, too", async () => {
  await using repository = await openRepository();
  const id = await repository.commit({ message: "Add a", files: { "a.js": "1;\n" } });
  await repository.commit({ message: "Drop a", files: { "a.js": null } });
  const at = id.slice(0, 7);
  const text = `Since [[${repository.path}@${at}]], see [[${repository.path}@${at}:a.js#L1 "1;"]], [[${repository.path}@abcdef1]].`;
  await writeFile(path.join(repository.path, "why.md"), text);
  const { code, stdout } = await runHere(["verify", "why.md", "-r", "."], { cwd: repository.path });
  expect(code).toBe(4);
  const shown = stdout.replaceAll(repository.path, "work");
  expect(shown).toContain('✗ missing  work@abcdef1  no commit, branch or tag "abcdef1" in this history');
  expect(shown).toContain("3 citations: 2 verified, 1 missing.");
});

test("`-` reads standard input, and --json says where in the text", async () => {
  await using it = await world();
  const { code, stdout } = await it.run(["-", "-r", "./demo", "--json"], `\n${bad}`);
  expect(code).toBe(4);
  const { citations, snapshots } = JSON.parse(stdout);
  expect(citations.map((citation: { at: object; state: string }) => [citation.at, citation.state])).toEqual([
    [{ line: 2, text: "src/a.ts:1" }, "verified"],
    [{ line: 2, text: "src/a.ts:9" }, "out-of-range"],
    [{ line: 2, text: "src/none.ts:1" }, "missing"],
  ]);
  expect(snapshots).toMatchObject([{ resource: path.join(it.path, "demo"), type: "local" }]);
});

test("a text without citations ends with 3, as an empty one does", async () => {
  await using it = await world();
  for (const args of [["none.md"], ["-"]]) {
    const { code, stdout } = await it.run([...args, "-r", "./demo"]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: expect.stringContaining("No citations") });
  }
});

test("without -r a document is checked against its own project, and what does not open is named", async () => {
  await using folder = await temporaryFolder(
    `//- app/package.json\n{}\n//- app/src/a.ts\none\n//- app/docs/part.ts\none\n//- app/docs/guide.md\npart.ts:1 src/a.ts:1 ../src/a.ts:1\n//- app/docs/bad.md\n[[gone:a.ts#L1]]\n`,
  );
  const config = { resources: [{ type: "local", name: "gone", path: path.join(folder.path, "gone") }] };
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}\n`);
  const env = { HOME: folder.path, CITEWELL_HOME: path.join(folder.path, ".home") };
  const run = (args: string[]) => runHere(["verify", ...args], { cwd: folder.path, env });
  const good = await run(["app/docs/guide.md"]);
  expect({ code: good.code, stdout: good.stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining("3 citations: 3 verified."),
  });
  const bad = await run(["app/docs/bad.md"]);
  expect({ code: bad.code, stderr: bad.stderr }).toEqual({
    code: 4,
    stderr: expect.stringMatching(/^gone was not read: there is no folder/),
  });
});

describe("several documents", () => {
  const documents = `//- package.json\n{}\n//- src/a.ts\none\n//- README.md\nsrc/a.ts:1\n//- docs/bad.md\nSee src/a.ts:9,\nsrc/100%, none.ts:1\n//- docs/deep/none.md\nNothing.\n//- node_modules/x/README.md\nsrc/a.ts:8\n`;
  const run = async (args: string[]) => {
    await using folder = await temporaryFolder(documents);
    const env = { HOME: path.dirname(folder.path), CITEWELL_HOME: path.join(folder.path, ".home") };
    return await runHere(["verify", ...args], { cwd: folder.path, env });
  };

  test("are named by files and patterns, once each, and without node_modules", async () => {
    const { code, stdout } = await run(["README.md", "**/*.md", "--json"]);
    const { files } = JSON.parse(stdout);
    expect({ code, files: files.map(({ file }: { file: string }) => file) }).toEqual({
      code: 4,
      files: ["README.md", "docs/bad.md", "docs/deep/none.md"],
    });
  });

  test("a pattern that matches nothing is wrong usage", async () => {
    const { code, stderr } = await run(["*.rst"]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("*.rst matches no file") });
  });

  test("without citations end with 3, or 0 where that is allowed", async () => {
    expect((await run(["docs/deep/*.md"])).code).toBe(3);
    expect((await run(["docs/deep/*.md", "--allow-empty"])).code).toBe(0);
  });

  test("are annotated for GitHub Actions", async () => {
    const { code, stdout } = await run(["README.md", "docs/*.md", "--format", "github"]);
    expect({ code, lines: stdout.split("\n") }).toMatchObject({
      code: 4,
      lines: [
        expect.stringMatching(
          /^::error file=docs\/bad\.md,line=1,title=Citation out of range::.*:src\/a\.ts:9: out of range \(the file has 1 line\)$/,
        ),
        expect.stringMatching(/^::error file=docs\/bad\.md,line=2,title=Citation missing::none\.ts:1: missing/),
        "",
      ],
    });
  });

  test("--json and --format are refused together", async () => {
    expect((await run(["README.md", "--json", "--format", "sarif"])).code).toBe(2);
  });
});

describe("relative links of a document", () => {
  const files = `//- package.json
{}
//- src/a.ts
one
//- README.md
See [the guide](docs/guide.md), [a](src/a.ts#L1)
and [b](docs/none.md), ![logo](docs/logo.svg) or ../../issues: [issues](../../issues).
//- docs/guide.md
[up](../README.md) [root](/src/a.ts)
//- docs/notes.txt
[a](none.md)
`;
  const run = async (args: string[]) => {
    await using folder = await temporaryFolder(files);
    const env = { HOME: path.dirname(folder.path), CITEWELL_HOME: path.join(folder.path, ".home") };
    return await runHere(["verify", ...args], { cwd: folder.path, env });
  };

  test("are checked and counted, and one that leads nowhere ends with 4", async () => {
    const { code, stdout } = await run(["README.md"]);
    expect(code).toBe(4);
    expect(stdout).toMatch(
      /^README\.md:1 {2}✓ verified {2}.*:src\/a\.ts:1\nREADME\.md:2 {2}✗ missing {2}docs\/none\.md {2}no such file in .*\nREADME\.md:2 {2}✗ missing {2}docs\/logo\.svg/,
    );
    expect(stdout).toContain("1 citation: 1 verified. 4 links: 1 found, 2 missing, 1 outside.\n");
  });

  test("are enough for a document without citations", async () => {
    const { code, stdout } = await run(["docs/guide.md"]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^2 links: 2 found\.\nChecked against\n/),
    });
  });

  test("are in the JSON, with where they lead", async () => {
    const { links } = JSON.parse((await run(["README.md", "--json"])).stdout);
    expect(links).toMatchObject([
      { target: "docs/guide.md", path: "docs/guide.md", state: "found", at: { line: 1 } },
      { target: "docs/none.md", path: "docs/none.md", state: "missing", at: { line: 2 } },
      { target: "docs/logo.svg", state: "missing" },
      { target: "../../issues", state: "outside", reason: "it leads out of the project" },
    ]);
  });

  test("are annotated, but for those out of the project", async () => {
    const { stdout } = await run(["README.md", "--format", "github"]);
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(
        /^::error file=README\.md,line=2,title=Link missing::docs\/none\.md: missing \(no such file in .*\)$/,
      ),
      expect.stringMatching(/^::error file=README\.md,line=2,title=Link missing::docs\/logo\.svg/),
      "",
    ]);
    const [first] = JSON.parse((await run(["README.md", "--format", "gitlab"])).stdout);
    expect(first).toMatchObject({ check_name: "link-missing", severity: "major" });
    const { runs } = JSON.parse((await run(["README.md", "--format", "sarif"])).stdout);
    const [{ tool, results }] = runs;
    expect(tool.driver.rules[results[0].ruleIndex].id).toBe("link-missing");
  });

  test("are not looked for in what is no Markdown", async () => {
    expect((await run(["docs/notes.txt"])).code).toBe(3);
  });
});

test("a citation that could not be looked at ends with 7, as in recheck, and one that is wrong with 4", async () => {
  await using folder = await temporaryFolder(
    `//- package.json\n{}\n//- logo.png\n\0\n//- a.ts\none\n//- open.md\n[[gone:a.ts#L1]] a.ts:1\n//- bad.md\n[[gone:a.ts#L1]] a.ts:9\n`,
  );
  const config = { resources: [{ type: "git", name: "gone", url: "https://git.invalid/a/b", branch: "main" }] };
  await folder.write(`//- .home/citewell.config.jsonc\n${JSON.stringify(config)}\n`);
  const env = { HOME: path.dirname(folder.path), CITEWELL_HOME: path.join(folder.path, ".home") };
  const run = (file: string) => runHere(["verify", file], { cwd: folder.path, env });
  const open = await run("open.md");
  expect({ code: open.code, stdout: open.stdout }).toEqual({
    code: 7,
    stdout: expect.stringContaining("2 citations: 1 verified, 1 not read in this run."),
  });
  expect((await run("bad.md")).code).toBe(4);
});

test("a missing file is reported", async () => {
  await using it = await world();
  expect(await it.run(["gone.md", "-r", "./demo"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("gone.md"),
  });
});

test.each(["demo", "/dev/zero"])("what is no file is not read: %s", async (name) => {
  await using it = await world();
  const { code, stdout } = await it.run([name, "-r", "./demo", "--json"]);
  const hint = "give a Markdown file, or - for standard input";
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 2,
    error: `${name} is not a regular file`,
    tag: "FileNotReadable",
    hint,
  });
});

test("no more is read than is verified", async () => {
  await using it = await world();
  const long = "x".repeat(1_000_001);
  await writeFile(path.join(it.path, "long.md"), long);
  const runs = [
    { name: "long.md", result: await it.run(["long.md", "-r", "./demo", "--json"]) },
    { name: "standard input", result: await it.run(["-", "-r", "./demo", "--json"], long) },
  ];
  for (const { name, result } of runs) {
    const error = `${name} is over the limit of 1000000 characters`;
    expect(JSON.parse(result.stdout)).toMatchObject({ error, tag: "RequestTooLarge", hint: "verify it in parts" });
  }
});

test("in a terminal the states have their colours", async () => {
  await using it = await world();
  const session = startInTerminal(["verify", "bad.md", "-r", "./demo"], { cwd: it.path });
  expect(await session.exit).toBe(4);
  expect(session.output()).toContain("\u001B[31m✗ missing");
});
