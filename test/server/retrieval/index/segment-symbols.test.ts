import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deflateSections } from "../../../../server/retrieval/format/deflated-sections.ts";
import { openIndexBytes, packIndexFile } from "../../../../server/retrieval/format/index-file.ts";
import { type NamedPlace, openSymbols, packSymbols } from "../../../../server/retrieval/index/segment-symbols.ts";

function symbolsOf(places: readonly NamedPlace[], fileCount: number) {
  const bytes = packIndexFile(deflateSections(packSymbols(places, fileCount)));
  return openSymbols(openIndexBytes(bytes));
}

const fileCount = 6;
const name = fc.constantFrom("parseUrl", "parse_url", "ParseURL", "größe", "x", "add", `longName${"r".repeat(400)}`);
const place = fc
  .record({ name, file: fc.nat(fileCount - 1), startLine: fc.integer({ min: 1, max: 400 }), more: fc.nat(200) })
  .map(({ more, ...own }): NamedPlace => ({ ...own, endLine: own.startLine + more }));
const inOrder = fc.array(place, { maxLength: 300 }).map((places) => places.sort((a, b) => a.file - b.file));

test("definitions are found by their name without case and separators, in the order of the files", () => {
  fc.assert(
    fc.property(inOrder, (places) => {
      const symbols = symbolsOf(places, fileCount);
      expect(symbols.named("parseurl")).toEqual(places.filter(({ name }) => /^parse_?url$/i.test(name)));
      expect(symbols.named("größe")).toEqual(places.filter(({ name }) => name === "größe"));
      expect(symbols.named("parse")).toEqual([]);
    }),
  );
});

test("those of a file are found by where they begin; a single letter is no name", () => {
  fc.assert(
    fc.property(inOrder, fc.nat(fileCount - 1), fc.nat(400), (places, file, from) => {
      const found = symbolsOf(places, fileCount).within(file, (line) => line >= from);
      expect(found).toEqual(places.filter((one) => one.file === file && one.startLine >= from && one.name !== "x"));
    }),
  );
});
