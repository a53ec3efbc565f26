import type { IndexedSegment, SnapshotIndex } from "../index/snapshot-index.ts";
import type { QueryPostings, SegmentPostings } from "./query-postings.ts";
import type { Query } from "./query.ts";

export interface TextScores {
  /** The score of each file of the index. */
  files: Float64Array;
  /** The sum of the values of the terms that each file holds. */
  covered: Float64Array;
  /** The scores by segment, then by chunk. */
  chunks: readonly Float64Array[];
}

/**
 * BM25F over files (path, text, defined names) and BM25 over chunks, in one pass over the postings. `values`: what the
 * terms of the question are worth.
 */
export function scoreTexts({ index, bySegment }: QueryPostings, query: Query, values: readonly number[]): TextScores {
  const chunks = index.segments.map(({ segment }) => new Float64Array(segment.chunkLines.length));
  const scores = { files: new Float64Array(index.files.length), covered: new Float64Array(index.files.length), chunks };
  const averages = averagesOf(index);
  for (const [number, value] of values.entries()) {
    const { term = "", synonymOf } = query.terms[number] ?? {};
    const covers = synonymOf === undefined ? value : 0;
    const inPaths = new Map(index.paths.get(term));
    for (const [segment, postings] of bySegment.entries()) {
      const sums = chunks[segment];
      if (sums === undefined) continue;
      addChunks(sums, { term, value, postings, averages }, (file, frequency) => {
        for (const own of postings.used.used.get(file) ?? []) {
          const pathWeight = inPaths.get(own) ?? 0;
          inPaths.delete(own);
          add(scores.files, own, value * (pathWeight + saturate(frequency, fileSaturation)));
          add(scores.covered, own, covers);
        }
      });
    }
    for (const [file, weight] of inPaths) {
      add(scores.files, file, value * weight);
      add(scores.covered, file, covers);
    }
  }
  return scores;
}

/** The score of a term by its count in a chunk, or by the number of lines with it. */
export function termWorth(value: number, frequency: number): number {
  return value * saturate(frequency, chunkSaturation);
}

/** As how many occurrences the one counts that defines a name, beside itself. */
export const nameOccurrences = 3;

// The best that were found, with those of score.ts, on the development questions of the retrieval benchmark.
const fileSaturation = 1.2;
const fileLengthShare = 0.55;
const chunkSaturation = 1.6;
const chunkLengthShare = 0.48;

interface Averages {
  file: number;
  chunk: number;
}

const noPostings = { chunks: new Uint32Array(0), inText: new Uint8Array(0), inNames: new Uint8Array(0) };

interface WeighedTerm {
  term: string;
  value: number;
  postings: SegmentPostings;
  averages: Averages;
}

/** Adds the score of a term to each chunk; returns its amount in each file of the segment. */
function addChunks(
  sums: Float64Array,
  { term, value, postings: { used, of }, averages }: WeighedTerm,
  visit: (file: number, frequency: number) => void,
): void {
  const { chunkFiles, chunkWords, words } = used.segment;
  const { chunks, inText, inNames } = of(term) ?? noPostings;
  let inFile = 0;
  // By index: iterators take longer than the sums, and a common word is in every chunk.
  for (let at = 0; at < chunks.length; at++) {
    const chunk = chunks[at] ?? 0;
    const file = chunkFiles[chunk] ?? 0;
    const frequency = (inText[at] ?? 0) + nameOccurrences * (inNames[at] ?? 0);
    const inChunk = frequency / lengthNorm(chunkWords[chunk] ?? 0, averages.chunk, chunkLengthShare);
    add(sums, chunk, termWorth(value, inChunk));
    inFile += frequency / lengthNorm(words[file] ?? 0, averages.file, fileLengthShare);
    // The chunks of a file follow one another.
    if (at + 1 < chunks.length && chunkFiles[chunks[at + 1] ?? 0] === file) continue;
    visit(file, inFile);
    inFile = 0;
  }
}

function averagesOf({ segments }: SnapshotIndex): Averages {
  const sum = (of: (segment: IndexedSegment) => number) => segments.reduce((total, segment) => total + of(segment), 0);
  const words = sum(({ wordCount }) => wordCount);
  const average = (count: number) => Math.max(1, words / Math.max(1, count));
  return { file: average(sum(({ used }) => used.size)), chunk: average(sum(({ chunkCount }) => chunkCount)) };
}

function saturate(frequency: number, saturation: number): number {
  return (frequency * (saturation + 1)) / (frequency + saturation);
}

function lengthNorm(length: number, average: number, share: number): number {
  return 1 - share + (share * length) / average;
}

function add(sums: Float64Array, index: number, amount: number): void {
  sums[index] = (sums[index] ?? 0) + amount;
}
