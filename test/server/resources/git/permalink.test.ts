import { expect, test } from "vitest";
import { commitLinkOf, parsePermalink, permalinkOf } from "../../../../server/resources/git/permalink.ts";

test.each([
  ["https://github.com/o/r", "src/a.ts", 1, 4, "https://github.com/o/r/blob/c0ffee/src/a.ts#L1-L4"],
  ["https://github.com/o/r.git", "a.ts", 7, 7, "https://github.com/o/r/blob/c0ffee/a.ts#L7"],
  ["https://github.com/o/r", "README.md", 1, 2, "https://github.com/o/r/blob/c0ffee/README.md?plain=1#L1-L2"],
  [
    "https://github.com/o/r",
    "a b/[id]#1/(x)?%.ts",
    1,
    1,
    "https://github.com/o/r/blob/c0ffee/a%20b/%5Bid%5D%231/%28x%29%3F%25.ts#L1",
  ],
  ["https://gitlab.com/g/s/r", "a.ts", 1, 4, "https://gitlab.com/g/s/r/-/blob/c0ffee/a.ts#L1-4"],
  ["https://gitlab.example.org/g/r/", "a.ts", 2, 2, "https://gitlab.example.org/g/r/-/blob/c0ffee/a.ts#L2"],
  ["https://bitbucket.org/o/r", "a.ts", 1, 4, "https://bitbucket.org/o/r/src/c0ffee/a.ts#lines-1:4"],
  ["https://codeberg.org/o/r", "a.ts", 1, 4, "https://codeberg.org/o/r/src/commit/c0ffee/a.ts#L1-L4"],
  ["https://gitea.com/o/r", "a.md", 1, 1, "https://gitea.com/o/r/src/commit/c0ffee/a.md?display=source#L1"],
  ["https://git.example/o/r", "a.ts", 1, 4, undefined],
  ["https://github.com:8443/o/r", "a.ts", 1, 4, undefined],
  ["https://notgithub.com/o/r", "a.ts", 1, 4, undefined],
])("%s, %s, lines %d to %d: %s", (url, path, startLine, endLine, expected) => {
  expect(permalinkOf(url, "c0ffee", path, { startLine, endLine })).toBe(expected);
});

test.each([
  ["https://github.com/o/r.git", "https://github.com/o/r/commit/c0ffee1"],
  ["https://gitlab.com/g/s/r", "https://gitlab.com/g/s/r/-/commit/c0ffee1"],
  ["https://gitlab.example.org/g/r/", "https://gitlab.example.org/g/r/-/commit/c0ffee1"],
  ["https://bitbucket.org/o/r", "https://bitbucket.org/o/r/commits/c0ffee1"],
  ["https://codeberg.org/o/r", "https://codeberg.org/o/r/commit/c0ffee1"],
  ["https://git.example/o/r", undefined],
])("a commit of %s: %s, and back", (url, expected) => {
  expect(commitLinkOf(url, "c0ffee1")).toBe(expected);
  if (expected === undefined) return;
  const repository = url.replace(/\.git$|\/$/, "");
  expect(parsePermalink(expected)).toEqual({
    url: repository,
    revision: "c0ffee1",
    path: "",
    startLine: 0,
    endLine: 0,
  });
});

test("pages of lists of commits, and of files in a folder of that name, are no commits", () => {
  expect(parsePermalink("https://github.com/o/r/commits/main")).toBeUndefined();
  expect(parsePermalink("https://github.com/o/r/commits/c0ffee1/src/a.ts")).toBeUndefined();
  expect(parsePermalink("https://github.com/o/r/blob/c0ffee1/commit/abcdef1#L2")).toMatchObject({
    revision: "c0ffee1",
    path: "commit/abcdef1",
    startLine: 2,
  });
});
