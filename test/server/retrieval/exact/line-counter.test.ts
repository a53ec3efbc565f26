import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createLineCounter } from "../../../../server/retrieval/exact/line-counter.ts";

const text = fc
  .array(fc.constantFrom("\n", "\n", "\r\n", "\u000b", "\u008a", "a", "bcd", "\n".repeat(1100), "x".repeat(1030)))
  .map((parts) => parts.join(""));

test("lines have the numbers that a look at each byte gives, wherever a text lies in memory", () => {
  fc.assert(
    fc.property(text, fc.nat(7), fc.boolean(), (text, offset, isSkipping) => {
      const memory = Buffer.from("\n".repeat(offset) + text, "latin1");
      const bytes = memory.subarray(offset);
      const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
      const lines = createLineCounter(bytes);
      const half = starts.length >>> 1;
      if (isSkipping) lines.skipTo(starts[half] ?? 0, half);
      const asked = isSkipping ? starts.slice(half) : starts;
      expect(asked.map((start) => lines.numberOf(start))).toEqual(asked.map((start) => starts.indexOf(start) + 1));
      expect(createLineCounter(bytes).numberOf(starts.at(-1) ?? 0)).toBe(starts.length);
    }),
  );
});
