import { describe, expect, test } from "vitest";
import { ResourceSpec, toSpec } from "../../../server/protocol/resource.ts";
import { kindOf, type OneOff } from "../../../server/protocol/kinds/kinds.ts";
import { versionOfRevision } from "../../../server/protocol/kinds/package.ts";
import { freeName, pinnedSpec, specOf, withSearchPaths } from "../../../extension/features/resources/spec.ts";
import { commit, fetched, git, local, npm } from "./listing.ts";

const repository: OneOff = { type: "git", canonical: "https://x.example/a/b", url: "https://x.example/a/b" };

describe("a listed resource", () => {
  test("is written with what it has, and nothing else", () => {
    expect(toSpec({ ...git, searchPath: "docs", refresh: "manual", specialNotes: "n" })).toEqual({
      type: "git",
      name: "demo",
      url: "https://git.example/owner/demo",
      branch: "main",
      searchPath: "docs",
      refresh: "manual",
      specialNotes: "n",
    });
    expect(toSpec(npm)).toEqual({ type: "npm", name: "zod", package: "zod" });
    expect(toSpec(local)).toEqual({ type: "local", name: "lib", path: "/work/lib" });
    for (const listing of [git, npm, local]) expect(ResourceSpec.safeParse(toSpec(listing)).success).toBe(true);
  });

  test("gets other search paths in place of both ways to name them", () => {
    const listing = { ...git, searchPath: "a", searchPaths: ["b"] };
    expect(withSearchPaths(listing, ["c"])).toEqual({ ...toSpec(git), searchPaths: ["c"] });
    expect(withSearchPaths(listing, [])).toEqual(toSpec(git));
  });
});

describe("pinning", () => {
  test("keeps the commit, or the version, that is on disk", () => {
    expect(pinnedSpec({ ...git, ...fetched, revision: commit })).toEqual({ ...toSpec(git), branch: commit });
    expect(pinnedSpec({ ...npm, ...fetched, revision: "4.1.0+abc" })).toEqual({ ...toSpec(npm), version: "4.1.0" });
  });

  test("needs a revision", () => {
    expect(pinnedSpec(git)).toBeUndefined();
    expect(pinnedSpec(local)).toBeUndefined();
  });

  test("is seen by a whole commit or version", () => {
    expect(
      [git, { ...git, branch: commit }, npm, { ...npm, version: "^4" }, { ...npm, version: "4.1.0" }].map((listing) =>
        kindOf(listing).isPinned?.(listing),
      ),
    ).toEqual([false, true, false, false, true]);
    expect(versionOfRevision("4.1.0+build+abc")).toBe("4.1.0+build");
  });
});

describe("what is added", () => {
  test("defaults to the branch of the page and the version of the package", () => {
    expect(specOf({ ...repository, branch: "dev" }, { name: "b" })).toMatchObject({ branch: "dev" });
    expect(specOf({ ...repository, branch: "dev" }, { name: "b", branch: "next", searchPaths: ["src"] })).toMatchObject(
      {
        branch: "next",
        searchPaths: ["src"],
      },
    );
    expect(specOf(repository, { name: "b" })).toEqual({ type: "git", name: "b", url: repository.url, branch: "main" });
    const zod: OneOff = { type: "npm", canonical: "npm:zod@4", package: "zod", version: "4" };
    expect(specOf(zod, { name: "zod" })).toEqual({ type: "npm", name: "zod", package: "zod", version: "4" });
  });

  test("gets a name that is free, within the limit", () => {
    expect(freeName(repository, [])).toBe("b");
    expect(freeName(repository, ["b", "b-2"])).toBe("b-3");
    const long: OneOff = { type: "local", canonical: "/x", path: `/${"x".repeat(80)}` };
    expect(freeName(long, ["x".repeat(64)])).toBe(`${"x".repeat(62)}-2`);
  });
});
