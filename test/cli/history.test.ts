import { writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { HistoryReply } from "../../server/protocol/git-history.ts";
import { runHere } from "../support/cli-here.ts";
import { openRepository } from "../support/repository.ts";

async function world() {
  const repository = await openRepository();
  await repository.commit({ message: "Add retry", files: { "a.js": "export const tries = 1;\n" }, date: "2023-01-05" });
  await repository.commit({
    message: "Try twice\n\nOnce was not enough.",
    files: { "a.js": "export const tries = 2;\n" },
    date: "2023-02-05",
    tags: ["v1.1.0"],
  });
  const run = (...args: string[]) => runHere(["history", ...args], { cwd: repository.path });
  return { ...repository, run };
}

test("shows the commits of a place in the open project, with their changes and the first release", async () => {
  await using it = await world();
  const { code, stdout, stderr } = await it.run("a.js", "-r", ".");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.replaceAll(/^[0-9a-f]{7,}/gm, "ID")).toBe(
    `ID  Try twice
  2023-02-05, Ada, first in v1.1.0 (2023-02-05)
  Once was not enough.
  a.js
    -1|export const tries = 1;
    +1|export const tries = 2;

ID  Add retry
  2023-01-05, Ada, first in v1.1.0 (2023-02-05), the first
  a.js added
    +1|export const tries = 1;
`,
  );
});

test("marks commits that change white space alone", async () => {
  await using it = await world();
  await it.commit({ message: "Indent", files: { "a.js": "\texport const tries = 2;\n" }, date: "2023-03-05" });
  const { stdout } = await it.run("a.js:1", "-r", ".");
  expect(stdout).toMatch(/^[0-9a-f]+ {2}Indent\n {2}2023-03-05, Ada, in no release yet, white space only\n/);
});

test("--json prints the reply; a text, a commit and blame are asked for by options", async () => {
  await using it = await world();
  const reply = async (...args: string[]) => {
    const { stdout } = await it.run(...args, "-r", ".", "--json");
    return HistoryReply.parse(JSON.parse(stdout));
  };
  expect(await reply("--text", "tries = 2")).toMatchObject({ total: 1, commits: [{ subject: "Try twice" }] });
  expect(await reply("--commit", "HEAD~1")).toMatchObject({ commits: [{ subject: "Add retry" }] });
  const blamed = await reply("a.js", "--blame");
  expect(blamed.blame).toEqual([{ startLine: 1, endLine: 1, shortId: blamed.commits[0]?.shortId }]);
  expect((await reply("a.js", "--at", "HEAD~1", "--diff-lines", "0")).commits).toMatchObject([
    { files: [{ hunks: [] }] },
  ]);
  expect((await reply("a.js", "--since", "2023-02-01")).total).toBe(1);
});

test("nothing found is exit code 3, and what limits a history is said on standard error", async () => {
  await using it = await world();
  expect(await it.run("--text", "nowhere", "-r", ".")).toMatchObject({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/no commit adds/),
  });
  await writeFile(path.join(it.path, "a.js"), "// edited\nexport const tries = 2;\n");
  const edited = await it.run("a.js:2", "-r", ".", "--limit", "1");
  expect(edited.stderr).toContain("a.js has uncommitted edits: these are lines 1 of the committed file\n");
  expect(edited.stderr).toContain("2 commits; --limit shows more\n");
});

test("without a subject, and with two, it says what to give", async () => {
  await using it = await world();
  expect((await it.run()).stderr).toMatch(/^error: history needs a place, a package, --text or --commit\nhint: /);
  expect((await it.run("a.js", "--commit", "HEAD", "-r", ".")).stderr).toMatch(/^error: a commit is asked for without/);
  expect((await it.run("a.js", "--commit", "HEAD", "--text", "x")).code).toBe(2);
});
