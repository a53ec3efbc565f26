import { describe, expect, test } from "vitest";
import type { ResourceListing } from "../../../server/protocol/resource.ts";
import { describeRow, iconOf, spokenRow, tooltipOf } from "../../../extension/features/resources/row-text.ts";
import { commit, fetched, git, l10n, local, now, npm } from "./listing.ts";

const context = { l10n, locale: "en", now, shortPath: (path: string) => path.replace("/work/", "") };

describe("the description after the name", () => {
  function check(listing: ResourceListing, expected: string, progress?: string): void {
    expect(describeRow(listing, { ...context, progress })).toBe(expected);
  }

  test("of an open project: how much is indexed, while that is done in the background", () => {
    check({ ...local, indexed: 0.416 }, "indexing 41 % · lib");
  });

  test("of a repository: branch, commit, age, and its state where it is not ready", () => {
    check(git, "main · not fetched yet");
    check({ ...git, ...fetched, revision: commit }, "main@0123456 · 3 d");
    check({ ...git, ...fetched, state: "stale", revision: commit }, "main@0123456 · 3 d · stale");
    const failure = "the host is away";
    check(
      { ...git, ...fetched, state: "stale", revision: commit, failure },
      "main@0123456 · 3 d · could not be refreshed",
    );
    check({ ...git, state: "failed", failure }, "main · failed");
    check({ ...git, ...fetched, branch: commit, revision: commit }, "pinned to 0123456 · 3 d");
  });

  test("of a package: its version, and whether it is the installed one", () => {
    check(npm, "not fetched yet");
    check({ ...npm, version: "4" }, "4 · not fetched yet");
    check({ ...npm, ...fetched, revision: "4.1.0+abc" }, "4.1.0 · 3 d");
    check({ ...npm, state: "ready", revision: "4.1.0+build+abc" }, "4.1.0+build · installed");
  });

  test("of a folder: where it is", () => {
    check(local, "lib");
    check({ ...local, state: "absent" }, "folder not found · lib");
  });

  test("while it is fetched: how far that is", () => check(git, "main · Receiving, 45%", "Receiving, 45%"));
});

describe("the hover", () => {
  test("lists everything that is known", () => {
    const listing: ResourceListing = {
      ...git,
      ...fetched,
      revision: commit,
      searchPaths: ["docs"],
      specialNotes: "the short one",
    };
    expect(tooltipOf(listing, context).replace(/Jan.*\)/, "DATE")).toMatchInlineSnapshot(`
      "**demo**

      Git repository  
      Repository: https\\:\\/\\/git\\.example\\/owner\\/demo  
      Branch: main  
      Only below: docs  
      Revision: 0123456789abcdef0123456789abcdef01234567  
      Fetched: DATE  
      Size: 1.4 MB  
      Files: 1,200  
      Notes: the short one"
    `);
  });

  test("explains why it failed and what to do", () => {
    const text = tooltipOf({ ...git, state: "failed", failure: "no branch main" }, context);
    expect(text.split("\n\n").slice(2)).toEqual([
      "It could not be fetched:",
      "No branch main\\.",
      "Refresh it to try again, change it in the configuration, or remove it.",
    ]);
  });

  test("shows text of others as text", () => {
    const hostile = "[run](command:citewell.clear) <img src=x> ![](https://evil.example/a.png) **b** \u202Eabc";
    const text = tooltipOf({ ...npm, specialNotes: hostile, failure: hostile, state: "failed" }, context);
    expect(text).not.toMatch(/(?<!\\)[[\]<>!`]|https:\/\/|\u202E/);
  });
});

test("a screen reader hears name, kind, place and state", () => {
  expect(spokenRow({ ...git, ...fetched, revision: commit }, context)).toBe(
    "demo, Git repository, main@0123456, ready",
  );
  expect(spokenRow({ ...local, state: "absent" }, context)).toBe("lib, Local folder, lib, folder not found");
});

test("the icon says the kind, or that something is wrong", () => {
  const icons = [git, npm, local, { ...git, state: "failed" as const }].map((listing) => iconOf(listing, false).id);
  expect(icons).toEqual(["repo", "package", "folder-library", "error"]);
  expect(iconOf(git, true).id).toBe("loading~spin");
});
