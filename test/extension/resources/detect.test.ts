import { describe, expect, test } from "vitest";
import { detectAll } from "../../../extension/features/resources/detect.ts";
import { parseTyped } from "../../../server/protocol/typed-reference.ts";

describe("a pasted text", () => {
  test.each([
    ["https://github.com/owner/repo/tree/dev/src", "https://github.com/owner/repo"],
    ["  <https://github.com/owner/repo>  ", "https://github.com/owner/repo"],
    ['[the repo](https://github.com/owner/repo "title")', "https://github.com/owner/repo"],
    ["github.com/owner/repo", "https://github.com/owner/repo"],
    ["git clone --depth 1 https://git.example/owner/repo", "https://git.example/owner/repo"],
    ["git@git.example:owner/repo.git", "https://git.example/owner/repo"],
    ["ssh://git@git.example/owner/repo.git", "https://git.example/owner/repo"],
    ["git clone git@git.example:owner/repo.git", "https://git.example/owner/repo"],
    ["npm:zod@4", "npm:zod@4"],
    ["zod@3", "npm:zod@3"],
    ["@tanstack/query-core@latest", "npm:@tanstack/query-core@latest"],
    ["npm install --save-dev @scope/name@1.2.3", "npm:@scope/name@1.2.3"],
    ["pnpm add zod", "npm:zod"],
    ["`npm:zod`", "npm:zod"],
    ["/home/me/lib", "/home/me/lib"],
    ['"C:\\code\\lib"', "C:\\code\\lib"],
  ])("%j names %j", (text, expected) => expect(parseTyped(text)).toMatchObject({ canonical: expected }));

  test.each([
    ["express", "name"],
    ["me@example.com", "invalid"],
    ["what is this?", "invalid"],
    ["http://git.example/owner/repo", "invalid"],
    ["https://user:secret@git.example/owner/repo", "invalid"],
    ["file:///etc/passwd", "invalid"],
    ["", "invalid"],
  ])("%j is a %s", (text, type) => expect(parseTyped(text).type).toBe(type));
});

test("of several lines each counts once, and a bare word is nothing to add", () => {
  const text = "https://github.com/a/b\n\n# a comment\nexpress\nnpm:zod\r\nhttps://github.com/a/b.git\n";
  expect(detectAll(text).map(({ canonical }) => canonical)).toEqual(["https://github.com/a/b", "npm:zod"]);
});
