import { describe, expect, test } from "vitest";
import { type CitedFile, fromUriParts, toUriParts } from "../../../extension/features/citations/uris.ts";

/** What the editor makes of a URI that is written down and read again: its parts are decoded. */
function throughText({ path, query }: { path: string; query: string }) {
  const url = `citewell:${encodeURI(path).replaceAll("#", "%23").replaceAll("?", "%3F")}?${encodeURIComponent(query)}`;
  const [, encodedPath = "", encodedQuery = ""] = /^citewell:([^?]*)\?(.*)$/.exec(url) ?? [];
  return { path: decodeURIComponent(encodedPath), query: decodeURIComponent(encodedQuery) };
}

describe("a file survives its URI, written down and read", () => {
  const check = (file: CitedFile) =>
    test(JSON.stringify(file), () => {
      const parts = toUriParts(file);
      expect(parts.path.split("/")).toHaveLength(2 + file.path.split("/").length);
      expect(fromUriParts(throughText(parts))).toEqual(file);
    });

  check({ resource: "express", path: "lib/application.js", revision: "4.21.2+sha512-a/b+c==" });
  check({ resource: "@tanstack/query-core", path: "src/a b#c?.ts", revision: "0123abc" });
  check({ resource: "@team", path: "src/a.ts" });
  check({ resource: "go:example.org/owner/repository/v2@v2.0.1", path: "cmd/main.go", revision: "v2.0.1" });
  check({ resource: "team/lib", path: "100%.md", revision: "r" });
  check({ resource: "npm:@types/node@20.1.0", path: "index.d.ts", revision: "r&s=t" });
  check({ resource: "https://github.com/expressjs/express", path: "lib/express.js", revision: "f".repeat(40) });
  check({ resource: "/home/me/50%/a\u2215b", path: "src/a.ts", revision: "r" });
  check({ resource: "https://github.com/expressjs/express", path: "", revision: "f".repeat(40) });
  check({ resource: "C:\\code\\lib", path: "src/ä.ts", revision: "r" });
});

describe("a link of an answer is understood as the editor decodes it", () => {
  const check = (path: string, expected: CitedFile) =>
    test(path, () => expect(fromUriParts({ path, query: "revision=1.0.0+sha512-ab" })).toEqual(expected));
  const revision = "1.0.0+sha512-ab";

  check("/npm:zod/src/a.ts", { resource: "npm:zod", path: "src/a.ts", revision });
  check("/npm:@types/node/index.d.ts", { resource: "npm:@types/node", path: "index.d.ts", revision });
  check("/@types/node/index.d.ts", { resource: "@types/node", path: "index.d.ts", revision });
  check("/https://github.com/a/b/src/a.ts", { resource: "https://github.com/a/b", path: "src/a.ts", revision });
});

test("a commit is a document whose name says which", () => {
  const revision = "0123abc".padEnd(40, "0");
  expect(toUriParts({ resource: "lib", path: "", revision }).path).toBe("/lib/0123abc.commit");
  expect(fromUriParts({ path: "/lib", query: `revision=${revision}` })).toEqual({
    resource: "lib",
    path: "",
    revision,
  });
  // A file of that name at another revision is a file, and a folder is no commit.
  const other = { resource: "lib", path: "0123abc.commit", revision: "f".repeat(40) };
  expect(fromUriParts(toUriParts(other))).toEqual(other);
  expect(toUriParts({ resource: "lib", path: "", revision: "4.0.0" }).path).toBe("/lib/");
});

test("what names no resource is no file", () => {
  expect(fromUriParts({ path: "/", query: "" })).toBeUndefined();
  expect(fromUriParts({ path: "", query: "revision=r" })).toBeUndefined();
});
