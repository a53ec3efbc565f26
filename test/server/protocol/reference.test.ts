import { describe, expect, test } from "vitest";
import { normalizeGitUrl } from "../../../server/protocol/kinds/git-url.ts";
import { parseReference, suggestName } from "../../../server/protocol/reference.ts";

describe("parseReference", () => {
  const check = (text: string, expected: object) => test(text, () => expect(parseReference(text)).toEqual(expected));

  check("express", { type: "name", name: "express" });
  check("@scope/pkg", { type: "name", name: "@scope/pkg" });
  check("npm:zod", { type: "npm", canonical: "npm:zod", package: "zod" });
  check("npm:zod@4.0.0", { type: "npm", canonical: "npm:zod@4.0.0", package: "zod", version: "4.0.0" });
  check("npm:@tanstack/query-core", {
    type: "npm",
    canonical: "npm:@tanstack/query-core",
    package: "@tanstack/query-core",
  });
  check("npm:@tanstack/query-core@^5.1", {
    type: "npm",
    canonical: "npm:@tanstack/query-core@^5.1",
    package: "@tanstack/query-core",
    version: "^5.1",
  });
  check("https://www.npmjs.com/package/zod", { type: "npm", canonical: "npm:zod", package: "zod" });
  check("https://npmjs.com/package/@scope/pkg/v/1.2.3", {
    type: "npm",
    canonical: "npm:@scope/pkg@1.2.3",
    package: "@scope/pkg",
    version: "1.2.3",
  });
  check("https://github.com/expressjs/express.git", {
    type: "git",
    canonical: "https://github.com/expressjs/express",
    url: "https://github.com/expressjs/express",
  });
  check("./src", { type: "local", canonical: "./src", path: "./src" });
  check("..", { type: "local", canonical: "..", path: ".." });
  check("~/code", { type: "local", canonical: "~/code", path: "~/code" });
  check("/srv/code", { type: "local", canonical: "/srv/code", path: "/srv/code" });
  check("C:\\code\\app", { type: "local", canonical: "C:\\code\\app", path: "C:\\code\\app" });

  const refuse = (text: string, reason: string) => check(text, { type: "invalid", text, reason });
  refuse("http://github.com/a/b", "a git URL must use https");
  refuse("file:///etc/passwd", "a git URL must use https");
  refuse("ssh://git@github.com/a/b", "a git URL must use https");
  refuse("git@github.com:a/b.git", "a git URL must use https");
  refuse("https://user:secret@github.com/a/b", "a git URL must not contain credentials");
  refuse("https://github.com/", "a git URL needs the repository's path");
  refuse("https://github.com/a/b/tree/%zz", "not a URL");
  refuse("https://www.npmjs.com/package/%zz", "not a URL");
  refuse("npm:", "a package reference needs a name, as in npm:zod");
  refuse("npm:zod@", "nothing follows the '@' of the package reference");
  refuse(
    "what is this",
    "not a resource name, an HTTPS git URL, a path, npm:<package>, pypi:<package>, cargo:<package>, maven:<package>, go:<package>, gem:<package>, composer:<package> or nuget:<package>",
  );
});

describe("normalizeGitUrl takes a repository host's page to its repository", () => {
  const check = (text: string, expected: object) => test(text, () => expect(normalizeGitUrl(text)).toEqual(expected));

  check("https://github.com/a/b/tree/dev/docs/guide", {
    url: "https://github.com/a/b",
    branch: "dev",
    searchPath: "docs/guide",
  });
  check("https://github.com/a/b/blob/main/src/a%20b.ts#L10", {
    url: "https://github.com/a/b",
    branch: "main",
    searchPath: "src/a b.ts",
  });
  check("https://www.github.com/a/b/issues/12?q=x", { url: "https://github.com/a/b" });
  check("https://github.com/a/b/", { url: "https://github.com/a/b" });
  check("https://gitlab.com/group/sub/project/-/tree/main/lib", {
    url: "https://gitlab.com/group/sub/project",
    branch: "main",
    searchPath: "lib",
  });
  check("https://gitlab.com/group/sub/project.git", { url: "https://gitlab.com/group/sub/project" });
  check("https://bitbucket.org/team/repo/src/main/lib", {
    url: "https://bitbucket.org/team/repo",
    branch: "main",
    searchPath: "lib",
  });
  check("https://codeberg.org/a/b/src/branch/main/x.c", {
    url: "https://codeberg.org/a/b",
    branch: "main",
    searchPath: "x.c",
  });
  check("https://git.example.org:8443/team/repo.git/", { url: "https://git.example.org:8443/team/repo.git" });
  check("https://www.example.org/team/repo?x=1#y", { url: "https://www.example.org/team/repo" });
});

describe("suggestName", () => {
  const check = (text: string, expected: string) =>
    test(text, () => {
      const reference = parseReference(text);
      if (reference.type === "name" || reference.type === "invalid") throw new Error(`${text} is ${reference.type}`);
      expect(suggestName(reference)).toBe(expected);
    });

  check("https://github.com/sveltejs/svelte.git", "svelte");
  check("npm:@tanstack/query-core", "@tanstack/query-core");
  check("./packages/my core!", "my-core-");
  check("..", "resource");
  check("/srv/.hidden", "hidden");
});
