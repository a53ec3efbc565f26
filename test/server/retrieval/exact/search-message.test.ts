import * as fc from "fast-check";
import { expect, test } from "vitest";
import { packOutcomes, unpackOutcomes } from "../../../../server/retrieval/exact/search-message.ts";

const searched = fc
  .record({
    more: fc.nat(3),
    matchLines: fc.array(fc.nat(1_000_000), { maxLength: 3 }),
    text: fc.string({ unit: "grapheme", maxLength: 9 }),
  })
  .map(({ more, matchLines, text }) => ({
    type: "searched" as const,
    count: more + matchLines.length,
    matchLines,
    text: Buffer.from(matchLines.length === 0 ? "" : text),
  }));
const skipped = fc.record({ type: fc.constant("skipped" as const), reason: fc.string() });

test("outcomes arrive as they were sent", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(searched, skipped)), (outcomes) => {
      expect(unpackOutcomes(structuredClone(packOutcomes(outcomes)))).toEqual(outcomes);
    }),
  );
});
