import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createByteSearch } from "../../../server/retrieval/exact/byte-search.ts";
import { compilePattern } from "../../../server/retrieval/exact/pattern.ts";
import { literalLimit, partsOf, rangesOf } from "../../../server/retrieval/text-parts.ts";

const literal = "needle";
const filler = fc.constantFrom("x", "a line\n", "é", "🙂", "\r\n", "needl");
const piece = fc.oneof(
  fc.constantFrom(literal, `${literal}\n`, `🙂${literal}`),
  // Up to the end of a part, and a little more or less.
  fc.tuple(filler, fc.integer({ min: 32 * 1024 - 20, max: 32 * 1024 + literalLimit + 20 })),
  fc.tuple(filler, fc.nat(30)),
);
const textOf = (piece: string | [string, number]) => {
  if (typeof piece === "string") return piece;
  const [filler, length] = piece;
  return filler.repeat(Math.ceil(length / filler.length)).slice(0, length);
};
const text = fc
  .array(piece, { maxLength: 8 })
  // What is cut through becomes another character.
  .map((pieces) => Buffer.from(pieces.map(textOf).join("")).toString());

test("parts cover a text, and a literal belongs to the one where it begins", () => {
  fc.assert(
    fc.property(text, (text) => {
      const parts = partsOf(text);
      expect([parts[0]?.start, parts.at(-1)?.end]).toEqual([0, text.length]);
      for (const [index, { start, end, bytes, lineEnds }] of parts.entries()) {
        const next = parts[index + 1];
        if (next === undefined) continue;
        expect(end - next.start).toBe(literalLimit);
        expect({ bytes, lineEnds }).toEqual({
          bytes: Buffer.byteLength(text.slice(start, next.start)),
          lineEnds: text.slice(start, next.start).split("\n").length - 1,
        });
      }
    }),
    { numRuns: 50 },
  );
});

test.each([literal, "needle.*x", "n(ee|ea)dle$"])("the parts with %s hold every line that matches", (source) => {
  const options = { pattern: source, isRegex: source !== literal, ignoreCase: false, wholeWord: false };
  const pattern = compilePattern(options);
  const search = createByteSearch(pattern, { contextLines: 1 });
  fc.assert(
    fc.property(text, fc.constantFrom("", "\uFEFF"), fc.nat(3), (text, mark, limit) => {
      const parts = partsOf(text);
      const column = (name: "bytes" | "lineEnds") => Uint32Array.from(parts, (part) => part[name]);
      const places = { first: 0, last: parts.length - 1, bytes: column("bytes"), lineEnds: column("lineEnds") };
      const ranges = rangesOf(places, (part) => {
        const { start = 0, end = 0 } = parts[part] ?? {};
        return ["needle", "neadle"].some((word) => text.slice(start, end).includes(word));
      });
      const bytes = Buffer.from(mark + text);
      expect(search?.(bytes, { limit, ranges })).toEqual(search?.(bytes, { limit, ranges: undefined }));
    }),
    { numRuns: 100 },
  );
});
