import type { ResourceSpec } from "../protocol/resource.ts";
import type { SearchHit, SearchReply, SearchRequest } from "../protocol/search.ts";
import type { Resources } from "../resources/resources.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { kindOfPath, type Retrieval } from "../retrieval/retrieval.ts";
import { openTargetsQuietly } from "./open.ts";
import { type Places, selectTargets } from "./targets.ts";

export interface SearchContext {
  configured: readonly ResourceSpec[];
  places: Places;
  resources: Resources;
  retrieval: Retrieval;
}

type Found = Omit<SearchReply, "results"> & { hits: SearchHit[] };

/** A person would rather wait for all of it than search twice; the time limits of clients are longer. */
const patienceMs = 20_000;

/** The most that a search looks through where only some kinds of files are wanted. */
const widestLimit = 500;

/** One search over the resources that a question would be asked of, without the model. */
export async function search(
  request: SearchRequest,
  { configured, places, resources, retrieval }: SearchContext,
  { signal }: { signal: AbortSignal },
): Promise<SearchReply> {
  const { resources: asked = [], kinds, limit } = request;
  const owned: Snapshot[] = [];
  try {
    const { snapshots } = await openTargetsQuietly(selectTargets(asked, configured, places), {
      resources,
      areNamed: asked.length > 0,
      own: (snapshot) => owned.push(snapshot),
      signal,
    });
    const options = { limit: kinds === undefined ? limit : widestLimit, signal };
    const { hits, ...found } =
      request.mode === "ranked"
        ? await searchRanked(snapshots, request, { retrieval, ...options })
        : await searchExactly(snapshots, request, { retrieval, ...options });
    const wanted = kinds === undefined ? hits : hits.filter(({ kind }) => kinds.includes(kind));
    return { results: wanted.slice(0, limit), ...found };
  } finally {
    await Promise.all(owned.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}

interface SearchOptions {
  retrieval: Retrieval;
  limit: number;
  signal: AbortSignal;
}

async function searchRanked(
  snapshots: readonly Snapshot[],
  { query }: SearchRequest,
  { retrieval, limit, signal }: SearchOptions,
): Promise<Found> {
  const options = { query, patienceMs, limit, signal };
  const { passages, skipped, pendingFiles } = await retrieval.search(snapshots, options);
  const hits = passages.map(({ resource, path, startLine, endLine, score, kind, lines, revision }) => {
    return { resource, path, startLine, endLine, score, kind, preview: lines.join("\n"), revision };
  });
  return { hits, skipped, ...(pendingFiles === 0 ? {} : { pendingFiles }) };
}

/** Exact hits are alike: they all score 1, and stand in the order of paths. */
async function searchExactly(
  snapshots: readonly Snapshot[],
  { query, mode }: SearchRequest,
  { retrieval, ...options }: SearchOptions,
): Promise<Found> {
  const found = await retrieval.grep(snapshots, {
    pattern: query,
    isRegex: mode === "regex",
    ignoreCase: false,
    wholeWord: false,
    contextLines: 0,
    ...options,
  });
  const revisions = new Map(snapshots.map(({ resource, revision }) => [resource, revision]));
  const hits = found.hits.map(({ resource, path, startLine, endLine, lines }) => ({
    resource,
    path,
    startLine,
    endLine,
    score: 1,
    kind: kindOfPath(path),
    preview: lines.join("\n"),
    revision: revisions.get(resource) ?? "",
  }));
  return { hits, skipped: found.skipped };
}
