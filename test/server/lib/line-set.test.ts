import * as fc from "fast-check";
import { expect, test } from "vitest";
import { addLines, hasLines, type LineSet, missingLines } from "../../../server/lib/line-set.ts";

const range = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 8 })).map(([startLine, length]) => {
  return { startLine, endLine: startLine + length };
});

test("matches a set of numbers, and stays sorted and disjoint", () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 12 }), range, (added, asked) => {
      const set = added.reduce<LineSet>(addLines, []);
      const plain = new Set(added.flatMap(numbers));
      const missing = numbers(asked).filter((line) => !plain.has(line));
      expect(set.flatMap(numbers)).toEqual([...plain].sort((a, b) => a - b));
      expect(hasLines(set, asked)).toBe(missing.length === 0);
      const found = missingLines(set, asked);
      expect(found?.startLine).toBe(missing[0]);
      if (found !== undefined) expect(numbers(found).every((line) => missing.includes(line))).toBe(true);
    }),
  );
});

function numbers({ startLine, endLine }: { startLine: number; endLine: number }): number[] {
  return Array.from({ length: endLine - startLine + 1 }, (_, index) => startLine + index);
}
