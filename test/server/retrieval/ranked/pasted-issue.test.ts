import { describe, expect, test } from "vitest";
import { readPastedIssue } from "../../../../server/retrieval/ranked/pasted-issue.ts";
import { parseQuery } from "../../../../server/retrieval/ranked/query.ts";

const kept = (text: string) =>
  readPastedIssue(text)
    ?.text.split("\n")
    .filter((line) => line !== "");

test("what a template and a machine say is left out", () => {
  const issue = `# Retry waits forever
<!-- Search for duplicates first.
Thank you! -->
- [x] I searched for duplicates
- a second host

**Describe the bug**
The delay has no limit. ![picture](https://example.org/a.png)

### Environment
client 1.2.3 on Linux

#### Steps to reproduce
\`\`\`sh
# with a server that is down
retry --all
\`\`\`
`;
  expect(kept(issue)).toEqual([
    "# Retry waits forever",
    "- a second host",
    "The delay has no limit. ",
    "# with a server that is down",
    "retry --all",
  ]);
});

test("a question of a line or two stays as it is", () => {
  expect(readPastedIssue("# version of the client\n- [ ] checklist")).toBeUndefined();
});

test("comments in code without a fence are not headings", () => {
  expect(kept("Fails:\nimport a\n# install first\na.run()")).toEqual([
    "Fails:",
    "import a",
    "# install first",
    "a.run()",
  ]);
});

test("a template without an answer is not read as an issue", () => {
  expect(readPastedIssue("<!-- a -->\n- [ ] one\n- [x] two\n- [x] three")).toBeUndefined();
});

test("what has no end is kept, in linear time", () => {
  expect(kept("Title\nabout <!-- nothing\n```\n# code")).toEqual(["Title", "about <!-- nothing", "# code"]);
  const started = "<!--![<img".repeat(30_000);
  expect(kept(`${started}\na\nb`)?.length).toBe(3);
});

test("the prose of an issue is what it says beside code, traces and output", () => {
  const issue = `Retry waits forever

It happens with \`retry(1)\`:
\`\`\`py
retry(1)
\`\`\`
and then

    $ app --all
    waiting

Traceback (most recent call last):
  File "a.py", line 3, in f
    wait()
TimeoutError: too late`;
  expect(
    readPastedIssue(issue)
      ?.prose.split("\n")
      .filter((line) => line !== ""),
  ).toEqual(["Retry waits forever", "It happens with `retry(1)`:", "and then", "TimeoutError: too late"]);
});

describe("a long issue is cut", () => {
  const lines = (word: string, count: number) => Array.from({ length: count }, (_, line) => `${word} ${line}`);
  const fenced = (code: readonly string[]) => ["```", ...code, "```"];

  test("to its title, its prose and the end of its code", () => {
    const issue = ["Title", ...lines("prose", 100), ...fenced(lines("code", 5000)), "the end"].join("\n");
    const { text = "", prose } = readPastedIssue(issue) ?? {};
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(text.length).toBeGreaterThan(9900);
    expect(text.startsWith("Title\nprose 0\n")).toBe(true);
    expect(text.endsWith("code 4999\nthe end")).toBe(true);
    expect(prose).toBe(["Title", ...lines("prose", 100), "the end"].join("\n"));
  });

  test("to less prose where there is much of both, and to all of it where there is no code", () => {
    const both = ["Title", ...lines("prose", 5000), ...fenced(lines("code", 5000))].join("\n");
    const { prose = "", text = "" } = readPastedIssue(both) ?? {};
    expect([prose.length, text.length].map((length) => Math.round(length / 100))).toEqual([60, 100]);
    const { prose: whole = "" } = readPastedIssue(["Title", ...lines("prose", 5000)].join("\n")) ?? {};
    expect(Math.round(whole.length / 100)).toBe(100);
  });

  test("also in its longest lines", () => {
    expect(readPastedIssue(`Title\n${"x".repeat(50_000)}\nthe end`)?.text).toBe(`Title\n${"x".repeat(1000)}\nthe end`);
  });
});

test("only the title of an issue says which files it asks for", () => {
  const issue = "Crash in the parser\nSince the upgrade\nmy tests and docs fail\n";
  expect([...parseQuery(issue, { resources: [] }).asksFor]).toEqual([]);
  expect([...parseQuery(`Typo in the docs\n${issue}`, { resources: [] }).asksFor]).toEqual(["docs"]);
  expect([...parseQuery("Since the upgrade my tests fail", { resources: [] }).asksFor]).toEqual(["tests", "changes"]);
});
