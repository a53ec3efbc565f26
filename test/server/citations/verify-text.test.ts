import { describe, expect, test } from "vitest";
import type { CitedResources } from "../../../server/citations/cited-resources.ts";
import { verifyText } from "../../../server/citations/verify-text.ts";
import { permalinkOf } from "../../../server/resources/git/permalink.ts";
import type { Snapshot } from "../../../server/resources/snapshot.ts";
import { fixture } from "../../support/fixture.ts";

const commit = "3f2c1a9d8b7e6f5041322314a5b6c7d8e9f00112";
const older = "0a1b2c3d4e5f60718293a4b5c6d7e8f900112233";
const repository = "https://github.com/owner/demo";

function snapshotAt(revision: string, files: string): Snapshot {
  const base = fixture(files, { resource: "demo", revision });
  return { ...base, permalink: (path, lines) => permalinkOf(repository, revision, path, lines) };
}
const demo = snapshotAt(commit, "//- src/a.ts\nexport const a = 1;\nexport const b = 2;\n");
const before = snapshotAt(older, "//- src/a.ts\n1\n2\n3\n4\n");
const folder: Snapshot = {
  ...fixture("//- src/own.ts\nown\n//- src/a.ts\nother\n", { resource: "own", revision: "abc" }),
};
const local: Snapshot = { ...folder, info: { ...folder.info, directory: "/work/own" } };

/** The resources by name, at `older` too; what the text is about is `about`, its own project the first. */
function citedAmong(about: readonly Snapshot[], { own }: { own?: Snapshot } = {}): CitedResources {
  const open = (snapshot: Snapshot) => ({ type: "snapshot", snapshot }) as const;
  const atRevision = (snapshot: Snapshot, revision: string | undefined) =>
    open(snapshot === demo && revision === older ? before : snapshot);
  return {
    areNamed: false,
    folder: undefined,
    own: async () => (own === undefined ? undefined : open(own)),
    others: async () => about.filter((snapshot) => snapshot !== own).map(open),
    async named(name, { revision }) {
      const found = [demo, local].find(({ resource }) => resource === name);
      return found && atRevision(found, revision);
    },
    async repository(url, { revision }) {
      if (url === repository) return atRevision(demo, revision);
      return url.endsWith("/closed") ? { type: "failed", resource: url, reason: "offline", isGone: false } : undefined;
    },
    async onDisk(file) {
      return file === "/work/own/src/own.ts" ? { type: "file", snapshot: local, path: "src/own.ts" } : undefined;
    },
  };
}

async function verdicts(text: string, cited = citedAmong([demo, local])): Promise<string[]> {
  const { signal } = new AbortController();
  const citations = await verifyText(text, { cited, signal });
  return citations.map(({ resource, path, startLine, endLine, state, reason }) => {
    return `${resource}:${path}:${startLine}-${endLine} ${state}${reason === undefined ? "" : ` (${reason})`}`;
  });
}

const check = (text: string, expected: readonly string[]) =>
  test(text, async () => expect(await verdicts(text)).toEqual(expected));

describe("a path", () => {
  check("src/own.ts:1", ["own:src/own.ts:1-1 verified"]);
  check("demo:src/a.ts:2", ["demo:src/a.ts:2-2 verified"]);
  check("src/a.ts:2", [
    ":src/a.ts:2-2 ambiguous (demo, own have this file; write the resource before it, as in demo:src/a.ts)",
  ]);
  check("a.ts:1", [":a.ts:1-1 missing (no such file in demo, own)"]);
  check("hono:src/own.ts:1", ["hono:src/own.ts:1-1 missing (no resource named “hono”)"]);
  check("own:src/a.ts:2", ["own:src/a.ts:2-2 out-of-range (the file has 1 line)"]);
  check("demo:src/own.ts:1", ["demo:src/own.ts:1-1 missing (no such file)"]);
  check("at:src/own.ts:1", ["own:src/own.ts:1-1 verified"]);
  check("src/none.ts:1", [":src/none.ts:1-1 missing (no such file in demo, own)"]);
  check("10:30 and example.org:80", []);
});

describe("a permanent link", () => {
  check(`${repository}/blob/${commit}/src/a.ts#L1-L2`, ["demo:src/a.ts:1-2 verified"]);
  check(`${repository}/blob/${commit.slice(0, 8)}/src/a.ts#L3`, [
    "demo:src/a.ts:3-3 out-of-range (the file has 2 lines)",
  ]);
  check(`${repository}/blob/main/src/a.ts#L1`, ["demo:src/a.ts:1-1 verified"]);
  check(`${repository}/blob/${older}/src/a.ts#L4`, ["demo:src/a.ts:4-4 verified"]);
  check(`https://github.com/other/repo/blob/${commit}/src/a.ts#L1`, [
    "https://github.com/other/repo:src/a.ts:1-1 missing (no such resource)",
  ]);
  check(`https://github.com/other/closed/blob/${commit}/src/a.ts#L1`, [
    "https://github.com/other/closed:src/a.ts:1-1 not-read (not checked: https://github.com/other/closed could not be opened: offline)",
  ]);
});

test("a commit that cannot be had is another one than was read", async () => {
  const gone = "f".repeat(40);
  const [verdict] = await verdicts(`${repository}/blob/${gone}/src/a.ts#L1`);
  expect(verdict).toMatch(/^demo:src\/a\.ts:1-1 mismatch \(revision f+ is cited/);
});

describe("a link", () => {
  check("[a](file:///work/own/src/own.ts#L1)", ["own:src/own.ts:1-1 verified"]);
  check("[a](file:///etc/passwd#L1)", [":/etc/passwd:1-1 missing (no such file)"]);
  check(`[a](citewell:/demo/src/a.ts?revision=${commit}#L1)`, ["demo:src/a.ts:1-1 verified"]);
  check("[a](citewell:/demo/src/a.ts?revision=9999999#L1)", [
    `demo:src/a.ts:1-1 mismatch (revision 9999999 is cited, but ${commit} was read)`,
  ]);
});

describe("a path in the document's own project", () => {
  const within = (text: string) => verdicts(text, citedAmong([local, demo], { own: local }));

  test("means that project, though another resource has it, too", async () => {
    expect(await within("src/a.ts:1")).toEqual(["own:src/a.ts:1-1 verified"]);
    expect(await within("[[src/a.ts#L1]]")).toEqual(["own:src/a.ts:1-1 verified"]);
  });

  test("is out of range there, though another resource has the line", async () => {
    expect(await within("src/a.ts:2")).toEqual(["own:src/a.ts:2-2 out-of-range (the file has 1 line)"]);
  });
});

describe("a marker", () => {
  check("[[demo:src/a.ts#L1-L2]]", ["demo:src/a.ts:1-2 verified"]);
  check('[[demo:src/a.ts#L1 "const b"]]', ["demo:src/a.ts:2-2 relocated (the quoted text is in line 2, not 1)"]);
  check('[[demo:src/a.ts#L1 "const c"]]', ["demo:src/a.ts:1-1 mismatch (the quoted text is not in the file)"]);
});

describe("a marker that is not quite one is counted", () => {
  check("[[demo:src/a.ts]]", ["demo:src/a.ts:0-0 out-of-range (it names no lines; they are counted from 1)"]);
  check("[[demo:src/b.ts]]", ["demo:src/b.ts:0-0 missing (no such file)"]);
  check("[[demo:src/a.ts, lines 1-2]]", ["demo:src/a.ts:1-2 verified"]);
  check("[[#L1-L2]]", ["::1-2 missing (it names no file, and there is no citation before it)"]);
  check('[[demo:src/a.ts#L1 "="]]', ['demo:src/a.ts:1-1 verified (the quote "=" is too short to check)']);
  check('[[demo:src/a.ts#L1 "const a … const b"]]', [
    "demo:src/a.ts:1-1 mismatch (the quote joins text from different places)",
  ]);
  check("[[Page]], [[notes.md]], [[1:3]] and [[nodiscard]]", []);
});

describe("a short marker means the file of the citation before it", () => {
  check("[[demo:src/a.ts#L1]] [[#L2]]", ["demo:src/a.ts:1-1 verified", "demo:src/a.ts:2-2 verified"]);
  check("own:src/own.ts:1\n\n[[#L1]]", ["own:src/own.ts:1-1 verified", "own:src/own.ts:1-1 verified"]);
  check("[[demo:src/b.ts#L1]] [[#L1]]", [
    "demo:src/b.ts:1-1 missing (no such file)",
    "demo:src/b.ts:1-1 missing (no such file)",
  ]);
});

test("the end of a path that one file of a resource has is not proved, and the reason has the whole path", async () => {
  const corrected = ["own:src/own.ts:1-1 mismatch (the path is src/own.ts, not own.ts)"];
  expect(await verdicts("[[own:own.ts#L1]]")).toEqual(corrected);
  expect(await verdicts("own:own.ts:1")).toEqual(corrected);
  expect(await verdicts("own.ts:1", citedAmong([local], { own: local }))).toEqual([
    ":own.ts:1-1 missing (no such file in own)",
  ]);
});

test("a text without citations has none, and an empty one too", async () => {
  expect(await verdicts("Nothing to see.")).toEqual([]);
  expect(await verdicts("")).toEqual([]);
});
