import { describe, expect, test } from "vitest";
import { findCitations } from "../../../server/citations/find.ts";

/** What is found: its text, kind, what it names, and its lines. */
function check(text: string, expected: readonly string[]): void {
  test(JSON.stringify(text), () => {
    const found = findCitations(text).map(({ text: written, claim }) => {
      if (claim.type === "marker") return `${written} = marker ${claim.body}`;
      const named = claim.type === "path" ? `${claim.target}${claim.isCertain ? "" : " ?"}` : claim.path;
      const of = "url" in claim ? ` ${claim.url}@${claim.revision}` : "";
      const at = claim.type === "citewell" ? ` ${claim.resource}@${claim.revision}` : "";
      return `${written} = ${claim.type}${of}${at} ${named} ${claim.startLine}-${claim.endLine}`;
    });
    expect(found).toEqual(expected);
  });
}

const commit = "3f2c1a9d8b7e6f5041322314a5b6c7d8e9f00112";

describe("paths with lines", () => {
  check("see src/a.ts:10-20.", ["src/a.ts:10-20 = path src/a.ts 10-20"]);
  check("`src/a.ts:7`", ["src/a.ts:7 = path src/a.ts 7-7"]);
  check("(src/a.ts:7:12)", ["src/a.ts:7:12 = path src/a.ts 7-7"]);
  check("src/a.ts#L10-L20, src/a.ts#L3", ["src/a.ts#L10-L20 = path src/a.ts 10-20", "src/a.ts#L3 = path src/a.ts 3-3"]);
  check("src/a.ts#L10C2-L20C8", ["src/a.ts#L10C2-L20C8 = path src/a.ts 10-20"]);
  check("a.ts:1–2", ["a.ts:1–2 = path a.ts 1-2"]);
  check("./src/a.ts:1 and ../b/c.py:2", ["./src/a.ts:1 = path ./src/a.ts 1-1", "../b/c.py:2 = path ../b/c.py 2-2"]);
  check("app/(group)/[slug]/page.tsx:3", ["app/(group)/[slug]/page.tsx:3 = path app/(group)/[slug]/page.tsx 3-3"]);
  check("demo:src/a.ts:1", ["demo:src/a.ts:1 = path demo:src/a.ts 1-1"]);
  check("npm:@scope/kit:src/a.ts:1", ["npm:@scope/kit:src/a.ts:1 = path npm:@scope/kit:src/a.ts 1-1"]);
  check("npm:some/where/else:src/a.ts:1", ["npm:some/where/else:src/a.ts:1 = path npm:some/where/else:src/a.ts 1-1"]);
  check("a:b:c:src/a.ts:1", ["a:b:c:src/a.ts:1 = path a:b:c:src/a.ts 1-1"]);
  check("Makefile:4", ["Makefile:4 = path Makefile 4-4"]);
  check("größe/naïve.ts:1", ["größe/naïve.ts:1 = path größe/naïve.ts 1-1"]);
});

describe("what only might be one is marked", () => {
  check("at 10:30", ["10:30 = path 10 ? 30-30"]);
  check("example.org:80", ["example.org:80 = path example.org ? 80-80"]);
  check("docs/readme:3", ["docs/readme:3 = path docs/readme ? 3-3"]);
});

describe("links", () => {
  check("[src/a.ts:1-4](src/a.ts#L1-L4)", ["[src/a.ts:1-4](src/a.ts#L1-L4) = path src/a.ts 1-4"]);
  check("[a](../../src/a.ts#L2)", ["[a](../../src/a.ts#L2) = path ../../src/a.ts 2-2"]);
  check("[src/a.ts:1](https://example.org/x)", ["src/a.ts:1 = path src/a.ts 1-1"]);
  check("[a](file:///work/a.ts#L1-L2)", ["[a](file:///work/a.ts#L1-L2) = file /work/a.ts 1-2"]);
  check(`[a](citewell:/npm%3Azod/src/a%20b.ts?revision=4.0.0%2Baa#L1-L2)`, [
    "[a](citewell:/npm%3Azod/src/a%20b.ts?revision=4.0.0%2Baa#L1-L2) = citewell npm:zod@4.0.0+aa src/a b.ts 1-2",
  ]);
  check("[a](src/a.ts) https://example.org/a.ts:10", []);
});

describe("permanent links", () => {
  const found = (url: string, repository: string, revision = commit, lines = "1-4") =>
    check(url, [`${url} = permalink ${repository}@${revision} src/a.ts ${lines}`]);
  found(`https://github.com/o/r/blob/${commit}/src/a.ts#L1-L4`, "https://github.com/o/r");
  found(`https://github.com/o/r/blob/${commit}/src/a.ts?plain=1#L1-L4`, "https://github.com/o/r");
  found(`https://github.com/o/r/blob/main/src/a.ts#L7`, "https://github.com/o/r", "main", "7-7");
  found(`https://gitlab.com/g/s/r/-/blob/${commit}/src/a.ts#L1-4`, "https://gitlab.com/g/s/r");
  found(`https://bitbucket.org/o/r/src/${commit}/src/a.ts#lines-1:4`, "https://bitbucket.org/o/r");
  found(`https://codeberg.org/o/r/src/commit/${commit}/src/a.ts#L1-L4`, "https://codeberg.org/o/r");
  check(`<https://github.com/o/r/blob/${commit}/src/a.ts#L1>.`, [
    `https://github.com/o/r/blob/${commit}/src/a.ts#L1 = permalink https://github.com/o/r@${commit} src/a.ts 1-1`,
  ]);
  check(`https://github.com/o/r/blob/${commit}/src/a.ts`, []);
  check("https://github.com/o/r/issues/3#L1", []);
});

describe("markers", () => {
  check("[[demo:src/a.ts#L1-L2]]", ["[[demo:src/a.ts#L1-L2]] = marker demo:src/a.ts#L1-L2"]);
  check('[[src/a.ts#L1 "a[0] = 1"]].', ['[[src/a.ts#L1 "a[0] = 1"]] = marker src/a.ts#L1 "a[0] = 1"']);
});

describe("fenced code", () => {
  check("```\n  at src/a.ts:10:5\n```\nsrc/b.ts:1", ["src/b.ts:1 = path src/b.ts 1-1"]);
  check("```10:20:src/a.ts\ncode\n```", ["```10:20:src/a.ts = path src/a.ts 10-20"]);
  check(`\`\`\`\nhttps://github.com/o/r/blob/${commit}/a.ts#L1\n\`\`\``, [
    `https://github.com/o/r/blob/${commit}/a.ts#L1 = permalink https://github.com/o/r@${commit} a.ts 1-1`,
  ]);
});

test("a line of a million characters is read in no time to speak of", () => {
  for (const piece of ["a/", "[", "a.", "[[a", "](", "x:", "a:1-"]) {
    expect(findCitations(piece.repeat(20_000)).length).toBeGreaterThanOrEqual(0);
  }
});

test("reports the line in the text", () => {
  expect(findCitations("\r\n\na.ts:1\n").map(({ line }) => line)).toEqual([3]);
});
