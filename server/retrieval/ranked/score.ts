import { contentWords, splitIdentifier } from "../../source/words.ts";
import type { SnapshotIndex, TextPlace } from "../index/snapshot-index.ts";
import { termsOf } from "../index/vocabulary.ts";
import { priorOf } from "./priors.ts";
import type { QueryPostings } from "./query-postings.ts";
import type { Query } from "./query.ts";
import { matchSymbols, type SymbolMatch } from "./symbols.ts";
import { scoreTexts } from "./text-scores.ts";

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

/** How rare terms are over all snapshots of a search, so that their scores compare. */
export interface TermStatistics {
  /** The value of each term of the question: the fewer chunks hold it, the higher. */
  values: readonly number[];
  /** The sum of all terms. */
  possible: number;
}

export function collectStatistics(all: readonly QueryPostings[], { terms }: Query): TermStatistics {
  const segments = all.flatMap(({ index }) => index.segments);
  const chunkCount = segments.reduce((sum, segment) => sum + segment.chunkCount, 0);
  const rarities = terms.map(({ term }) => {
    const holding = all.flatMap(({ bySegment }) => bySegment.map((postings) => postings.of(term)?.chunks.length ?? 0));
    return rarity(
      chunkCount,
      holding.reduce((sum, count) => sum + count, 0),
    );
  });
  // A synonym is worth no more than the word that the question has.
  const values = terms.map(({ weight, synonymOf }, number) => {
    const own = rarities[number] ?? 0;
    return weight * Math.min(own, rarities[synonymOf ?? number] ?? own);
  });
  return {
    values,
    possible: Math.max(
      values.reduce((sum, value, number) => (terms[number]?.synonymOf === undefined ? sum + value : sum), 0),
      Number.MIN_VALUE,
    ),
  };
}

/**
 * How common each word of a text is. A word that is in no file may be in a path. For an identifier, its joined parts
 * are looked up: `safeParse` is not in a tree that has `safe` and `parse`.
 */
export function wordShares(
  all: readonly { index: SnapshotIndex; postings: QueryPostings }[],
  text: string,
): { word: string; share: number }[] {
  const segments = all.flatMap(({ postings }) => postings.bySegment);
  const chunkCount = segments.reduce((sum, { used }) => sum + used.chunkCount, 0);
  return [...new Set(contentWords(text))].map((word) => {
    const parts = splitIdentifier(word);
    const terms = parts.length > 1 ? [parts.join("")] : termsOf(word);
    const holding = Math.max(
      0,
      ...terms.map((term) => segments.reduce((sum, one) => sum + (one.of(term)?.chunks.length ?? 0), 0)),
    );
    const isInPath = terms.some((term) => all.some(({ index }) => index.paths.get(term) !== undefined));
    return { word, share: Math.max(holding, isInPath ? 1 : 0) / Math.max(1, chunkCount) };
  });
}

/** The files that hold a term of the question or define a name of it, best first. */
export function scoreFiles(
  postings: QueryPostings,
  query: Query,
  {
    statistics,
    limit,
    accepted,
  }: {
    statistics: TermStatistics;
    limit: number;
    /** Their paths; undefined where all are. */
    accepted: ReadonlySet<string> | undefined;
  },
): ScoredFile[] {
  const { index } = postings;
  const texts = scoreTexts(postings, query, statistics.values);
  const symbols = matchSymbols(postings, query);
  const ofSubject = query.subject === undefined ? undefined : index.paths.get(query.subject);
  const scored: Omit<ScoredFile, "chunks">[] = [];
  for (const [file, indexed] of index.files.entries()) {
    const { path, place } = indexed;
    const fileScore = texts.files[file] ?? 0;
    const matches = symbols.get(file) ?? [];
    if ((fileScore === 0 && matches.length === 0) || accepted?.has(path) === false) continue;
    const [first, second, third] = bestScores(index, place, texts.chunks);
    const coverage = coverageShare * ((texts.covered[file] ?? 0) / statistics.possible) + 1 - coverageShare;
    const text = (fileScore + chunkShares[0] * first + chunkShares[1] * second + chunkShares[2] * third) * coverage;
    const name = nameWorth(matches[0]?.strength ?? 0, statistics);
    const prior = priorOf(indexed, query);
    const subject = ofSubject?.has(file) === true ? subjectWorth : 1;
    scored.push({ file, score: prior * subject * (text + name), symbols: matches });
  }
  return scored
    .sort((a, b) => b.score - a.score || a.file - b.file)
    .slice(0, limit)
    .map((best) => ({ ...best, chunks: bestChunks(index, index.files[best.file]?.place, texts.chunks) }));
}

/** What it is worth that a question names a definition; `strength` as of a `SymbolMatch`. */
export function nameWorth(strength: number, { possible }: TermStatistics): number {
  return symbolShare * strength * (symbolBase + Math.min(possible, possibleLimit));
}

// The weights are the best that were found on the development questions of the retrieval benchmark. Rare words are
// damped (idf to a power) so that one of them does not outvote the rest of the question.
const idfPower = 0.62;
const chunkShares = [1.3, 0.26, 0.32] as const;
const coverageShare = 0.3;
const symbolShare = 0.4;
const symbolBase = 8;
/**
 * With more terms, a name is worth no more: in a pasted issue, each plain word that is a name would outweigh the rest.
 */
const possibleLimit = 30;
/** The factor of a file in whose path the subject of the question is. */
const subjectWorth = 1.2;

/** Of as many chunks as `bestChunks` gives: nearly every file of a tree may hold a common word, and few are shown. */
function bestScores(
  { segments }: SnapshotIndex,
  { segment: number, file }: TextPlace,
  scores: readonly Float64Array[],
): readonly [number, number, number] {
  const firstChunks = segments[number]?.segment.firstChunks;
  const end = firstChunks?.[file + 1] ?? 0;
  let first = 0;
  let second = 0;
  let third = 0;
  for (let chunk = firstChunks?.[file] ?? end; chunk < end; chunk++) {
    const score = scores[number]?.[chunk] ?? 0;
    if (score > first) [first, second, third] = [score, first, second];
    else if (score > second) [second, third] = [score, second];
    else if (score > third) third = score;
  }
  return [first, second, third];
}

function bestChunks(
  index: SnapshotIndex,
  place: TextPlace | undefined,
  scores: readonly Float64Array[],
): ScoredChunk[] {
  if (place === undefined) return [];
  const { segment: number, file } = place;
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
