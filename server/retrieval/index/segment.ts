import { readVarints, startsOfLengths, unpackNumbers } from "../format/bytes.ts";
import type { IndexFile } from "../format/index-file.ts";
import { keyOf, openSortedTable } from "../format/sorted-table.ts";
import { once } from "../once.ts";
import { openSymbols, type SegmentSymbols } from "./segment-symbols.ts";

/** The postings of a term: chunks in ascending order, with its counts in their text and in the names they define. */
export interface TermPostings {
  chunks: Uint32Array;
  inText: Uint8Array;
  inNames: Uint8Array;
}

/** A part of an index: some files, by number. Large sections are read on demand. */
export interface Segment extends Disposable {
  readonly sizeBytes: number;
  readonly fileCount: number;
  /** The first chunk of each file, then the number of chunks. */
  readonly firstChunks: Uint32Array;
  /** The number of words of each file. */
  readonly words: Uint32Array;
  /** The file of each chunk, its first line (1-based), and its number of words. */
  readonly chunkFiles: Uint32Array;
  readonly chunkLines: Uint32Array;
  readonly chunkWords: Uint32Array;
  readonly symbols: SegmentSymbols;
  postings(term: string): TermPostings | undefined;
  /** The first part of each file (`text-parts.ts`), then the number of parts. */
  readonly firstParts: Uint32Array;
  /** The file of each part, and the distance to the next one. */
  readonly partFiles: Uint32Array;
  readonly partBytes: Uint32Array;
  readonly partLineEnds: Uint32Array;
  /**
   * Parts in ascending order that hold the three characters: all, or those among some that come in this order; and
   * about how many there are in all.
   */
  partsWith(trigram: number, among?: Uint32Array): Uint32Array;
  listLength(trigram: number): number;
}

/** Counts of a term in one chunk are capped: more say nothing, and a byte holds both counts. */
export const countLimit = 63;

/** The length of a file's hash, in bytes. */
export const hashBytes = 16;

/** @throws DamagedIndex, here and from every member */
export function openSegment(file: IndexFile): Segment {
  const numbers = (name: string) => unpackNumbers(file.section(name));
  const words = once(() => numbers("fileWords"));
  const chunks = once(() => {
    const firstChunks = startsOfLengths(numbers("fileChunks"));
    const chunkLines = numbers("chunkLines");
    const chunkFiles = ownersOf(firstChunks);
    return { firstChunks, chunkLines, chunkFiles, chunkWords: numbers("chunkWords") };
  });
  const firstParts = once(() => startsOfLengths(numbers("fileParts")));
  const partFiles = once(() => ownersOf(firstParts()));
  const partBytes = once(() => numbers("partBytes"));
  const partLineEnds = once(() => numbers("partLineEnds"));
  const terms = openSortedTable(file, "terms");
  const trigrams = openSortedTable(file, "trigrams");
  return {
    sizeBytes: file.sizeBytes,
    fileCount: Math.floor(file.lengthOf("hashes") / hashBytes),
    get words() {
      return words();
    },
    get firstChunks() {
      return chunks().firstChunks;
    },
    get chunkFiles() {
      return chunks().chunkFiles;
    },
    get chunkLines() {
      return chunks().chunkLines;
    },
    get chunkWords() {
      return chunks().chunkWords;
    },
    symbols: openSymbols(file),
    postings(term) {
      const bytes = terms.get(keyOf(term));
      return bytes && decodePostings(bytes);
    },
    get firstParts() {
      return firstParts();
    },
    get partFiles() {
      return partFiles();
    },
    get partBytes() {
      return partBytes();
    },
    get partLineEnds() {
      return partLineEnds();
    },
    partsWith(trigram, among) {
      const steps = trigrams.get(trigramKey(trigram)) ?? new Uint8Array(0);
      return among === undefined ? decodeSteps(steps) : decodeAmong(steps, among);
    },
    listLength: (trigram) => trigrams.get(trigramKey(trigram))?.length ?? 0,
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** Keys sort in the order of the numbers. */
export function trigramKey(trigram: number): string {
  return String.fromCharCode(trigram >>> 16, (trigram >>> 8) & 255, trigram & 255);
}

/** Of the files, by number. @throws DamagedIndex */
export function readHashes(file: IndexFile): string[] {
  const bytes = Buffer.from(file.section("hashes"));
  const count = Math.floor(bytes.length / hashBytes);
  return Array.from({ length: count }, (_, index) => bytes.toString("hex", index * hashBytes, (index + 1) * hashBytes));
}

/** The index of the first item of each owner, then the number of items. */
function ownersOf(firsts: Uint32Array): Uint32Array {
  const owners = new Uint32Array(firsts.at(-1) ?? 0);
  for (let owner = 0; owner + 1 < firsts.length; owner++) owners.fill(owner, firsts[owner], firsts[owner + 1]);
  return owners;
}

function decodePostings(bytes: Uint8Array): TermPostings {
  const reader = readVarints(bytes);
  const chunks = new Uint32Array(bytes.length);
  const inText = new Uint8Array(bytes.length);
  const inNames = new Uint8Array(bytes.length);
  let count = 0;
  for (let chunk = 0; !reader.isAtEnd; count++) {
    const step = reader.next();
    const counts = step % 2 === 0 ? 1 : reader.next();
    chunk += step >>> 1;
    chunks[count] = chunk;
    inText[count] = counts % (countLimit + 1);
    inNames[count] = Math.floor(counts / (countLimit + 1));
  }
  return { chunks: chunks.subarray(0, count), inText: inText.subarray(0, count), inNames: inNames.subarray(0, count) };
}

function decodeSteps(bytes: Uint8Array): Uint32Array {
  const numbers = unpackNumbers(bytes);
  for (let at = 1; at < numbers.length; at++) numbers[at] = (numbers[at] ?? 0) + (numbers[at - 1] ?? 0);
  return numbers;
}

function decodeAmong(steps: Uint8Array, among: Uint32Array): Uint32Array {
  const reader = readVarints(steps);
  const found = new Uint32Array(among.length);
  let count = 0;
  for (let number = 0, at = 0; !reader.isAtEnd && at < among.length;) {
    number += reader.next();
    while ((among[at] ?? Infinity) < number) at++;
    if (among[at] === number) found[count++] = number;
  }
  return found.subarray(0, count);
}
