import { describe, expect, test } from "vitest";
import { locateClaims, withLines } from "../../../extension/features/citations/claims.ts";
import type { VerifiedCitation } from "../../../server/protocol/verify.ts";

test("citations that are written alike on one line are found one after the other", () => {
  const lines = ["see `a.ts:1`, again a.ts:1", "other b.ts:2"];
  const at = (line: number, text: string): VerifiedCitation => ({
    id: "c1",
    resource: "demo",
    path: "a.ts",
    startLine: 1,
    endLine: 1,
    state: "missing",
    revision: "r",
    at: { line, text },
  });
  const claims = locateClaims([at(1, "a.ts:1"), at(1, "a.ts:1"), at(2, "b.ts:2"), at(2, "elsewhere")], (line) => {
    return lines[line - 1] ?? "";
  });
  expect(claims.map(({ columns }) => columns)).toEqual([
    { start: 5, end: 11 },
    { start: 20, end: 26 },
    { start: 6, end: 12 },
    { start: 0, end: 12 },
  ]);
});

describe("other lines in a citation, in the form that it is written in", () => {
  const check = (written: string, claimed: [number, number], now: [number, number], expected: string | undefined) =>
    test(`${written} at ${now.join("-")}`, () => {
      const range = ([startLine, endLine]: [number, number]) => ({ startLine, endLine });
      expect(withLines(written, range(claimed), range(now))).toBe(expected);
    });

  check('[[demo:a.ts#L10-L20 "x"]]', [10, 20], [30, 41], '[[demo:a.ts#L30-L41 "x"]]');
  check('[[demo:a10.ts#L10 "10"]]', [10, 10], [12, 12], '[[demo:a10.ts#L12 "10"]]');
  check('[[demo:a.ts#L10 "x"]]', [10, 10], [12, 13], '[[demo:a.ts#L12-L13 "x"]]');
  check('[[demo:a.ts#L10-L10 "x"]]', [10, 10], [12, 13], '[[demo:a.ts#L12-L13 "x"]]');
  check('[[demo:a.ts#L10-L20 "x"]]', [10, 20], [7, 7], '[[demo:a.ts#L7 "x"]]');
  check("`a.ts:10-20`", [10, 20], [1, 2], "`a.ts:1-2`");
  check("`a.ts:10–20`", [10, 20], [1, 2], "`a.ts:1–2`");
  check("`a.ts:100-200`", [10, 20], [1, 2], undefined);
});
