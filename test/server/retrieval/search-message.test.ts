import * as fc from "fast-check";
import { expect, test } from "vitest";
import { packFiles, packOutcomes, unpackFiles, unpackOutcomes } from "../../../server/retrieval/search-message.ts";

const line = fc.string({ unit: "grapheme", maxLength: 5 }).filter((text) => !text.includes("\n"));
const searched = fc
  .record({ more: fc.nat(3), matchLines: fc.array(fc.nat(1_000_000), { maxLength: 3 }), lines: fc.array(line) })
  .map(({ more, matchLines, lines }) =>
    more + matchLines.length === 0
      ? { type: "searched" as const, count: 0, matchLines, lines: [] }
      : { type: "searched" as const, count: more + matchLines.length, matchLines, lines },
  );
const skipped = fc.record({ type: fc.constant("skipped" as const), reason: fc.string() });

test("outcomes arrive as they were sent", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(searched, skipped)), (outcomes) => {
      expect(unpackOutcomes(structuredClone(packOutcomes(outcomes)))).toEqual(outcomes);
    }),
  );
});

test("files arrive as they were sent", () => {
  const stamp = { sizeBytes: 3, mtimeMs: 1_700_000_000_000.25, ino: 7 };
  const ranges = [
    { start: 0, end: 40_000, lineEnds: 0 },
    { start: 90_000, end: 2 ** 32 - 1, lineEnds: 512 },
  ];
  const files = [
    { path: "a.ts", target: "a.ts", stamp, ranges },
    { path: "link.ts", target: "a.ts", stamp: { sizeBytes: 3, mtimeMs: 1, ino: 2 ** 52 }, ranges: undefined },
    { path: "b.ts", target: "b.ts", stamp, ranges: [] },
    { path: "c.ts", target: "c.ts", stamp, ranges: ranges.slice(1) },
  ];
  expect(unpackFiles(structuredClone(packFiles(files)))).toEqual(files);
});
