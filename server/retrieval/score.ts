import { priorOf } from "./priors.ts";
import type { Query } from "./query.ts";
import type { TermPostings } from "./segment.ts";
import type { IndexedSegment, SnapshotIndex, TextPlace } from "./snapshot-index.ts";
import { matchSymbols, type SymbolMatch } from "./symbols.ts";

export interface ScoredFile {
  /** Its number in the index. */
  file: number;
  score: number;
  /** Chunks that match, best first; at most three. */
  chunks: ScoredChunk[];
  /** Definitions whose names the question may mean, best first. */
  symbols: SymbolMatch[];
}

/** Lines are 1-based; the last chunk of a file has no end of its own. */
export interface ScoredChunk {
  startLine: number;
  endLine: number | undefined;
  score: number;
}

/** The terms of a question in one index: by segment, then by term. */
export interface QueryPostings {
  index: SnapshotIndex;
  bySegment: readonly (readonly (TermPostings | undefined)[])[];
}

export function readPostings(index: SnapshotIndex, { terms }: Query): QueryPostings {
  return { index, bySegment: index.segments.map((used) => terms.map(({ term }) => usedPostings(used, term))) };
}

/** Without the chunks of files that the snapshot has not, or has no more. */
function usedPostings({ segment, used }: IndexedSegment, term: string): TermPostings | undefined {
  const postings = segment.postings(term);
  if (postings === undefined || used.size === segment.fileCount) return postings;
  const isUsed = (_: number, at: number) => used.has(segment.chunkFiles[postings.chunks[at] ?? 0] ?? -1);
  return {
    chunks: postings.chunks.filter(isUsed),
    inText: postings.inText.filter(isUsed),
    inNames: postings.inNames.filter(isUsed),
  };
}

/** How rare terms are over all snapshots of a search, so that their scores compare. */
export interface TermStatistics {
  /** By term of the question: the more of it, the fewer chunks hold it. */
  values: readonly number[];
  /** Of all terms together. */
  possible: number;
}

export function collectStatistics(all: readonly QueryPostings[], { terms }: Query): TermStatistics {
  const segments = all.flatMap(({ index }) => index.segments);
  const chunkCount = segments.reduce((sum, segment) => sum + segment.chunkCount, 0);
  const values = terms.map(({ weight }, term) => {
    const holding = all.flatMap(({ bySegment }) => bySegment.map((postings) => postings[term]?.chunks.length ?? 0));
    return (
      weight *
      rarity(
        chunkCount,
        holding.reduce((sum, count) => sum + count, 0),
      )
    );
  });
  return {
    values,
    possible: Math.max(
      values.reduce((sum, value) => sum + value, 0),
      Number.MIN_VALUE,
    ),
  };
}

/** The files that hold a term of the question or define a name of it, best first. */
export function scoreFiles(
  postings: QueryPostings,
  query: Query,
  { statistics, limit, accepted }: { statistics: TermStatistics; limit: number; accepted: ReadonlySet<string> },
): ScoredFile[] {
  const { index } = postings;
  const texts = scoreTexts(postings, query, statistics);
  const symbols = matchSymbols(postings, query);
  const scored: ScoredFile[] = [];
  for (const [file, { path, fileClass, twinOf, place }] of index.files.entries()) {
    const matches = symbols.get(file) ?? [];
    const fileScore = texts.files[file] ?? 0;
    if ((fileScore === 0 && matches.length === 0) || !accepted.has(path)) continue;
    const chunks = bestChunks(index, place, texts.chunks);
    const [first = 0, second = 0, third = 0] = chunks.map(({ score }) => score);
    const coverage = coverageShare * ((texts.covered[file] ?? 0) / statistics.possible) + 1 - coverageShare;
    const text = (fileScore + chunkShares[0] * first + chunkShares[1] * second + chunkShares[2] * third) * coverage;
    const name = nameWorth(matches[0]?.strength ?? 0, statistics);
    const prior = priorOf(fileClass, { isTwin: twinOf !== undefined, query });
    scored.push({ file, score: prior * (text + name), chunks, symbols: matches });
  }
  return scored.sort((a, b) => b.score - a.score || a.file - b.file).slice(0, limit);
}

/** What a term is worth that stands so often in a chunk, or in as many lines. */
export function termWorth(value: number, frequency: number): number {
  return value * saturate(frequency, chunkSaturation);
}

/** What it is worth that a question names a definition; `strength` as of a `SymbolMatch`. */
export function nameWorth(strength: number, { possible }: TermStatistics): number {
  return symbolShare * strength * (symbolBase + possible);
}

/** As how many occurrences the one counts that defines a name, beside itself. */
export const nameOccurrences = 3;

// The weights are the best that were found on the development questions of the retrieval benchmark. Rare words are
// damped (idf to a power) so that one of them does not outvote the rest of the question.
const fileSaturation = 1.2;
const fileLengthShare = 0.55;
const chunkSaturation = 1.6;
const chunkLengthShare = 0.48;
const idfPower = 0.62;
const chunkShares = [1.3, 0.26, 0.32] as const;
const coverageShare = 0.3;
const symbolShare = 0.4;
const symbolBase = 8;

interface TextScores {
  /** By file of the index. */
  files: Float64Array;
  /** By file: the sum of the values of the terms that it holds. */
  covered: Float64Array;
  /** By segment, then by chunk. */
  chunks: readonly Float64Array[];
}

/** BM25F over files (path, text, defined names) and BM25 over chunks, in one pass over the postings. */
function scoreTexts({ index, bySegment }: QueryPostings, query: Query, { values }: TermStatistics): TextScores {
  const chunks = index.segments.map(({ segment }) => new Float64Array(segment.chunkLines.length));
  const scores = { files: new Float64Array(index.files.length), covered: new Float64Array(index.files.length), chunks };
  const averages = averagesOf(index);
  for (const [term, value] of values.entries()) {
    const inPaths = new Map(index.paths.get(query.terms[term]?.term ?? ""));
    for (const [number, used] of index.segments.entries()) {
      const postings = bySegment[number]?.[term];
      const sums = chunks[number];
      if (postings === undefined || sums === undefined) continue;
      for (const [file, frequency] of addChunks(sums, value, { postings, used, averages })) {
        for (const own of used.used.get(file) ?? []) {
          const pathWeight = inPaths.get(own) ?? 0;
          inPaths.delete(own);
          add(scores.files, own, value * (pathWeight + saturate(frequency, fileSaturation)));
          add(scores.covered, own, value);
        }
      }
    }
    for (const [file, weight] of inPaths) {
      add(scores.files, file, value * weight);
      add(scores.covered, file, value);
    }
  }
  return scores;
}

interface Averages {
  file: number;
  chunk: number;
}

/** Adds what a term is worth in each chunk; returns how much of it each file of the segment holds. */
function addChunks(
  sums: Float64Array,
  value: number,
  { postings, used, averages }: { postings: TermPostings; used: IndexedSegment; averages: Averages },
): Map<number, number> {
  const { chunkFiles, chunkWords, words } = used.segment;
  const frequencies = new Map<number, number>();
  for (const [at, chunk] of postings.chunks.entries()) {
    const file = chunkFiles[chunk] ?? 0;
    const frequency = (postings.inText[at] ?? 0) + nameOccurrences * (postings.inNames[at] ?? 0);
    const inFile = frequency / lengthNorm(words[file] ?? 0, averages.file, fileLengthShare);
    frequencies.set(file, (frequencies.get(file) ?? 0) + inFile);
    const inChunk = frequency / lengthNorm(chunkWords[chunk] ?? 0, averages.chunk, chunkLengthShare);
    add(sums, chunk, termWorth(value, inChunk));
  }
  return frequencies;
}

function averagesOf({ segments }: SnapshotIndex): Averages {
  const sum = (of: (segment: IndexedSegment) => number) => segments.reduce((total, segment) => total + of(segment), 0);
  const words = sum(({ wordCount }) => wordCount);
  const average = (count: number) => Math.max(1, words / Math.max(1, count));
  return { file: average(sum(({ used }) => used.size)), chunk: average(sum(({ chunkCount }) => chunkCount)) };
}

function bestChunks(
  index: SnapshotIndex,
  { segment: number, file }: TextPlace,
  scores: readonly Float64Array[],
): ScoredChunk[] {
  const segment = index.segments[number]?.segment;
  const ofSegment = scores[number];
  if (segment === undefined || ofSegment === undefined) return [];
  const end = segment.firstChunks[file + 1] ?? 0;
  const chunks: ScoredChunk[] = [];
  for (let chunk = segment.firstChunks[file] ?? end; chunk < end; chunk++) {
    const score = ofSegment[chunk] ?? 0;
    if (score === 0) continue;
    const endLine = chunk + 1 < end ? (segment.chunkLines[chunk + 1] ?? 1) - 1 : undefined;
    chunks.push({ startLine: segment.chunkLines[chunk] ?? 1, endLine, score });
  }
  return chunks.sort((a, b) => b.score - a.score || a.startLine - b.startLine).slice(0, chunkShares.length);
}

/** How much of the question's weight a term carries: the fewer chunks hold it, the more. */
function rarity(chunkCount: number, holding: number): number {
  return Math.log(1 + (chunkCount - holding + 0.5) / (holding + 0.5)) ** idfPower;
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
