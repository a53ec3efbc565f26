import { expect, test } from "vitest";
import { sourcesOf } from "../../../client/answer/sources.ts";
import type { Citation } from "../../../server/protocol/citation.ts";

const citation: Citation = {
  id: "c1",
  resource: "demo",
  path: "a.ts",
  startLine: 1,
  endLine: 4,
  state: "verified",
  revision: "1",
};

test("the same lines in the same state are one source, in the order of the text", () => {
  const other = { ...citation, id: "c2", startLine: 2 };
  const unread: Citation = { ...citation, id: "c4", state: "not-read" };
  expect(sourcesOf([citation, other, { ...citation, id: "c3" }, unread])).toEqual([
    { citation, count: 2 },
    { citation: other, count: 1 },
    { citation: unread, count: 1 },
  ]);
});

test("a commit, lines at it, and the same lines now are three", () => {
  const commit = { id: "1a2b3c4" };
  const all = [citation, { ...citation, commit }, { ...citation, commit, path: "", startLine: 0, endLine: 0 }];
  expect(sourcesOf(all).map(({ count }) => count)).toEqual([1, 1, 1]);
});

test("no citations, no sources", () => expect(sourcesOf([])).toEqual([]));
