import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinAttachedText, splitAttachedText } from "../../../server/protocol/attached-text.ts";
import {
  countFiles,
  countLines,
  describeSkipped,
  leftOutFolders,
  formatScope,
  type SearchReply,
} from "../../../server/protocol/search.ts";
import { parseTyped } from "../../../server/protocol/typed-reference.ts";

const nothing: SearchReply = { results: [], searchedFiles: 1, skipped: [] };
const nameOf = ({ resource, path }: { resource: string; path: string }) => `${resource}/${path}`;
const skipped = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ resource: "r", path: `${index}.ts`, reason: "too large" }));
const found: SearchReply = {
  ...nothing,
  results: [{ resource: "r", path: "a", startLine: 1, endLine: 1, score: 1, kind: "code", preview: "", revision: "1" }],
};

describe("what a search did not look into", () => {
  test.each<[string, SearchReply, string | undefined]>([
    ["nothing", nothing, undefined],
    [
      "one file, named where nothing was found",
      { ...nothing, skipped: skipped(1) },
      "not searched: r/0.ts (too large)",
    ],
    [
      "three files are named and the others counted",
      { ...nothing, skipped: skipped(5) },
      "not searched: r/0.ts (too large), r/1.ts (too large), r/2.ts (too large), and 2 more",
    ],
    [
      "files beyond those that are listed",
      { ...nothing, skipped: skipped(1), skippedFiles: 900 },
      "not searched: r/0.ts (too large), and 899 more",
    ],
    ["one file beside results", { ...found, skipped: skipped(1) }, "1 file (too large) was not searched"],
    [
      "installed packages beside results",
      { ...found, skipped: [{ resource: "r", path: "node_modules", reason: leftOutFolders.node_modules }] },
      "installed packages were not searched",
    ],
    [
      "installed packages and a file beside results",
      {
        ...found,
        skipped: [...skipped(1), { resource: "r", path: "node_modules", reason: leftOutFolders.node_modules }],
      },
      "1 file (too large) and installed packages were not searched",
    ],
    ["files beside results", { ...found, skipped: skipped(2) }, "2 files (too large) were not searched"],
    [
      "files beside counts",
      { ...nothing, counts: [{ resource: "r", path: "a", matches: 1 }], skipped: skipped(2) },
      "2 files (too large) were not searched",
    ],
    [
      "a reason with control characters",
      { ...nothing, skipped: [{ resource: "r", path: "a", reason: "bad\u001b[2J" }] },
      "not searched: r/a (bad‹U+001B›[2J)",
    ],
  ])("%s", (_, reply, words) => expect(describeSkipped(reply, nameOf)).toBe(words));
});

test("counts agree with their nouns", () => {
  expect([0, 1, 2].map(countFiles)).toEqual(["0 files", "1 file", "2 files"]);
  expect([0, 1, 2].map(countLines)).toEqual(["0 lines", "1 line", "2 lines"]);
});

test("definitions around a line are listed from the outside", () => {
  const scope = [
    { name: "Retry", startLine: 10, endLine: 240 },
    { name: "next", startLine: 50, endLine: 190 },
  ];
  expect(formatScope(scope)).toBe("Retry (lines 10-240) › next (lines 50-190)");
  expect(formatScope([])).toBe("");
});

test("text that came with a question is found again", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (question, attached) => {
      expect(splitAttachedText(joinAttachedText(question, attached))).toEqual({ question, attached });
    }),
  );
  expect(splitAttachedText("only a question")).toEqual({ question: "only a question", attached: "" });
});

describe("a reference that a person typed, pasted or dropped", () => {
  const url = { type: "git", url: "https://github.com/a/b" };
  test.each([
    ["<https://github.com/a/b>", url],
    ["'https://github.com/a/b.git'", url],
    ["[b](https://github.com/a/b)", url],
    ['![b](https://github.com/a/b "title")', url],
    ["git clone https://github.com/a/b.git", url],
    ["git clone --depth 1 https://github.com/a/b.git dir", url],
    ["git clone git@github.com:a/b.git", url],
    ["git@github.com:a/b.git", url],
    ["ssh://git@github.com/a/b.git", url],
    ["github.com/a/b", url],
    ["npm install zod", { type: "npm", package: "zod" }],
    ["npm i -D zod@3", { type: "npm", package: "zod", version: "3" }],
    ["pnpm add @scope/name", { type: "npm", package: "@scope/name" }],
    ["yarn add zod", { type: "npm", package: "zod" }],
    ["bun add zod", { type: "npm", package: "zod" }],
    ["gem install rack -v 3.1.0", { type: "gem", package: "rack" }],
    ["bundle add rack", { type: "gem", package: "rack" }],
    ["composer require --dev 'phpunit/phpunit:^11'", { type: "composer", package: "phpunit/phpunit" }],
    ["composer global require phpunit/phpunit", { type: "composer", package: "phpunit/phpunit" }],
    ["dotnet add App.csproj package Serilog", { type: "nuget", package: "Serilog" }],
    ["Install-Package Serilog", { type: "nuget", package: "Serilog" }],
    ["zod@^3.1", { type: "npm", package: "zod", version: "^3.1" }],
    ["next@canary", { type: "npm", package: "next", version: "canary" }],
    ["`npm:zod`", { type: "npm", package: "zod" }],
    ['"/srv/my code"', { type: "local", path: "/srv/my code" }],
    ["zod", { type: "name", name: "zod" }],
    ["http://github.com/a/b", { type: "invalid", reason: "a git URL must use https" }],
  ])("%s", (text, expected) => expect(parseTyped(text)).toMatchObject(expected));

  test("an e-mail address is no package at a version", () => {
    expect(parseTyped("ann@example.org").type).not.toBe("npm");
  });
});
