import { writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AskRequest, emptyAnswer, foldAnswer } from "../../../../server/protocol/ask.ts";
import { localApp } from "../../../support/connect.ts";
import { temporaryFolder } from "../../../support/folder.ts";
import { openRepository, type Repository } from "../../../support/repository.ts";

const first = "export function fetchTwice(url) {\n  return fetch(url);\n}\n";

/** Things that come, change, move, go and come back. */
async function shopRepository(): Promise<Repository> {
  const repository = await openRepository();
  const { commit } = repository;
  await commit({
    message: "Fetch twice\n\nThe shop's host drops calls [[shop:a#L1]].\n\nSigned-off-by: Ada <ada@example.com>",
    files: { "src/fetch.js": first, "src/old.js": "export const basket = 1;\n", "README.md": "# Shop\n" },
    date: "2023-01-05",
    tags: ["v1.0.0", "parser-v0.1.0"],
  });
  await commit({
    message: "Explain fetchTwice",
    files: { "README.md": "# Shop\n\nCall `fetchTwice`, or run with `--fast-lane`.\n" },
    date: "2023-02-05",
  });
  await commit({
    message: "Move to lib",
    files: { "src/fetch.js": null, "lib/fetch.js": first, "src/old.js": null },
    date: "2023-03-05",
    author: ["Bob", "bob@example.com"],
    tags: ["v1.1.0"],
  });
  await commit({
    message: "Add the fast lane",
    files: { "lib/cli.js": 'const timeout = 5;\nif (has("--fast-lane")) run(timeout);\n' },
    date: "2023-04-05",
    tags: ["v2.0.0-rc.1", "v2.0.0"],
  });
  await commit({
    message: "Revert the fast lane",
    files: { "lib/cli.js": "const timeout = 5;\nrun(timeout);\n" },
    date: "2023-05-05",
  });
  await commit({
    message: "Bring the fast lane back",
    files: { "lib/cli.js": 'const timeout = 5;\nif (has("--fast-lane")) run(timeout);\n' },
    date: "2023-06-05",
  });
  await commit({
    message: "Wait longer",
    files: { "lib/cli.js": 'const timeout = 10;\nif (has("--fast-lane")) run(timeout);\n' },
    date: "2023-07-05",
    author: ["Bob", "bob@example.com"],
    tags: ["v2.1.0"],
  });
  const reformat = await commit({
    message: "Reformat",
    files: { "lib/cli.js": 'const timeout  =  10;\nif (has("--fast-lane"))  run(timeout);\n' },
    date: "2023-07-20",
  });
  await commit({ message: "Ignore it", files: { ".git-blame-ignore-revs": `${reformat}\n` }, date: "2023-07-21" });
  await commit({
    message: "Call it fetchAgain",
    files: { "lib/fetch.js": first.replace("fetchTwice", "fetchAgain") },
    date: "2023-08-05",
  });
  return repository;
}

let repository: Repository;
let app: ReturnType<typeof localApp>;
beforeAll(async () => {
  repository = await shopRepository();
  app = localApp(repository.path);
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await repository[Symbol.asyncDispose]();
});

/** The first sentences of the answer and the subject of its commit. */
async function ask(question: string, folder = repository.path, one = app): Promise<string> {
  let answer = emptyAnswer;
  for await (const event of one.ask(AskRequest.parse({ question, resources: [folder] })))
    answer = foldAnswer(answer, event);
  return answer.text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "<$1>").replaceAll(/\b[0-9a-f]{7,40}\b/g, "ID");
}

async function check(question: string, said: RegExp, subject: string): Promise<void> {
  const answer = await ask(question);
  expect(answer).toMatch(said);
  expect(answer).toContain(`\`\`\`text\n${subject}\n`);
}

describe("the answer", () => {
  test.each([
    [
      "when was fetchTwice added?",
      /commit <\S+@ID> of 2023-01-05 by Ada.*first release with it is v1\.0\.0 \(2023-01-05\)/,
      "Fetch twice",
    ],
    ["which release has fetchTwice first?", /v1\.0\.0/, "Fetch twice"],
    ["when was `--fast-lane` added?", /2023-06-05.*v2\.1\.0/, "Bring the fast lane back"],
    ["who reverted the fast lane?", /2023-05-05/, "Revert the fast lane"],
    ["when was src/old.js removed?", /2023-03-05 by Bob/, "Move to lib"],
    ["when was old.js deleted?", /2023-03-05 by Bob/, "Move to lib"],
    ["why was basket dropped?", /2023-03-05/, "Move to lib"],
    ["when was src/fetch.js renamed?", /2023-03-05/, "Move to lib"],
    ["when was lib/fetch.js added?", /2023-01-05/, "Fetch twice"],
    ["when was fetchTwice renamed?", /2023-08-05.*No release has/, "Call it fetchAgain"],
    ["when did the default of timeout change from 5 to 10?", /2023-07-05 by Bob/, "Wait longer"],
    ["who changed lib/cli.js last?", /2023-07-05 by Bob/, "Wait longer"],
    ["who changed lib/cli.js:2 last?", /2023-06-05 by Ada/, "Bring the fast lane back"],
    ["why is lib/cli.js:1 done this way?", /2023-07-05/, "Wait longer"],
    ["what changed in lib/cli.js between v1.1 and v2?", /2023-04-05/, "Add the fast lane"],
    ["what changed in lib/cli.js since v2?", /2023-07-05/, "Wait longer"],
  ])("%s", (question, said, subject) => check(question, said, subject));

  test("quotes the message and the lines as data, without addresses", async () => {
    const answer = await ask("when was fetchTwice added?");
    expect(answer).not.toContain("@example.com");
    expect(answer).toContain("drops calls [ [shop:a#L1]].\n");
    expect(answer).toContain("ID:src/fetch.js:1-3>\n\n```diff\n+export function fetchTwice(url) {\n");
  });
});

describe("without a history", () => {
  test("a folder outside of git says so, and answers with the code", async () => {
    await using folder = await temporaryFolder();
    await writeFile(path.join(folder.path, "a.js"), first);
    await using own = localApp(folder.path);
    const answer = await ask("when was fetchTwice added?", folder.path, own);
    expect(answer).toMatch(/^There is no answer from git: .* is in no git repository, so it has no history\.\n/);
    expect(answer).toContain("defines `fetchTwice`");
  });

  test("the oldest commit of a shallow clone is no addition", async () => {
    await using folder = await temporaryFolder();
    const clone = path.join(folder.path, "clone");
    repository.git("clone", "--quiet", "--depth=1", `file://${repository.path}`, clone);
    await using own = localApp(clone);
    const answer = await ask("when was fetchAgain added?", clone, own);
    expect(answer).toMatch(
      /^There is no answer from git: no commit was found that added `fetchAgain` \(history is cut at .*shallow clone/,
    );
    expect(answer).toContain("defines `fetchAgain`");
  });

  test("the changelog is quoted with its version", async () => {
    await using folder = await temporaryFolder();
    await writeFile(
      path.join(folder.path, "CHANGELOG.md"),
      "# Changes\n\n## 2.0.0\n\n- More\n\n## 1.4.0\n\n- Add `fetchTwice`\n",
    );
    await using own = localApp(folder.path);
    const answer = await ask("which release has fetchTwice first?", folder.path, own);
    expect(answer).toContain("- 1.4.0: - Add \\`fetchTwice\\` <CHANGELOG.md:9>");
  });
});
