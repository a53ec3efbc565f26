import type { FileEntry, Snapshot } from "../../resources/snapshot.ts";
import { isDrawing } from "../file-class.ts";
import type { SnapshotIndex } from "../index/snapshot-index.ts";
import type { TextStore } from "../text-store.ts";
import { readClosely, type ReadCandidate } from "./close-reading.ts";
import { preferCurrentVersion } from "./current-version.ts";
import { type Candidate, preferPhrases } from "./phrases.ts";
import { parseQuery, type Query } from "./query.ts";
import type { QueryPostings } from "./query-postings.ts";
import { collectStatistics, type ScoredFile, scoreFiles, type TermStatistics } from "./score.ts";
import { createTermFinder, type TermFinder } from "./term-finder.ts";
import { preferWordPairs } from "./word-pairs.ts";

/** A snapshot that is searched. */
export interface SearchedSnapshot {
  snapshot: Snapshot;
  index: SnapshotIndex;
  postings: QueryPostings;
  /** Those that are searched. */
  files: readonly FileEntry[];
  /** Their paths; undefined where all are searched. */
  accepted: ReadonlySet<string> | undefined;
}

export interface RankOptions {
  /** How many files each snapshot gives at most. */
  limit: number;
  /** Whether drawings are searched, too. */
  wantsDrawings: boolean;
  texts: TextStore;
  signal: AbortSignal | undefined;
}

/** Files that fit a text, best first, and what their passages are chosen by. */
export interface Ranking {
  query: Query;
  statistics: TermStatistics;
  findTerms: TermFinder;
  candidates: readonly ReadCandidate[];
}

/** Ranks the files of all snapshots by the words and names of a text. */
export async function rankFiles(
  searched: readonly SearchedSnapshot[],
  text: string,
  { limit, wantsDrawings, texts, signal }: RankOptions,
): Promise<Ranking> {
  const query = parseQuery(text, { resources: searched.map(({ snapshot }) => snapshot.resource) });
  const statistics = collectStatistics(
    searched.map(({ postings }) => postings),
    query,
  );
  const scored = searched
    .flatMap(({ snapshot, index, accepted, postings }) => {
      const files = scoreFiles(postings, query, { statistics, accepted, limit });
      return withoutBuilds(index, files, query)
        .filter(({ file }) => wantsDrawings || !isDrawing(index.files[file]?.path ?? ""))
        .map((scored): Candidate => ({ snapshot, index, scored }));
    })
    .sort((a, b) => b.scored.score - a.scored.score);
  const current = await preferCurrentVersion(scored, { text, texts, signal });
  const quoting = await preferPhrases(current, { phrases: query.phrases, texts, signal });
  const findTerms = createTermFinder(query);
  const candidates = preferWordPairs(
    await readClosely(quoting, { findTerms, texts, signal, asksForTests: query.asksFor.has("tests") }),
    { query, statistics },
  );
  return { query, statistics, findTerms, candidates };
}

/**
 * Drops build output whose source was also found, unless the output scores higher despite its penalty. Declarations stay
 * if the question is about types.
 */
function withoutBuilds(index: SnapshotIndex, scored: ScoredFile[], query: Query): ScoredFile[] {
  const scores = new Map(scored.map(({ file, score }) => [index.files[file]?.path, score]));
  return scored.filter(({ file, score }) => {
    const { twinOf, fileClass } = index.files[file] ?? {};
    if (twinOf === undefined || (fileClass === "declaration" && query.asksFor.has("types"))) return true;
    return score > (scores.get(twinOf) ?? 0);
  });
}
