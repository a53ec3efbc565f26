import { filesNamedIn, pointersIn } from "../../source/pointers.ts";
import type { IndexedFile } from "../index/snapshot-index.ts";
import { pointedPlaces } from "./pointed-places.ts";
import { once } from "../once.ts";
import { readClosely } from "./close-reading.ts";
import type { PastedIssue } from "./pasted-issue.ts";
import type { Candidate } from "./phrases.ts";
import { priorOf } from "./priors.ts";
import type { Query } from "./query.ts";
import { type Ranking, rankFiles, type RankOptions, type SearchedSnapshot } from "./rank-files.ts";

/** What each list of files counts, whose best file has 1. Tuned (bench/tune-issues.ts). */
export const issueWeights = { title: 0.8, prose: 1.5, whole: 2, paths: 1.4, trace: 1 };

export type IssueList = keyof typeof issueWeights;

/** The files of a list and what they are worth there, the best 1. */
type ListedFiles = ReadonlyMap<IndexedFile, number>;

/** A file with what each list says of it. */
export interface ListedFile {
  candidate: Candidate;
  shares: Readonly<Record<IssueList, number>>;
}

/**
 * Ranks the files of all snapshots for a pasted issue: its title, its prose and all of it are searched for one by one, and
 * the scores added to those of the files that it names. In one search, the longest part would outvote the others.
 */
export async function rankIssue(
  searched: readonly SearchedSnapshot[],
  issue: PastedIssue,
  options: RankOptions & { pasted: string },
): Promise<Ranking> {
  const { whole, listed } = await listFiles(searched, issue, options);
  const candidates = listed
    .map(({ candidate, shares }) => ({ ...candidate, scored: { ...candidate.scored, score: weigh(shares) } }))
    .sort((a, b) => b.scored.score - a.scored.score);
  return {
    ...whole,
    candidates: await readClosely(candidates, {
      findTerms: whole.findTerms,
      asksForTests: whole.query.asksFor.has("tests"),
      ...options,
    }),
  };
}

/** What the lists of an issue hold. */
export async function listFiles(
  searched: readonly SearchedSnapshot[],
  issue: PastedIssue,
  { pasted, ...options }: RankOptions & { pasted: string },
): Promise<{ whole: Ranking; listed: ListedFile[] }> {
  const whole = await rankFiles(searched, issue.text, options);
  const title = await rankFiles(searched, issue.title, options);
  const prose = await rankFiles(searched, issue.prose, options);
  const named = namedFiles(searched, { pasted, query: whole.query });
  const candidates = new Map<IndexedFile, Candidate>();
  const add = ({ snapshot, index, scored }: Candidate) => {
    const file = index.files[scored.file];
    if (file !== undefined && !candidates.has(file)) candidates.set(file, { snapshot, index, scored });
  };
  for (const found of [whole, prose, title, named]) for (const candidate of found.candidates) add(candidate);
  const lists = {
    title: sharesOf(title),
    prose: sharesOf(prose),
    whole: sharesOf(whole),
    paths: named.paths,
    trace: named.trace,
  };
  const listed = [...candidates].map(([file, candidate]) => ({
    candidate,
    shares: {
      title: lists.title.get(file) ?? 0,
      prose: lists.prose.get(file) ?? 0,
      whole: lists.whole.get(file) ?? 0,
      paths: lists.paths.get(file) ?? 0,
      trace: lists.trace.get(file) ?? 0,
    },
  }));
  return { whole, listed };
}

function weigh(shares: ListedFile["shares"]): number {
  return listNames.reduce((sum, name) => sum + issueWeights[name] * shares[name], 0);
}

const listNames = ["title", "prose", "whole", "paths", "trace"] as const satisfies readonly IssueList[];

function sharesOf({ candidates }: Ranking): ListedFiles {
  const best = candidates[0]?.scored.score ?? 1;
  return new Map(
    candidates.flatMap(({ index, scored }) => {
      const file = index.files[scored.file];
      return file === undefined ? [] : [[file, scored.score / best] as const];
    }),
  );
}

/** The files that the text names by their paths, and those of its traces, the innermost first. */
function namedFiles(
  searched: readonly SearchedSnapshot[],
  { pasted, query }: { pasted: string; query: Query },
): { candidates: Candidate[]; paths: ListedFiles; trace: ListedFiles } {
  const pointers = pointersIn(pasted);
  const unlined = filesNamedIn(pasted).map((path) => ({ path, isFrame: false }));
  const paths = new Map<IndexedFile, number>();
  const trace = new Map<IndexedFile, number>();
  const candidates: Candidate[] = [];
  for (const one of searched) {
    const { snapshot, index } = one;
    const numbers = once(() => new Map(index.files.map(({ path }, number) => [path, number])));
    for (const { isFrame, path } of pointedPlaces([one], [...pointers, ...unlined])) {
      const number = numbers().get(path) ?? -1;
      const file = index.files[number];
      const list = isFrame ? trace : paths;
      if (file === undefined || list.has(file)) continue;
      const prior = priorOf(file, query);
      list.set(file, prior / (isFrame ? list.size + 1 : 1));
      candidates.push({ snapshot, index, scored: { file: number, score: 0, chunks: [], symbols: [] } });
    }
  }
  return { candidates, paths, trace };
}
