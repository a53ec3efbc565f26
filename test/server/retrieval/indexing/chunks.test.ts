import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findDefinitions } from "../../../../server/source/definitions.ts";
import { cutChunks } from "../../../../server/retrieval/indexing/chunks.ts";

const body = (count: number) => Array.from({ length: count }, (_, n) => `  step${n}();`);
const define = (name: string, count: number) => [`function ${name}() {`, ...body(count), "}"];

function check(lines: string[], expected: string[]): void {
  const chunks = cutChunks(lines, findDefinitions("a.js", lines));
  expect(chunks.map(({ startLine, endLine }) => `${startLine}-${endLine}`)).toEqual(expected);
}

describe("cutChunks", () => {
  test("begins a chunk with each definition", () => check([...define("a", 10), ...define("b", 10)], ["1-12", "13-24"]));

  test("keeps what is defined inside a short definition with it", () =>
    check(["function a() {", "  const b = () => {", ...body(8), "  };", "}"], ["1-12"]));

  test("lets small neighbours share a chunk", () => check([...define("a", 1), ...define("b", 1)], ["1-6"]));

  test("cuts a long definition at a blank line", () =>
    check(["function a() {", ...body(29), "", ...body(39), "}"], ["1-31", "32-71"]));

  test("of nothing is nothing", () => check([], []));
});

test("every line is in exactly one chunk, for any file", () => {
  const line = fc.constantFrom("", "x();", "function f() {", "  m() {", "  y();", "}", "  }", "class A {", "// why");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 300 }), (lines) => {
      const chunks = cutChunks(lines, findDefinitions("a.js", lines));
      const covered = chunks.flatMap(({ startLine, endLine }) =>
        Array.from({ length: endLine - startLine + 1 }, (_, n) => startLine + n),
      );
      expect(covered).toEqual(lines.map((_, index) => index + 1));
    }),
  );
});
