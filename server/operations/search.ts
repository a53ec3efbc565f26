import { CitewellError } from "../errors.ts";
import { findImported, ofPackage, type Origins } from "../agent/tools/imported.ts";
import { maskFound, maskText } from "../source/mask.ts";
import { formatPlace, type LineRange } from "../protocol/citation.ts";
import {
  countLines,
  countMatchLines,
  formatScope,
  type SearchHit,
  type SearchReply,
  type SearchRequest,
} from "../protocol/search.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import {
  type FileReference,
  hitsOf,
  kindOfPath,
  type LineQuery,
  type RankedPassage,
  type Retrieval,
  type SearchedFiles,
  type SearchResult,
} from "../retrieval/retrieval.ts";
import { patternLengthLimit } from "../retrieval/exact/pattern.ts";
import { formatRepeats } from "../retrieval/repeats.ts";
import type { Call, Context } from "./context.ts";
import { describeUnavailable, openTargetsQuietly } from "./open.ts";
import { knownTo } from "./known-resources.ts";
import { selectTargets } from "./targets.ts";

/** A person would rather wait for all of it than search twice; the time limits of clients are longer. */
const patienceMs = 20_000;

/** The most files that a reply names as skipped; of a folder of links to nowhere there may be a hundred thousand. */
const skippedLimit = 1000;

/** Searches the resources that a question would be about, without a model. @throws InvalidRequest */
export async function search(
  request: SearchRequest,
  { node: { retrieval }, tenant }: Context,
  { signal }: Call,
): Promise<SearchReply> {
  const { places, resources, followed, patience } = tenant;
  const known = await knownTo(tenant, request);
  const { resources: asked = [] } = request;
  // A line may be looked for by its tabs.
  if (request.mode !== "exact" && request.mode !== "regex" && request.query.trim() === "") {
    throw new CitewellError("InvalidRequest", "a query must not be empty", {
      hint: "an exact search finds white space",
    });
  }
  const owned: Snapshot[] = [];
  try {
    const { snapshots, unavailable } = await openTargetsQuietly(selectTargets(asked, known, places), {
      resources,
      followed,
      patience,
      areNamed: asked.length > 0,
      own: (snapshot) => owned.push(snapshot),
      signal,
    });
    const options = { retrieval, origins: tenant.projects.origins, signal };
    const { results, skipped, ...reply } = await finderOf(request)(snapshots, request, options);
    const isTooLong = skipped.length > skippedLimit;
    return {
      ...reply,
      results: await Promise.all(results.map((hit) => complete(hit, { snapshots, signal }))),
      skipped: skipped.slice(0, skippedLimit),
      ...(isTooLong ? { skippedFiles: skipped.length } : {}),
      ...describeUnavailable(unavailable),
    };
  } finally {
    await Promise.all(owned.map((snapshot) => snapshot[Symbol.asyncDispose]()));
  }
}

type Finder = (snapshots: readonly Snapshot[], request: SearchRequest, options: SearchOptions) => Promise<SearchReply>;

function finderOf({ mode, counts }: SearchRequest): Finder {
  switch (mode) {
    case "ranked":
      return searchRanked;
    case "definition":
      return searchDefinitions;
    case "references":
      return searchReferences;
    case "exact":
    case "regex":
      return counts === true ? countByFile : searchExactly;
  }
}

/**
 * As a model and a reader may see it, with where its lines open. What has changed on disk meanwhile is masked without
 * the lines around it.
 */
async function complete(
  { preview, ...hit }: SearchHit,
  { snapshots, signal }: { snapshots: readonly Snapshot[]; signal: AbortSignal },
): Promise<SearchHit> {
  const { resource, path, startLine } = hit;
  const lines = preview.split("\n");
  const snapshot = snapshots.find((candidate) => candidate.resource === resource);
  const file = await snapshot?.read(path, { signal }).catch(() => undefined);
  signal.throwIfAborted();
  const masked = file === undefined ? maskText(preview) : maskFound({ startLine, lines }, file.lines).join("\n");
  const url = snapshot?.permalink(path, hit);
  const pathOnDisk = snapshot?.pathOnDisk(path);
  return {
    ...hit,
    preview: masked,
    ...(url === undefined ? {} : { url }),
    ...(pathOnDisk === undefined ? {} : { pathOnDisk }),
  };
}

interface SearchOptions {
  retrieval: Retrieval;
  origins?: Origins | undefined;
  signal: AbortSignal;
}

async function searchRanked(
  snapshots: readonly Snapshot[],
  request: SearchRequest,
  { retrieval, signal }: SearchOptions,
): Promise<SearchReply> {
  const { query, glob, kinds, offset, limit, passageLines } = request;
  const options = { query, glob, kinds, patienceMs, offset, limit, passageLines, signal };
  const found = await retrieval.search(snapshots, options);
  const name = found.passages[0]?.lookedUp;
  const uses = await usesOf(name, snapshots, { request, retrieval, signal });
  const isEmpty = found.passages.length === 0 && (offset ?? 0) === 0;
  const cut = isEmpty && mayBeLine(query) ? await exactlyFound(snapshots, request, { retrieval, signal }) : {};
  return { ...toRankedReply(found), ...cut, ...moreIf(found.hasMore), ...uses };
}

/** Whether an exact search takes it. */
function mayBeLine(query: string): boolean {
  return query.length <= patternLengthLimit && !/[\r\n]/.test(query);
}

/** A ranked search finds words of two letters or more: nothing is "not found" that an exact search finds. */
async function exactlyFound(
  snapshots: readonly Snapshot[],
  request: SearchRequest,
  { retrieval, signal }: SearchOptions,
): Promise<Pick<SearchReply, "cut">> {
  const { total } = await retrieval.count(snapshots, toLineQuery(request, signal));
  return total === 0 ? {} : { cut: [`an exact search finds this text on ${countLines(total)}`] };
}

async function searchDefinitions(
  snapshots: readonly Snapshot[],
  request: SearchRequest,
  { retrieval, origins, signal }: SearchOptions,
): Promise<SearchReply> {
  const { query, glob, kinds, offset, limit } = request;
  const found = await retrieval.definitions(snapshots, { name: query, glob, kinds, offset, limit, signal });
  if (found.passages.length === 0 && origins !== undefined && (offset ?? 0) === 0) {
    const imports = await findImported(snapshots, { name: query, retrieval, origins, signal });
    const revisions = new Map(snapshots.map(({ resource, revision }) => [resource, revision]));
    const results = imports.origins.map(({ resource, path, line, module, text, ...origin }) => ({
      resource,
      path,
      startLine: line,
      endLine: line,
      score: 1,
      kind: kindOfPath(path),
      preview: text,
      reason: `imported from \`${module}\`${ofPackage(origin)}`,
      revision: revisions.get(resource) ?? "",
    }));
    if (results.length > 0) return { ...toRankedReply(found), results };
  }
  const name = found.passages.length === 0 ? undefined : query;
  const cut = found.cut.length === 0 ? {} : { cut: found.cut, hasMore: true as const };
  return { ...toRankedReply(found), ...cut, ...(await usesOf(name, snapshots, { request, retrieval, signal })) };
}

/** Documents mention a name more often than they use it. */
const kindsOfUses: SearchRequest["kinds"] = ["code", "config", "test"];

/** On the first page, the places that use the name. */
async function usesOf(
  name: string | undefined,
  snapshots: readonly Snapshot[],
  { request: { uses: limit, glob, kinds, offset = 0 }, retrieval, signal }: SearchOptions & { request: SearchRequest },
): Promise<Pick<SearchReply, "uses">> {
  if (name === undefined || limit === undefined || offset > 0) return {};
  const options = { name, glob, kinds: kinds ?? kindsOfUses, limit, signal };
  const { references, total } = await retrieval.references(snapshots, options);
  const places = references.flatMap(({ resource, path, matchLines, use, scope }) => {
    const around = scope.length === 0 ? {} : { scope: scope.map((one) => one.name).join(" › ") };
    return matchLines.map((line) => ({ resource, path, line, use, ...around }));
  });
  return { uses: { name, total, places: places.slice(0, limit) } };
}

async function searchReferences(
  snapshots: readonly Snapshot[],
  request: SearchRequest,
  { retrieval, signal }: SearchOptions,
): Promise<SearchReply> {
  const { query: name, glob, kinds, offset = 0, limit } = request;
  const found = await retrieval.references(snapshots, { name, glob, kinds, offset, limit, signal });
  const results = found.references.map(({ lines, use, scope, ...hit }) => {
    const preview = lines.join("\n");
    return { ...hit, score: 1, preview, reason: use, ...writtenScope(scope) };
  });
  const reply = toReply(found, () => retrieval.nearest(snapshots, toLineQuery(request, signal)));
  return { results, ...moreIf(offset + countMatchLines(results) < found.total), ...reply };
}

function toRankedReply({ passages, skipped, searchedFiles, pendingFiles, nearest }: SearchResult): SearchReply {
  const results = passages.map((found) => {
    const { lines, scope, lookedUp, continuesTo, repeats, ...passage } = found;
    const also = repeats && formatRepeats(repeats, (place) => nameBeside(place, passage));
    return {
      ...passage,
      ...(also === undefined ? {} : { reason: `${passage.reason}, ${also}` }),
      preview: lines.join("\n"),
      ...writtenScope(scope),
      ...(lookedUp === undefined ? {} : { isLookedUp: true }),
      ...(continuesTo === undefined ? {} : { continuesTo }),
      ...(also === undefined ? {} : { also }),
    };
  });
  return {
    results,
    searchedFiles,
    ...(nearest.length === 0 ? {} : { nearest }),
    skipped,
    ...(pendingFiles === 0 ? {} : { pendingFiles }),
  };
}

/** `lib/a.js:3-9`, with the resource if it is another. */
function nameBeside({ resource, path, ...lines }: FileReference & LineRange, beside: FileReference): string {
  return formatPlace(resource === beside.resource ? path : `${resource}:${path}`, lines);
}

/** Exact hits are alike: they all score 1, and stand in the order of paths. */
async function searchExactly(
  snapshots: readonly Snapshot[],
  request: SearchRequest,
  { retrieval, signal }: SearchOptions,
): Promise<SearchReply> {
  const { contextLines = 0, offset = 0 } = request;
  const query = toLineQuery(request, signal);
  const { files, ...found } = await retrieval.grep(snapshots, { ...query, contextLines });
  const revisions = new Map(snapshots.map(({ resource, revision }) => [resource, revision]));
  const hits = await retrieval.withScopes(snapshots, hitsOf(files, { contextLines }), { signal });
  const results = hits.map(({ resource, path, startLine, endLine, lines, matchLines, scope }) => ({
    resource,
    path,
    startLine,
    endLine,
    score: 1,
    kind: kindOfPath(path),
    ...writtenScope(scope),
    preview: lines.join("\n"),
    revision: revisions.get(resource) ?? "",
    matchLines,
  }));
  const reply = toReply(found, () => retrieval.nearest(snapshots, query));
  return { results, ...moreIf(offset + countMatchLines(results) < found.total), ...reply };
}

function moreIf(hasMore: boolean): Pick<SearchReply, "hasMore"> {
  return hasMore ? { hasMore } : {};
}

async function countByFile(
  snapshots: readonly Snapshot[],
  request: SearchRequest,
  { retrieval, signal }: SearchOptions,
): Promise<SearchReply> {
  const query = toLineQuery(request, signal);
  const { files, ...found } = await retrieval.count(snapshots, query);
  const counts = files.map(({ count, ...file }) => ({ ...file, matches: count }));
  const reply = toReply(found, () => retrieval.nearest(snapshots, query));
  const { offset = 0 } = request;
  const more = moreIf(offset + counts.length < found.filesWithHits);
  return { results: [], counts, matchingFiles: found.filesWithHits, ...more, ...reply };
}

function writtenScope(scope: RankedPassage["scope"]): Pick<SearchHit, "scope"> {
  return scope.length === 0 ? {} : { scope: formatScope(scope) };
}

function toLineQuery(
  { query, mode, ignoreCase = false, wholeWord = false, glob, kinds, offset, limit }: SearchRequest,
  signal: AbortSignal,
): LineQuery {
  return { pattern: query, isRegex: mode === "regex", ignoreCase, wholeWord, glob, kinds, offset, limit, signal };
}

/** What both have; files of a similar name are looked for only where no line matches. */
function toReply(
  { total, cut, searchedFiles, skipped }: SearchedFiles & { total: number },
  findNearest: () => FileReference[],
): Omit<SearchReply, "results"> {
  const nearest = total > 0 ? [] : findNearest();
  return {
    matches: total,
    searchedFiles,
    ...(nearest.length === 0 ? {} : { nearest }),
    skipped,
    ...(cut.length === 0 ? {} : { cut }),
  };
}
