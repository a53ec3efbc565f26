import { findDefinitions } from "../lib/definitions.ts";
import { importTest } from "../lib/grammars.ts";
import { splitLines } from "../lib/source-text.ts";
import { createByteWriter, packNumbers } from "./bytes.ts";
import { cutChunks } from "./chunks.ts";
import { packIndexFile } from "./index-file.ts";
import { createNumberList, createSumTable, type NumberList } from "./number-list.ts";
import { countLimit, trigramKey } from "./segment.ts";
import { type NamedPlace, packSymbols } from "./segment-symbols.ts";
import { createSortedTableWriter } from "./sorted-table.ts";
import { createPairList, groupPairs, type PairList } from "./pair-list.ts";
import { partsOf } from "./text-parts.ts";
import { createTrigramCollector } from "./trigrams.ts";
import { createVocabulary } from "./vocabulary.ts";

/** A file as it goes into an index. */
export interface IndexableFile {
  /** Of kind and text: files of equal hash are one to the index (`file-hash.ts`). */
  hash: string;
  path: string;
  text: string;
  /** False of data and minified code: found by exact search only. */
  isRanked: boolean;
}

/** Makes parts of an index; what is in one depends on its files and their order only. */
export interface SegmentBuilder {
  add(file: IndexableFile): void;
  /** Of the files since the last time. Memory is kept for the next part. */
  finish(): Uint8Array;
}

/** One occurrence in a name that is defined, in the sums of a chunk; in its text there are never so many. */
const nameUnit = 1 << 16;
/** Words whose terms are kept from one part to the next: those of some megabytes of text. */
const wordLimit = 100_000;

export function createSegmentBuilder(): SegmentBuilder {
  let vocabulary = createVocabulary();
  const sums = createSumTable();
  const trigrams = createTrigramCollector();
  const hashes = createByteWriter();
  const columns = {
    fileChunks: createNumberList(),
    fileWords: createNumberList(),
    fileParts: createNumberList(),
    partBytes: createNumberList(),
    partLineEnds: createNumberList(),
    chunkLines: createNumberList(),
    chunkWords: createNumberList(),
  };
  const { fileChunks, fileWords, fileParts, partBytes, partLineEnds, chunkLines, chunkWords } = columns;
  const occurrences = { pairs: createPairList(), sums: createNumberList() };
  const partsByTrigram = createPairList();
  let symbols: NamedPlace[] = [];
  /** Of the file that is added, and where its last line ends. */
  const lineStarts = createNumberList();

  return {
    add({ hash, path, text, isRanked }) {
      const file = fileWords.length;
      hashes.bytes(Buffer.from(hash, "hex"));
      const chunksBefore = chunkLines.length;
      fileWords.push(isRanked ? addRanked(path, text, file) : 0);
      fileChunks.push(chunkLines.length - chunksBefore);
      addTrigrams(text);
    },
    finish() {
      const bytes = packIndexFile({
        hashes: hashes.finish(),
        ...packColumns(columns),
        ...packTerms(vocabulary.terms, occurrences.pairs, occurrences.sums.values()),
        ...packTrigrams(partsByTrigram),
        ...packSymbols(symbols, fileWords.length),
      });
      if (vocabulary.wordCount > wordLimit) vocabulary = createVocabulary();
      symbols = [];
      for (const list of [hashes, partsByTrigram, ...Object.values(columns)]) list.clear();
      occurrences.pairs.clear();
      occurrences.sums.clear();
      return bytes;
    },
  };

  function addTrigrams(text: string): void {
    const parts = partsOf(text);
    for (const part of parts) {
      const number = partBytes.length;
      trigrams.visit(text, part, (trigram) => partsByTrigram.push(trigram, number));
      partBytes.push(part.bytes);
      partLineEnds.push(part.lineEnds);
    }
    fileParts.push(parts.length);
  }

  /** Returns the number of words. */
  function addRanked(path: string, text: string, file: number): number {
    const lines = splitLines(text);
    const definitions = findDefinitions(path, lines);
    for (const { name, startLine, endLine } of definitions)
      symbols.push({ name: memberOf(name), file, startLine, endLine });
    const isSkipped = importTest(path);
    findLineStarts(text);
    const names = definitions.values();
    let name = names.next();
    let wordsOfFile = 0;
    for (const { startLine, endLine } of cutChunks(lines, definitions)) {
      const chunk = chunkLines.length;
      let words = 0;
      for (let line = startLine; line <= endLine; line++) {
        if (isSkipped(lines[line - 1] ?? "")) continue;
        words += vocabulary.count(
          text,
          { start: lineStarts.at(line - 1), end: lineStarts.at(line) },
          { sums, amount: 1 },
        );
      }
      for (; !name.done && name.value.line <= endLine; name = names.next()) countName(name.value.name);
      sums.drain((term, sum) => {
        occurrences.pairs.push(term, chunk);
        occurrences.sums.push(sum);
      });
      chunkLines.push(startLine);
      chunkWords.push(words);
      wordsOfFile += words;
    }
    return wordsOfFile;
  }

  function findLineStarts(text: string): void {
    lineStarts.clear();
    lineStarts.push(0);
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) lineStarts.push(end + 1);
    lineStarts.push(text.length);
  }

  function countName(name: string): void {
    vocabulary.count(name, { start: 0, end: name.length }, { sums, amount: nameUnit });
  }
}

function packColumns(columns: Readonly<Record<string, NumberList>>): Record<string, Uint8Array> {
  return Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, packNumbers(list.values())]));
}

/** `Table::read` is looked for as `read`; its other words are found in the text. */
function memberOf(name: string): string {
  return /^[\w:~]+::([\w~]+)$/.exec(name)?.[1] ?? name;
}

/**
 * By term the chunks that hold it: how far on, and how often, where that is not once in the text and in no name.
 */
function packTerms(terms: ReadonlyMap<string, number>, pairs: PairList, sums: Uint32Array): Record<string, Uint8Array> {
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

/** By trigram the parts of texts that hold it: how far on. */
function packTrigrams(pairs: PairList): Record<string, Uint8Array> {
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
