import { expect, test } from "vitest";
import { packFiles, unpackFiles } from "../../../server/retrieval/packed-files.ts";

test("files arrive as they were sent", () => {
  const stamp = { sizeBytes: 3, changedMs: 1_700_000_000_000.25, ino: 7 };
  const ranges = [
    { start: 0, end: 40_000, lineEnds: 0 },
    { start: 90_000, end: 2 ** 32 - 1, lineEnds: 512 },
  ];
  const files = [
    { path: "a.ts", target: "a.ts", stamp, ranges },
    { path: "link.ts", target: "a.ts", stamp: { sizeBytes: 3, changedMs: 1, ino: 2 ** 52 }, ranges: undefined },
    { path: "b.ts", target: "b.ts", stamp, ranges: [] },
    { path: "c.ts", target: "c.ts", stamp, ranges: ranges.slice(1) },
  ];
  expect(unpackFiles(structuredClone(packFiles(files)))).toEqual(files);
});
