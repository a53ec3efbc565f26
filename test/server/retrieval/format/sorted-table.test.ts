import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deflateSections } from "../../../../server/retrieval/format/deflated-sections.ts";
import { openIndexBytes, packIndexFile } from "../../../../server/retrieval/format/index-file.ts";
import {
  createSortedTableWriter,
  keyOf,
  openSortedTable,
  sortedByKey,
  textOfKey,
} from "../../../../server/retrieval/format/sorted-table.ts";

function tableOf(values: ReadonlyMap<string, Uint8Array>) {
  const writer = createSortedTableWriter("words");
  for (const [key, value] of sortedByKey(values)) writer.add(key, value);
  const file = openIndexBytes(packIndexFile(deflateSections(writer.finish())));
  return openSortedTable(file, "words");
}

// Keys that begin alike, end where another goes on, and are of characters of each length in UTF-8.
const word = fc.string({ unit: fc.constantFrom("a", "b", "\0", "é", "\uffff", "𝒳"), maxLength: 6 });
const value = fc.uint8Array({ maxLength: 300 });

test("each key has its value, and no other text has one", () => {
  fc.assert(
    fc.property(fc.dictionary(word, value, { maxKeys: 60 }), fc.array(word), (entries, others) => {
      const values = new Map(Object.entries(entries));
      const table = tableOf(values);
      const found = (text: string) => {
        const bytes = table.get(keyOf(text));
        return bytes && Uint8Array.from(bytes);
      };
      for (const text of [...values.keys(), ...others]) expect(found(text)).toEqual(values.get(text));
    }),
  );
});

test("keys are given by their numbers, in the order of their bytes", () => {
  fc.assert(
    fc.property(fc.dictionary(word, value, { maxKeys: 60 }), fc.integer({ min: 1, max: 5 }), (entries, step) => {
      const sorted = Object.keys(entries).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const table = tableOf(new Map(Object.entries(entries)));
      expect(table.keys((number) => number % step === 0).map(textOfKey)).toEqual(
        sorted.filter((_, number) => number % step === 0),
      );
    }),
  );
});
