import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodePath, formatMarker, formatPassage, parseMarker } from "../../../server/protocol/passage.ts";

function check(body: string) {
  return parseMarker(body);
}

describe("markers", () => {
  test.each([
    ["demo:src/a.ts#L10-L20", { target: "demo:src/a.ts", startLine: 10, endLine: 20 }],
    ["demo:src/a.ts#L7", { target: "demo:src/a.ts", startLine: 7, endLine: 7 }],
    ["src/a.ts#L7", { target: "src/a.ts", startLine: 7, endLine: 7 }],
    ["demo@3f2c1a9:a.ts#L7", { target: "demo@3f2c1a9:a.ts", startLine: 7, endLine: 7 }],
    [" `demo:a b.ts#L1 - 3` ", { target: "demo:a b.ts", startLine: 1, endLine: 3 }],
    ["demo:a.ts#L1C2—L3C4", { target: "demo:a.ts", startLine: 1, endLine: 3 }],
    ['demo:a.ts#L1 "say "hi"\nthere"', { target: "demo:a.ts", startLine: 1, endLine: 1, quote: 'say "hi"\nthere' }],
    ["demo:a.ts#L1 “hi”", { target: "demo:a.ts", startLine: 1, endLine: 1, quote: "hi" }],
    ['demo:a.ts#L1 ""', { target: "demo:a.ts", startLine: 1, endLine: 1 }],
    ["demo:a.ts", undefined],
    ["demo:a.ts#L", undefined],
    ["demo:a.ts#L1 open", undefined],
    ["#L1", { target: "", startLine: 1, endLine: 1 }],
    [" #L1-L3 ", { target: "", startLine: 1, endLine: 3 }],
    ["demo:a.ts#L1234567890123456", undefined],
    ["", undefined],
  ])("%s", (body, expected) => {
    expect(check(body)).toEqual(expected);
  });

  test("of a commit, and of lines at one, has the commit's id", () => {
    const commit = { id: "1a2b3c4" };
    const named = { resource: "demo", path: "", startLine: 0, endLine: 0, commit };
    expect(formatMarker(named)).toBe("[[demo@1a2b3c4]]");
    expect(formatMarker({ ...named, path: "src/a.ts", startLine: 7, endLine: 7 })).toBe("[[demo@1a2b3c4:src/a.ts#L7]]");
  });

  test("a marker is read back for any name of a resource and any path", () => {
    const name = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => text.trim() === text);
    const property = fc.property(name, name, fc.nat(), fc.nat(), (resource, path, startLine, more) => {
      const marker = formatMarker({ resource, path, startLine, endLine: startLine + more });
      const parsed = check(marker.slice(2, -2));
      expect(parsed).toMatchObject({ startLine, endLine: startLine + more });
      expect(decodePath(parsed?.target ?? "")).toBe(`${resource}:${path}`);
    });
    fc.assert(property);
  });
});

test("a passage is its marker and its numbered lines", () => {
  const lines = ["a", "[[demo:b.ts#L1]]"];
  expect(formatPassage({ resource: "demo", path: "a#1.ts", startLine: 9, lines })).toBe(
    "[[demo:a%231.ts#L9-L10]]\n 9|a\n10|[[demo:b.ts#L1]]",
  );
});

test("text that is no valid encoding stays as it is", () => {
  expect(decodePath("100%/a.ts")).toBe("100%/a.ts");
});
