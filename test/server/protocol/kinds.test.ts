import { describe, expect, test } from "vitest";
import { plainWords } from "../../../server/protocol/kinds/kind.ts";
import { git } from "../../../server/protocol/kinds/git.ts";
import { kindOf, kinds, mapPath, pathOf, referenceForms, sourceOf } from "../../../server/protocol/kinds/kinds.ts";
import { local } from "../../../server/protocol/kinds/local.ts";
import { packageKinds } from "../../../server/protocol/kinds/packages.ts";
import { versionOfRevision } from "../../../server/protocol/kinds/package.ts";

const { npm } = packageKinds;
const commit = "0123456789abcdef0123456789abcdef01234567";
const words = { ...plainWords, shortPath: (path: string) => path.replace("/home/ann", "~") };
const stored = { revision: null, fetchedAt: null };

const repository = {
  type: "git",
  name: "express",
  url: "https://github.com/expressjs/express",
  branch: "5.x",
} as const;
const pkg = { type: "npm", name: "zod", package: "zod" } as const;
const folder = { type: "local", name: "app", path: "/home/ann/app" } as const;

describe("every kind", () => {
  test.each(Object.values(kinds))("$noun has words for lists, prompts and its absence", (kind) => {
    const { prompt, placeholder } = kind.prompt(plainWords);
    const { words, advice } = kind.absent(plainWords);
    for (const text of [kind.label(plainWords), kind.summary(plainWords), prompt, placeholder, words, advice])
      expect(text).toMatch(/\S/);
  });

  test("is named in the list of forms", () => {
    expect(referenceForms).toBe(
      "an HTTPS git URL, a path, npm:<package>, pypi:<package>, cargo:<package>, maven:<package>, go:<package>, gem:<package>, composer:<package> or nuget:<package>",
    );
  });

  test.each([
    [repository, repository.url],
    [pkg, "zod"],
    [folder, folder.path],
  ])("of %j the source is %s", (listing, source) => expect(sourceOf(listing)).toBe(source));

  test("only a folder has a path on this computer", () => {
    expect([repository, pkg, folder].map(pathOf)).toEqual([undefined, undefined, folder.path]);
    expect([repository, pkg, folder].map((spec) => mapPath(spec, (path) => `${path}/x`))).toEqual([
      repository,
      pkg,
      { ...folder, path: "/home/ann/app/x" },
    ]);
  });
});

describe("a reference becomes the spec of a resource", () => {
  test.each([
    [
      "https://github.com/a/b",
      { name: "b" },
      { type: "git", name: "b", url: "https://github.com/a/b", branch: "main" },
    ],
    [
      "https://github.com/a/b",
      { name: "b", branch: "next", searchPaths: ["src", "docs"] },
      { type: "git", name: "b", url: "https://github.com/a/b", branch: "next", searchPaths: ["src", "docs"] },
    ],
    ["npm:zod", { name: "z" }, { type: "npm", name: "z", package: "zod" }],
    ["npm:zod@3", { name: "z" }, { type: "npm", name: "z", package: "zod", version: "3" }],
    ["npm:zod@3", { name: "z", version: "4" }, { type: "npm", name: "z", package: "zod", version: "4" }],
    ["./app", { name: "app", branch: "ignored" }, { type: "local", name: "app", path: "./app" }],
  ])("%s with %j", (text, details, spec) => {
    const kind = Object.values(kinds).findLast((one) => one.read(text) !== undefined) ?? git;
    const reference = kind.readAs(text);
    if (reference.type === "invalid") throw new Error(reference.reason);
    expect(kindOf(reference).toSpec(reference, details)).toEqual(spec);
  });

  test.each([
    ["https://github.com/expressjs/express", "express"],
    ["npm:@scope/name@1", "@scope/name"],
    ["/srv/my project (old)", "my-project-old-"],
    ["/", "resource"],
    ["C:\\code\\app", "app"],
  ])("%s suggests the name %s", (text, name) => {
    const kind = Object.values(kinds).findLast((one) => one.read(text) !== undefined) ?? git;
    const reference = kind.readAs(text);
    if (reference.type === "invalid") throw new Error(reference.reason);
    expect(kindOf(reference).suggestName(reference)).toBe(name);
  });
});

describe("a revision", () => {
  test.each([
    [git.shortRevision(commit), "0123456"],
    [git.shortRevision("main"), "main"],
    [npm.shortRevision("5.3.0+0123456789abcdef"), "5.3.0"],
    [npm.shortRevision("1.0.0+build.7+0123456789abcdef"), "1.0.0+build.7"],
    [versionOfRevision("5.3.0"), "5.3.0"],
    [local.shortRevision("5b1f"), "5b1f"],
  ])("is shown short: %s", (shown, expected) => expect(shown).toBe(expected));

  test.each([
    [git.isPinned?.({ branch: commit }), true],
    [git.isPinned?.({ branch: "main" }), false],
    [git.isPinned?.({}), false],
    [npm.isPinned?.({ version: "5.3.0" }), true],
    [npm.isPinned?.({ version: "^5.3.0" }), false],
    [npm.isPinned?.({ version: "latest" }), false],
  ])("is pinned or not, row %#", (isPinned, expected) => expect(isPinned).toBe(expected));

  test("is pinned in a spec", () => {
    expect(git.pin?.(repository, commit)).toEqual({ ...repository, branch: commit });
    expect(npm.pin?.(pkg, "4.1.0+0123456789abcdef")).toEqual({ ...pkg, version: "4.1.0" });
  });

  test("that can be fetched makes a reference under the same name, and no other does", () => {
    const at = (revision: string) => ({ canonical: "express", revision });
    expect(git.atRevision?.(repository, at(commit))).toEqual({
      type: "git",
      canonical: "express",
      url: repository.url,
      branch: commit,
    });
    expect(git.atRevision?.(repository, at("main"))).toBeUndefined();
    expect(npm.atRevision?.(pkg, at("4.1.0+0123456789abcdef"))).toMatchObject({ package: "zod", version: "4.1.0" });
    expect(npm.atRevision?.({ ...pkg, version: "4.1.0" }, at("4.1.0+0123456789abcdef"))).toBeUndefined();
    expect(local.atRevision).toBeUndefined();
  });

  test.each([
    ["npm:hono@4.9.1+0123456789abcdef", { name: "npm:hono", revision: "4.9.1+0123456789abcdef" }],
    ["npm:@s/n@1.0.0+abcdef", { name: "npm:@s/n", revision: "1.0.0+abcdef" }],
    ["npm:hono@4.9.1", undefined],
    ["hono", undefined],
  ])("is read from the name %s", (name, expected) => expect(npm.readRevision?.(name)).toEqual(expected));
});

describe("in a list", () => {
  test.each([
    ["a repository with its branch", git.origin(repository), "https://github.com/expressjs/express#5.x"],
    ["a repository without a branch", git.origin({ url: "https://h/a/b" }), "https://h/a/b#main"],
    [
      "a part of a repository",
      git.origin({ ...repository, searchPath: "lib", searchPaths: ["docs"] }),
      "https://github.com/expressjs/express#5.x (lib, docs)",
    ],
    ["a package", npm.origin({ package: "zod" }), "zod"],
    ["a package at a version", npm.origin({ package: "zod", version: "3" }), "zod@3"],
    ["a folder", local.origin(folder), "/home/ann/app"],
  ])("%s has its origin", (_, shown, expected) => expect(shown).toBe(expected));

  test.each([
    ["a branch that is not fetched", git.current({ ...repository, ...stored }, words), "5.x"],
    ["a fetched branch", git.current({ ...repository, ...stored, revision: commit }, words), "5.x@0123456"],
    ["a pinned commit", git.current({ branch: commit, ...stored }, words), "pinned to 0123456"],
    ["a package that is not fetched", npm.current({ version: "^4", ...stored }, words), "^4"],
    ["an installed package", npm.current({ ...stored, revision: "4.1.0+abcdef" }, words), "4.1.0 · installed"],
    [
      "a fetched package",
      npm.current({ revision: "4.1.0+abcdef", fetchedAt: "2026-01-01T00:00:00.000Z" }, words),
      "4.1.0",
    ],
    [
      "a package other than the installed one",
      npm.current({ ...stored, revision: "4.1.0+abcdef", installedVersion: "3.2.1" }, words),
      "4.1.0, not the installed 3.2.1",
    ],
    ["a folder", local.current({ ...folder, ...stored }, words), "~/app"],
  ])("%s has its current revision", (_, shown, expected) => expect(shown).toBe(expected));

  test("the facts are labelled, and those that are missing are left out", () => {
    expect(git.facts({ ...repository, searchPaths: ["lib"] }, plainWords)).toEqual([
      "Repository: https://github.com/expressjs/express",
      "Branch: 5.x",
      "Only below: lib",
    ]);
    expect(npm.facts(pkg, plainWords)).toEqual(["Package: zod"]);
    expect(npm.facts({ ...pkg, version: "4" }, plainWords)).toEqual(["Package: zod", "Version: 4"]);
    expect(local.facts(folder, plainWords)).toEqual(["Folder: /home/ann/app"]);
  });
});
