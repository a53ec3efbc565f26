import { createByteWriter } from "../format/bytes.ts";
import type { Sections } from "../format/deflated-sections.ts";
import { createNumberList, createSumTable, packColumns } from "../format/number-list.ts";
import { createPairList, groupPairs, type PairList } from "../format/pair-list.ts";
import { createSortedTableWriter } from "../format/sorted-table.ts";
import { countLimit } from "../index/segment.ts";
import { createVocabulary } from "../index/vocabulary.ts";
import type { TextChunk } from "./file-structure.ts";

/** A text; only its chunks are read. */
export interface TermFile {
  text: string;
  chunks: readonly TextChunk[];
}

/** Makes the sections of a segment that ranked search reads: chunks, and which words stand where. */
export interface TermBuilder {
  /** The next file. */
  add(file: TermFile): void;
  /** Returns the sections of the files since the last call. Memory is kept for the next segment. */
  finish(): Sections;
}

/** One occurrence in a name that is defined, in the sums of a chunk; in its text there are never so many. */
const nameUnit = 1 << 16;
/** Words whose terms are kept from one segment to the next: those of some megabytes of text. */
const wordLimit = 100_000;

export function createTermBuilder(): TermBuilder {
  let vocabulary = createVocabulary();
  const sums = createSumTable();
  const columns = {
    fileChunks: createNumberList(),
    fileWords: createNumberList(),
    chunkLines: createNumberList(),
    chunkWords: createNumberList(),
  };
  const { fileChunks, fileWords, chunkLines, chunkWords } = columns;
  const occurrences = { pairs: createPairList(), sums: createNumberList() };

  return {
    add({ text, chunks }) {
      let wordsOfFile = 0;
      for (const chunk of chunks) {
        const words = countWords(text, chunk);
        const number = chunkWords.length;
        sums.drain((term, sum) => {
          occurrences.pairs.push(term, number);
          occurrences.sums.push(sum);
        });
        chunkLines.push(chunk.startLine);
        chunkWords.push(words);
        wordsOfFile += words;
      }
      fileChunks.push(chunks.length);
      fileWords.push(wordsOfFile);
    },
    finish() {
      const sections = {
        ...packColumns(columns),
        ...packTerms(vocabulary.terms, occurrences.pairs, occurrences.sums.values()),
      };
      if (vocabulary.wordCount > wordLimit) vocabulary = createVocabulary();
      for (const list of [occurrences.pairs, occurrences.sums, ...Object.values(columns)]) list.clear();
      return sections;
    },
  };

  /** Into the sums. Returns the number of words in the text. */
  function countWords(text: string, { ranges, names }: TextChunk): number {
    let words = 0;
    for (let at = 0; at < ranges.length; at += 2) {
      const place = { start: ranges[at] ?? 0, end: ranges[at + 1] ?? 0 };
      words += vocabulary.count(text, place, { sums, amount: 1 });
    }
    for (const name of names) vocabulary.count(name, { start: 0, end: name.length }, { sums, amount: nameUnit });
    return words;
  }
}

/**
 * By term the chunks that hold it: how far on, and how often, where that is not once in the text and in no name.
 */
function packTerms(terms: ReadonlyMap<string, number>, pairs: PairList, sums: Uint32Array): Sections {
  const { starts, values: chunks, order } = groupPairs(pairs, terms.size);
  const used: string[] = [];
  for (const [key, term] of terms) if (starts[term] !== starts[term + 1]) used.push(key);
  const table = createSortedTableWriter("terms");
  const postings = createByteWriter();
  for (const key of used.sort()) {
    const term = terms.get(key) ?? 0;
    postings.clear();
    let before = 0;
    for (let at = starts[term] ?? 0; at < (starts[term + 1] ?? 0); at++) {
      const chunk = chunks[at] ?? 0;
      const sum = sums[order[at] ?? 0] ?? 0;
      const inNames = Math.min(Math.floor(sum / nameUnit), countLimit);
      const isPlain = sum === 1;
      postings.varint((chunk - before) * 2 + (isPlain ? 0 : 1));
      if (!isPlain) postings.varint(Math.min(sum % nameUnit, countLimit) + inNames * (countLimit + 1));
      before = chunk;
    }
    table.add(key, postings.finish());
  }
  return table.finish();
}
