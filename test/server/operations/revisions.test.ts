import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, AskRequest, emptyAnswer, foldAnswer } from "../../../server/protocol/ask.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import { localApp } from "../../support/connect.ts";
import { type GitServer, startGitServer } from "../../support/git-server.ts";
import { scriptedModel, type ScriptedStep } from "../../support/scripted-model.ts";
import { openRepository, type Repository } from "../../support/repository.ts";

let server: GitServer;
beforeAll(async () => {
  server = await startGitServer();
});
afterAll(() => server[Symbol.asyncDispose]());

const one = "export function retry(times) {\n  return times > 0;\n}\n";
const two = "export function retry(times) {\n  return times > 1;\n}\n\nexport const limit = 3;\n";

/** Two commits: the second changes a line, adds a file of each odd kind, and removes one. */
async function changedRepository(): Promise<Repository & { first: string; second: string }> {
  const repository = await openRepository();
  const first = await repository.commit({
    message: "Add retry",
    files: { "src/retry.js": one, "gone.js": "gone();\n" },
    date: "2023-01-05",
    tags: ["v1.0.0"],
  });
  const second = await repository.commit({
    message:
      "Retry once more\n\nOne attempt is not enough (#12), says bob@example.com.\n\nReported-by: <x@example.com>",
    files: {
      "src/retry.js": two,
      "gone.js": null,
      "logo.png": new Uint8Array([0, 1, 2]),
      "latin.txt": new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]),
    },
    date: "2023-03-05",
    author: ["Bob", "bob@example.com"],
  });
  await writeFile(path.join(repository.path, "src/retry.js"), "export const now = 1;\n");
  return { ...repository, first, second };
}

/** What an answer with this text comes to, after these calls of the history tool. */
async function answer(
  folder: string,
  { calls, text, resources = [] }: { calls: readonly object[]; text: string; resources?: readonly object[] },
): Promise<Answer> {
  const steps: ScriptedStep[] = [...calls.map((input) => ({ toolCalls: [{ name: "history", input }] })), text];
  await using model = await scriptedModel(steps);
  await mkdir(path.join(folder, ".home"), { recursive: true });
  const config = { ...model.config, resources: [{ type: "local", name: "work", path: folder }, ...resources] };
  await writeFile(path.join(folder, ".home/citewell.config.jsonc"), JSON.stringify(config));
  await using app = localApp(folder);
  let whole = emptyAnswer;
  const names = resources.length > 0 ? ["lib"] : ["work"];
  for await (const event of app.ask(AskRequest.parse({ question: "why?", resources: names }))) {
    whole = foldAnswer(whole, event);
  }
  return whole;
}

function told({ state, reason, commit, path: file, startLine, endLine }: Citation): string {
  const lines = file === "" ? "" : `:${file}#${startLine}-${endLine}`;
  return `${state}${commit === undefined ? "" : ` @`}${lines}${reason === undefined ? "" : `: ${reason}`}`;
}

describe("in an answer", () => {
  test("a commit, its lines, and the lines before it", async () => {
    await using repository = await changedRepository();
    const { first, second } = repository;
    const short = second.slice(0, 7);
    const markers: readonly [marker: string, expected: string][] = [
      [`[[work@${short}]]`, "verified @"],
      [`[[work@${second}]]`, "verified @"],
      [`[[work@main]]`, "verified @"],
      [`[[work@HEAD]]`, "verified @"],
      [`[[${second.slice(0, 12)}]]`, "verified @"],
      [`[[work@${short} "One attempt is not enough"]]`, "verified @"],
      [`[[work@${short} "Retry … enough (#12)"]]`, "verified @"],
      [`[[work@${short} "says bob@example.com"]]`, "verified @"],
      [`[[work@${short} "Two attempts"]]`, "mismatch @: the quoted text is not in the commit's message"],
      [`[[work@${short}:src/retry.js#L2]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${short}:src/retry.js#L2 "times > 1"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${short}^:src/retry.js#L2 "times > 0"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${first.slice(0, 7)}:src/retry.js#L2 "times > 0"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@v1.0.0:src/retry.js#L2 "times > 0"]]`, "verified @:src/retry.js#2-2"],
      [`[[work@${short}~1:gone.js#L1]]`, "verified @:gone.js#1-1"],
      // What was not shown, and what is not there.
      ["[[work@v1.0.0]]", "not-read @: the commit was not shown in this run"],
      [`[[work@${short}:src/retry.js#L1-L2]]`, "not-read @:src/retry.js#1-2: line 1 was not shown in this run"],
      [`[[work@${short}:src/retry.js#L9]]`, "out-of-range @:src/retry.js#9-9: the file has 5 lines"],
      [`[[work@${short}:gone.js#L1]]`, `missing @:gone.js#1-1: no such file at ${short}`],
      [
        `[[work@${short}:src/retry.js#L2 "times > 0"]]`,
        "mismatch @:src/retry.js#2-2: the quoted text is not in the file",
      ],
      [
        `[[work@${short}:retry.js#L2 "times > 1"]]`,
        "relocated @:src/retry.js#2-2: the path is src/retry.js, not retry.js",
      ],
      [`[[work@${short}:logo.png#L1]]`, `not-read @:logo.png#1-1: logo.png at ${short} is binary`],
      ["[[work@v9]]", 'missing @: no commit, branch or tag "v9" in this history'],
      ["[[work@abcdef1]]", 'missing @: no commit, branch or tag "abcdef1" in this history'],
      [
        `[[work@${second.slice(0, 6)}]]`,
        `missing @: ${second.slice(0, 6)} is too short for the id of a commit: give 7 digits`,
      ],
      // Words that git would read as something else.
      ...["--output=x", "-n1", "main..HEAD", "HEAD^{/Add}", "main@{1}", "^main", "HEAD^!"].map(
        (revision): [string, string] => [
          `[[work@${revision}]]`,
          `missing @: no commit, branch or tag ${JSON.stringify(revision)} in this history`,
        ],
      ),
    ];
    const calls = [{ commit: second }];
    const { citations, text } = await answer(repository.path, {
      calls,
      text: markers.map(([marker]) => `Said ${marker}.`).join("\n"),
    });
    expect(citations.map(told)).toEqual(markers.map(([, expected]) => expected));
    expect(text).not.toContain("[[");
    expect(JSON.stringify(citations)).not.toContain("@example.com");
    expect(citations[0]).toMatchObject({
      resource: "work",
      path: "",
      startLine: 0,
      endLine: 0,
      revision: second,
      commit: { id: short, subject: "Retry once more", date: "2023-03-05", author: "Bob" },
    });
    const lines = text.split("\n");
    expect(lines[0]).toBe(`Said [work@${short}](citewell:/work?revision=${second}).`);
    expect(lines[11]).toBe(
      `Said [work@${first.slice(0, 7)}:src/retry.js:2](citewell:/work/src/retry.js?revision=${first}#L2).`,
    );
    expect(lines[22]).toBe('Said work@v9 (missing: no commit, branch or tag "v9" in this history).');
  });
});
