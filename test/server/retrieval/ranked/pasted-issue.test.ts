import { expect, test } from "vitest";
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

test("only the title of an issue says which files it asks for", () => {
  const issue = "Crash in the parser\nSince the upgrade\nmy tests and docs fail\n";
  expect([...parseQuery(issue, { resources: [] }).asksFor]).toEqual([]);
  expect([...parseQuery(`Typo in the docs\n${issue}`, { resources: [] }).asksFor]).toEqual(["docs"]);
  expect([...parseQuery("Since the upgrade my tests fail", { resources: [] }).asksFor]).toEqual(["tests", "changes"]);
});
