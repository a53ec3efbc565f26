import { expect, test } from "vitest";
import { plainStyle } from "../../support/plain-style.ts";
import { type CitationListOptions, renderCitations } from "../../../cli/render/citations.ts";
import type { Style } from "../../../cli/render/style.ts";
import type { SnapshotInfo } from "../../../server/protocol/ask.ts";
import type { Citation } from "../../../server/protocol/citation.ts";

const plain = plainStyle;
const wide = { ...plain, width: 120 };

const express: SnapshotInfo = {
  resource: "express",
  type: "npm",
  revision: "5.3.0+3f1c",
  label: "express 5.3.0 (installed in node_modules)",
  fetchedAt: null,
  fileCount: 1,
  skippedCount: 0,
};
const verified: Citation = {
  id: "c1",
  resource: "express",
  path: "lib/router.js",
  startLine: 10,
  endLine: 20,
  state: "verified",
  revision: "5.3.0+3f1c",
};
const every: Citation[] = [
  verified,
  { ...verified, id: "c2", path: "lib/a.js", startLine: 7, endLine: 7, url: "https://git.example/lib/a.js#L7" },
  {
    ...verified,
    id: "c3",
    claimed: { startLine: 1, endLine: 2 },
    state: "relocated",
    reason: "the quoted text is in lines 10-20, not 1-2",
  },
  {
    ...verified,
    id: "c4",
    startLine: 30,
    endLine: 40,
    state: "not-read",
    reason: "lines 30-40 were not shown in this run",
  },
  { ...verified, id: "c5", state: "mismatch", reason: "the quoted text is not in the file" },
  { ...verified, id: "c6", startLine: 90, endLine: 99, state: "out-of-range", reason: "the file has 4 lines" },
  { ...verified, id: "c7", path: "lib/\u001B[2Jb.js", state: "missing", reason: "no such file" },
  { ...verified, id: "c8", resource: "demo", revision: "3f2c1a9d8b7e6f5041322314a5b6c7d8e9f00112" },
];

function locate({ path }: Citation): string {
  return `/work/express/${path}`;
}

function check(citations: readonly Citation[], style: Style, options: Partial<CitationListOptions> = {}): string {
  return `\n${renderCitations(citations, { style, snapshots: [express], ...options }).replaceAll("\u001B", "␛")}`;
}

test("every state has an icon and a word, the bad ones their reason", () => {
  expect(check(every, wide)).toMatchInlineSnapshot(`
    "
    Sources
      ✓ verified              lib/router.js:10-20  (express 5.3.0)
      ✓ verified              lib/a.js:7  (express 5.3.0)  https://git.example/lib/a.js#L7
      ≈ relocated             lib/router.js:10-20  (express 5.3.0)  the quoted text is in lines 10-20, not 1-2
      ? not read in this run  lib/router.js:30-40  (express 5.3.0)  lines 30-40 were not shown in this run
      ✗ mismatch              lib/router.js:10-20  (express 5.3.0)  the quoted text is not in the file
      ✗ out of range          lib/router.js:90-99  (express 5.3.0)  the file has 4 lines
      ✗ missing               lib/‹U+001B›[2Jb.js:10-20  (express 5.3.0)  no such file
      ✓ verified              lib/router.js:10-20  (demo · 3f2c1a9d8b7e)
    8 citations: 3 verified, 1 relocated, 1 not read in this run, 1 mismatch, 1 out of range, 1 missing.
    Verified means that the text is there and was read in this run, not that the claim is true.
    "
  `);
});

test("in ASCII, where the terminal knows no more", () => {
  expect(check(every.slice(0, 4), { ...wide, unicode: false })).toMatchInlineSnapshot(`
    "
    Sources
      + verified              lib/router.js:10-20  (express 5.3.0)
      + verified              lib/a.js:7  (express 5.3.0)  https://git.example/lib/a.js#L7
      ~ relocated             lib/router.js:10-20  (express 5.3.0)  the quoted text is in lines 10-20, not 1-2
      ? not read in this run  lib/router.js:30-40  (express 5.3.0)  lines 30-40 were not shown in this run
    4 citations: 2 verified, 1 relocated, 1 not read in this run.
    Verified means that the text is there and was read in this run, not that the claim is true.
    "
  `);
});

test("with colours and links", () => {
  expect(check(every.slice(0, 5), { ...wide, color: true, links: true })).toMatchInlineSnapshot(`
    "
    ␛[1mSources␛[0m
      ␛[32m✓ verified␛[0m              lib/router.js:10-20  (express 5.3.0)
      ␛[32m✓ verified␛[0m              ␛]8;;https://git.example/lib/a.js#L7␛\\lib/a.js:7␛]8;;␛\\  (express 5.3.0)
      ␛[32m≈ relocated␛[0m             lib/router.js:10-20  (express 5.3.0)  the quoted text is in lines 10-20, not 1-2
      ␛[33m? not read in this run␛[0m  lib/router.js:30-40  (express 5.3.0)  lines 30-40 were not shown in this run
      ␛[31m✗ mismatch␛[0m              lib/router.js:10-20  (express 5.3.0)  the quoted text is not in the file
    5 citations: 2 verified, 1 relocated, 1 not read in this run, 1 mismatch.
    ␛[2mVerified means that the text is there and was read in this run, not that the claim is true.␛[0m
    "
  `);
});

test("a file on this machine is shown by the path that opens it", () => {
  expect(check(every.slice(0, 1), plain, { locate })).toMatchInlineSnapshot(`
    "
    Sources
      ✓ verified  /work/express/lib/router.js:10-20  (express 5.3.0)
    1 citation: 1 verified.
    Verified means that the text is there and was read in this run, not that the
    claim is true.
    "
  `);
  expect(check(every.slice(0, 1), { ...plain, links: true }, { locate })).toMatchInlineSnapshot(`
    "
    Sources
      ✓ verified  ␛]8;;file:///work/express/lib/router.js#L10-L20␛\\/work/express/lib/router.js:10-20␛]8;;␛\\  (express 5.3.0)
    1 citation: 1 verified.
    Verified means that the text is there and was read in this run, not that the
    claim is true.
    "
  `);
});

test("in VS Code's terminal a file opens at its line", () => {
  const output = check(every.slice(0, 1), { ...plain, links: true, inVscode: true }, { locate });
  expect(output).toContain("]8;;vscode://file/work/express/lib/router.js:10␛");
});

test("on a narrow screen, what does not fit is below the path, and no word is broken", () => {
  expect(check(every.slice(0, 3), { ...plain, width: 50 })).toMatchInlineSnapshot(`
    "
    Sources
      ✓ verified   lib/router.js:10-20  (express
                   5.3.0)
      ✓ verified   lib/a.js:7  (express 5.3.0)
                   https://git.example/lib/a.js#L7
      ≈ relocated  lib/router.js:10-20  (express
                   5.3.0)  the quoted text is in lines
                   10-20, not 1-2
    3 citations: 2 verified, 1 relocated.
    Verified means that the text is there and was read
    in this run, not that the claim is true.
    "
  `);
});

test("lines that are cited several times are one source", () => {
  expect(check([verified, { ...verified, id: "c2" }], plain)).toMatchInlineSnapshot(`
    "
    Sources
      ✓ verified  lib/router.js:10-20  (express 5.3.0)  ×2
    2 citations: 2 verified.
    Verified means that the text is there and was read in this run, not that the
    claim is true.
    "
  `);
});

test("an answer without citations says so", () => {
  expect(check([], plain)).toMatchInlineSnapshot(`
    "
    No citations: nothing in this answer was checked against a source.
    "
  `);
});
