import { describe, expect, test } from "vitest";
import { detectAll, detectReference } from "../../../extension/features/resources/detect.ts";

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
    ["npm install --save-dev @scope/name@1.2.3", "npm:@scope/name@1.2.3"],
    ["pnpm add zod", "npm:zod"],
    ["`npm:zod`", "npm:zod"],
    ["/home/me/lib", "/home/me/lib"],
    ['"C:\\code\\lib"', "C:\\code\\lib"],
  ])("%j names %j", (text, expected) => expect(detectReference(text)).toMatchObject({ canonical: expected }));

  test.each([
    ["express", "name"],
    ["what is this?", "invalid"],
    ["http://git.example/owner/repo", "invalid"],
    ["https://user:secret@git.example/owner/repo", "invalid"],
    ["file:///etc/passwd", "invalid"],
    ["", "invalid"],
  ])("%j is a %s", (text, type) => expect(detectReference(text).type).toBe(type));
});

test("of several lines each counts once, and a bare word is nothing to add", () => {
  const text = "https://github.com/a/b\n\n# a comment\nexpress\nnpm:zod\r\nhttps://github.com/a/b.git\n";
  expect(detectAll(text).map(({ canonical }) => canonical)).toEqual(["https://github.com/a/b", "npm:zod"]);
});
