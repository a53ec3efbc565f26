import type { Query } from "./query.ts";
import { priorOf } from "./priors.ts";
import { occurrencesIn, type SnapshotIndex } from "./snapshot-index.ts";
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

interface ScoredChunk {
  chunk: number;
  score: number;
}

/** How rare terms are over all snapshots of a search, so that their scores compare. */
export interface TermStatistics {
  chunkCount: number;
  chunksWith: ReadonlyMap<string, number>;
}

export function collectStatistics(indexes: readonly SnapshotIndex[], query: Query): TermStatistics {
  const chunksWith = new Map(
    query.terms.map(({ term }) => [term, indexes.reduce((sum, index) => sum + chunkCountOf(index, term), 0)]),
  );
  return { chunkCount: indexes.reduce((sum, { chunks }) => sum + chunks.files.length, 0), chunksWith };
}

/** The files that hold a term of the question or define a name of it, best first. */
export function scoreFiles(
  index: SnapshotIndex,
  query: Query,
  { statistics, limit, accepted }: { statistics: TermStatistics; limit: number; accepted: ReadonlySet<string> },
): ScoredFile[] {
  const texts = scoreTexts(index, query, statistics);
  const symbols = symbolsByFile(index, query);
  const scored: ScoredFile[] = [];
  for (const [file, { path, fileClass, twinOf }] of index.files.entries()) {
    const matches = symbols.get(file) ?? [];
    const fileScore = texts.files[file] ?? 0;
    if ((fileScore === 0 && matches.length === 0) || !accepted.has(path)) continue;
    const chunks = bestChunks(index, file, texts.chunks);
    const [first = 0, second = 0, third = 0] = chunks.map(({ score }) => score);
    const coverage = coverageShare * ((texts.covered[file] ?? 0) / texts.possible) + 1 - coverageShare;
    const text = (fileScore + chunkShares[0] * first + chunkShares[1] * second + chunkShares[2] * third) * coverage;
    const name = symbolShare * (matches[0]?.strength ?? 0) * (symbolBase + texts.possible);
    scored.push({
      file,
      score: priorOf(fileClass, { isTwin: twinOf !== undefined, query }) * (text + name),
      chunks,
      symbols: matches,
    });
  }
  return scored.sort((a, b) => b.score - a.score || a.file - b.file).slice(0, limit);
}

// The weights are the best that were found on the development questions of the retrieval benchmark. Rare words are
// damped (idf to a power) so that one of them does not outvote the rest of the question.
const fileSaturation = 1.2;
const fileLengthShare = 0.55;
const chunkSaturation = 1.6;
const chunkLengthShare = 0.48;
const idfPower = 0.62;
const nameOccurrences = 3;
const chunkShares = [1.3, 0.26, 0.32] as const;
const coverageShare = 0.3;
const symbolShare = 0.4;
const symbolBase = 8;

interface TextScores {
  files: Float64Array;
  chunks: Float64Array;
  /** By file: the sum of the values of the terms that it holds, of `possible`. */
  covered: Float64Array;
  possible: number;
}

/** BM25F over files (path, text, defined names) and BM25 over chunks, in one pass over the postings. */
function scoreTexts(index: SnapshotIndex, query: Query, statistics: TermStatistics): TextScores {
  const { files, chunks, body, paths } = index;
  const scores = { files: new Float64Array(files.length), chunks: new Float64Array(chunks.files.length) };
  const covered = new Float64Array(files.length);
  const frequencies = new Float64Array(files.length);
  const averageFile = average(files.map(({ length }) => length));
  const averageChunk = average(chunks.lengths);
  let possible = 0;
  for (const { term, weight } of query.terms) {
    const value = weight * rarity(statistics, term);
    possible += value;
    const id = index.terms.get(term);
    if (id === undefined) continue;
    const touched: number[] = [];
    const addToFile = (file: number, frequency: number) => {
      if (frequencies[file] === 0) touched.push(file);
      add(frequencies, file, frequency);
    };
    for (let at = body.starts[id] ?? 0; at < (body.starts[id + 1] ?? 0); at++) {
      const chunk = body.documents[at] ?? 0;
      const file = chunks.files[chunk] ?? 0;
      const { inText, inNames } = occurrencesIn(body.weights[at] ?? 0);
      const frequency = inText + nameOccurrences * inNames;
      addToFile(file, frequency / lengthNorm(files[file]?.length ?? 0, averageFile, fileLengthShare));
      const inChunk = frequency / lengthNorm(chunks.lengths[chunk] ?? 0, averageChunk, chunkLengthShare);
      add(scores.chunks, chunk, value * saturate(inChunk, chunkSaturation));
    }
    for (let at = paths.starts[id] ?? 0; at < (paths.starts[id + 1] ?? 0); at++) {
      const file = paths.documents[at] ?? 0;
      addToFile(file, 0);
      add(scores.files, file, value * (paths.weights[at] ?? 0));
    }
    for (const file of touched) {
      add(scores.files, file, value * saturate(frequencies[file] ?? 0, fileSaturation));
      add(covered, file, value);
      frequencies[file] = 0;
    }
  }
  return { ...scores, covered, possible: Math.max(possible, Number.MIN_VALUE) };
}

function symbolsByFile(index: SnapshotIndex, query: Query): Map<number, SymbolMatch[]> {
  const byFile = new Map<number, SymbolMatch[]>();
  for (const match of matchSymbols(index.symbols, query.names)) {
    const matches = byFile.get(match.symbol.file);
    if (matches === undefined) byFile.set(match.symbol.file, [match]);
    else matches.push(match);
  }
  return byFile;
}

function bestChunks(index: SnapshotIndex, file: number, scores: Float64Array): ScoredChunk[] {
  const end = index.files[file + 1]?.firstChunk ?? scores.length;
  const chunks: ScoredChunk[] = [];
  for (let chunk = index.files[file]?.firstChunk ?? end; chunk < end; chunk++) {
    const score = scores[chunk] ?? 0;
    if (score > 0) chunks.push({ chunk, score });
  }
  return chunks.sort((a, b) => b.score - a.score || a.chunk - b.chunk).slice(0, chunkShares.length);
}

/** How much of the question's weight a term carries: the fewer chunks hold it, the more. */
function rarity({ chunkCount, chunksWith }: TermStatistics, term: string): number {
  const count = chunksWith.get(term) ?? 0;
  return Math.log(1 + (chunkCount - count + 0.5) / (count + 0.5)) ** idfPower;
}

function chunkCountOf({ terms, body }: SnapshotIndex, term: string): number {
  const id = terms.get(term);
  return id === undefined ? 0 : (body.starts[id + 1] ?? 0) - (body.starts[id] ?? 0);
}

function saturate(frequency: number, saturation: number): number {
  return (frequency * (saturation + 1)) / (frequency + saturation);
}

function lengthNorm(length: number, average: number, share: number): number {
  return 1 - share + (share * length) / average;
}

function average(lengths: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < lengths.length; index++) sum += lengths[index] ?? 0;
  return Math.max(1, sum / Math.max(1, lengths.length));
}

function add(sums: Float64Array, index: number, amount: number): void {
  sums[index] = (sums[index] ?? 0) + amount;
}
