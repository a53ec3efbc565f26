import { createByteWriter } from "../format/bytes.ts";
import type { Sections } from "../format/deflated-sections.ts";
import { createNumberList, packColumns } from "../format/number-list.ts";
import { createPairList, type PairList } from "../format/pair-list.ts";
import { createSortedTableWriter } from "../format/sorted-table.ts";
import { trigramKey } from "../index/segment.ts";
import { createTrigramCollector } from "../index/trigrams.ts";
import { partsOf } from "../text-parts.ts";

/** Makes the sections of a segment for exact search: texts, their parts, and the trigrams of the parts. */
export interface TrigramBuilder {
  /** The next file. */
  add(file: { hash: string; text: string }): void;
  /** Returns the sections of the files since the last call. Memory is kept for the next segment. */
  finish(): Sections;
}

export function createTrigramBuilder(): TrigramBuilder {
  const trigrams = createTrigramCollector();
  const columns = { fileParts: createNumberList(), partBytes: createNumberList(), partLineEnds: createNumberList() };
  const { fileParts, partBytes, partLineEnds } = columns;
  const hashes = createByteWriter();
  const partsByTrigram = createPairList();
  return {
    add({ hash, text }) {
      hashes.bytes(Buffer.from(hash, "hex"));
      const parts = partsOf(text);
      for (const part of parts) {
        const number = partBytes.length;
        trigrams.visit(text, part, (trigram) => partsByTrigram.push(trigram, number));
        partBytes.push(part.bytes);
        partLineEnds.push(part.lineEnds);
      }
      fileParts.push(parts.length);
    },
    finish() {
      const sections = { hashes: hashes.finish(), ...packColumns(columns), ...packTrigrams(partsByTrigram) };
      for (const list of [hashes, partsByTrigram, ...Object.values(columns)]) list.clear();
      return sections;
    },
  };
}

/** The parts of texts that hold each trigram, as distances. */
function packTrigrams(pairs: PairList): Sections {
  pairs.sort();
  const [keys, parts] = [pairs.keys(), pairs.values()];
  const table = createSortedTableWriter("trigrams");
  const list = createByteWriter();
  for (let at = 0; at < keys.length;) {
    const key = keys[at] ?? 0;
    list.clear();
    for (let before = 0; keys[at] === key; at++) {
      list.varint((parts[at] ?? 0) - before);
      before = parts[at] ?? 0;
    }
    table.add(trigramKey(key), list.finish());
  }
  return table.finish();
}
