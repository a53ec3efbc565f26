import { readVarints, startsOfLengths, unpackNumbers } from "./bytes.ts";
import type { IndexFile } from "./index-file.ts";
import { once } from "./once.ts";
import { findBytes, readSymbols, type SegmentSymbols } from "./segment-symbols.ts";

/** Where a term stands: chunks in ascending order, and how often in their text and in the names defined there. */
export interface TermPostings {
  chunks: Uint32Array;
  inText: Uint8Array;
  inNames: Uint8Array;
}

/** A part of an index: some files, by number. What is large is read when it is asked for. */
export interface Segment extends Disposable {
  readonly sizeBytes: number;
  readonly fileCount: number;
  /** By file, and one more: the first of its chunks. */
  readonly firstChunks: Uint32Array;
  /** By file. */
  readonly words: Uint32Array;
  /** By chunk: its file, its first line (1-based), its words. */
  readonly chunkFiles: Uint32Array;
  readonly chunkLines: Uint32Array;
  readonly chunkWords: Uint32Array;
  readonly symbols: SegmentSymbols;
  postings(term: string): TermPostings | undefined;
  /** Files in ascending order that hold the three characters, and about how many those are. */
  filesWith(trigram: number): Uint32Array;
  listLength(trigram: number): number;
}

/** More occurrences of a term in one chunk say nothing more, and fit into a byte with a name beside them. */
export const countLimit = 63;

/** Of a file's hash, in bytes. */
export const hashBytes = 16;

/** @throws DamagedIndex, here and from every member */
export function openSegment(file: IndexFile): Segment {
  const numbers = (name: string) => unpackNumbers(file.section(name));
  const starts = (name: string) => startsOfLengths(numbers(name));
  const firstChunks = starts("fileChunks");
  const words = numbers("fileWords");
  const chunkLines = numbers("chunkLines");
  const readTerms = once(() => ({
    texts: Buffer.from(file.section("terms")),
    starts: starts("termLengths"),
    postingStarts: starts("postingLengths"),
  }));
  const readTrigrams = once(() => ({
    keys: startsOfLengths(numbers("trigramSteps")).subarray(1),
    starts: starts("trigramFileLengths"),
  }));
  const symbols = once(() => readSymbols(file));
  return {
    sizeBytes: file.sizeBytes,
    fileCount: words.length,
    firstChunks,
    words,
    chunkFiles: filesOfChunks(firstChunks, chunkLines.length),
    chunkLines,
    chunkWords: numbers("chunkWords"),
    get symbols() {
      return symbols();
    },
    postings(term) {
      const { texts, starts, postingStarts } = readTerms();
      const index = findBytes(Buffer.from(term), starts.length - 1, (at) => texts.subarray(starts[at], starts[at + 1]));
      if (index === undefined) return undefined;
      return decodePostings(file.slice("postings", postingStarts[index] ?? 0, postingStarts[index + 1] ?? 0));
    },
    filesWith(trigram) {
      const { keys, starts } = readTrigrams();
      const index = findNumber(trigram, keys);
      if (index === undefined) return new Uint32Array(0);
      return decodeFiles(file.slice("trigramFiles", starts[index] ?? 0, starts[index + 1] ?? 0));
    },
    listLength(trigram) {
      const { keys, starts } = readTrigrams();
      const index = findNumber(trigram, keys);
      return index === undefined ? 0 : (starts[index + 1] ?? 0) - (starts[index] ?? 0);
    },
    [Symbol.dispose]: () => file[Symbol.dispose](),
  };
}

/** Of the files, by number. @throws DamagedIndex */
export function readHashes(file: IndexFile): string[] {
  const bytes = Buffer.from(file.section("hashes"));
  const count = Math.floor(bytes.length / hashBytes);
  return Array.from({ length: count }, (_, index) => bytes.toString("hex", index * hashBytes, (index + 1) * hashBytes));
}

function filesOfChunks(firstChunks: Uint32Array, chunkCount: number): Uint32Array {
  const files = new Uint32Array(chunkCount);
  for (let file = 0; file + 1 < firstChunks.length; file++) files.fill(file, firstChunks[file], firstChunks[file + 1]);
  return files;
}

function decodePostings(bytes: Uint8Array): TermPostings {
  const reader = readVarints(bytes);
  const chunks: number[] = [];
  const inText: number[] = [];
  const inNames: number[] = [];
  let chunk = 0;
  while (!reader.isAtEnd) {
    const step = reader.next();
    const counts = step % 2 === 0 ? 1 : reader.next();
    chunk += step >>> 1;
    chunks.push(chunk);
    inText.push(counts % (countLimit + 1));
    inNames.push(Math.floor(counts / (countLimit + 1)));
  }
  return { chunks: Uint32Array.from(chunks), inText: Uint8Array.from(inText), inNames: Uint8Array.from(inNames) };
}

function decodeFiles(bytes: Uint8Array): Uint32Array {
  const reader = readVarints(bytes);
  const files: number[] = [];
  let file = 0;
  while (!reader.isAtEnd) {
    file += reader.next();
    files.push(file);
  }
  return Uint32Array.from(files);
}

function findNumber(wanted: number, sorted: Uint32Array): number | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === wanted ? low : undefined;
}
