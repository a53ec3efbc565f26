import { CitewellError } from "../errors.ts";
import { formatLines, formatPlace, type LineRange } from "../protocol/citation.ts";
import type { HistoryRequest } from "../protocol/git-history.ts";
import { shorten } from "../protocol/shorten.ts";
import { quoteValue } from "../protocol/validation.ts";
import { readContents } from "../resources/git/history/commit-snapshot.ts";
import type { HistoryRepository } from "../resources/git/history/history-repository.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { Retrieval } from "../retrieval/retrieval.ts";
import { decodeSource } from "../source/source-text.ts";
import { findCommitted } from "./committed-lines.ts";
import { placeIn } from "./on-disk.ts";
import type { Places } from "./targets.ts";

/** What looking into a history needs. */
export interface Look {
  repository: HistoryRepository;
  signal: AbortSignal;
}

/** A place of the snapshot: a path, perhaps one that is gone, or a definition. */
export interface FoundPlace {
  path: string;
  range?: LineRange | undefined;
  /** The name of the definition. */
  name?: string | undefined;
  isFolder: boolean;
  /** Whether the snapshot has it. */
  isThere: boolean;
  /** Other places that the name may mean. */
  also: readonly string[];
}

/** What the history is of, at the commit that it is read from. */
export interface Subject {
  of: string;
  path?: string | undefined;
  /** In the repository. */
  paths: readonly string[];
  range?: LineRange | undefined;
  isFolder: boolean;
}

/** @throws InvalidRequest (nothing or too much is asked for) */
export function requireSubject({ place, text, commit, blame, regex }: HistoryRequest): void {
  const hint = "give a place, a text or a commit";
  if (commit !== undefined && (place !== undefined || text !== undefined)) {
    throw new CitewellError("InvalidRequest", "a commit is asked for without a place and a text", { hint });
  }
  if (commit === undefined && place === undefined && text === undefined) {
    throw new CitewellError("InvalidRequest", "the history of what is not said", { hint });
  }
  if (blame === true && (place === undefined || text !== undefined)) {
    throw new CitewellError("InvalidRequest", "blame is of lines of a place", {
      hint: "give a path, perhaps with lines",
    });
  }
  if (regex === true && text === undefined) {
    throw new CitewellError("InvalidRequest", "regex goes with a text", { hint: "give the expression as text" });
  }
}

/** The place that a request names; undefined if it names none. A definition that is not there is a path that may be gone. */
export async function findPlace(
  snapshot: Snapshot,
  { place }: HistoryRequest,
  { retrieval, places, signal }: { retrieval: Pick<Retrieval, "definitions">; places: Places; signal: AbortSignal },
): Promise<FoundPlace | undefined> {
  if (place === undefined) return undefined;
  const { path: written, ranges = [] } = placeIn(snapshot, { resource: snapshot.resource, path: place }, places);
  const path = written.replace(/^(?:\.?\/)+|\/+$/g, "");
  const range = ranges[0] && { startLine: ranges[0].startLine, endLine: Math.max(...ranges.map((one) => one.endLine)) };
  if (snapshot.files.some((file) => file.path === path)) {
    return { path, range, isFolder: false, isThere: true, also: [] };
  }
  if (path === "" || path === "." || snapshot.files.some((file) => file.path.startsWith(`${path}/`))) {
    return { path: path === "." ? "" : path, isFolder: true, isThere: true, also: [] };
  }
  const { passages } = range === undefined ? await definitionsOf(path) : { passages: [] };
  const [first, ...others] = passages;
  if (first === undefined) return { path, range, isFolder: false, isThere: false, also: [] };
  const { startLine, endLine, continuesTo = endLine } = first;
  const also = others.map((other) => formatPlace(other.path, other));
  return {
    path: first.path,
    range: { startLine, endLine: continuesTo },
    name: path,
    isFolder: false,
    isThere: true,
    also,
  };

  function definitionsOf(name: string) {
    return retrieval.definitions([snapshot], { name, limit: 5, signal });
  }
}

/** What the history is of, in the repository. @throws InvalidPath, FileNotFound (not committed) */
export async function subjectOf(
  place: FoundPlace | undefined,
  {
    snapshot,
    request,
    revision,
    notes,
    repository,
    signal,
  }: Look & { snapshot: Snapshot; request: HistoryRequest; revision: string; notes: string[] },
): Promise<Subject> {
  const { text, commit } = request;
  const quoted = text === undefined ? "" : `the text ${JSON.stringify(shorten(text, 80))}`;
  if (place === undefined) {
    const of = commit === undefined ? quoted : `commit ${commit}`;
    return { of, paths: commit === undefined && repository.root !== "" ? [repository.root] : [], isFolder: true };
  }
  const inRepository = repository.toRepository(place.path);
  if (inRepository.startsWith("../")) throw outside(place.path, snapshot);
  if (place.also.length > 0) notes.push(`${place.name} is also defined at ${place.also.join(", ")}`);
  const { path, isFolder } = place;
  const prefix = quoted === "" ? "" : `${quoted} in `;
  const subject = { path, paths: inRepository === "" ? [] : [inRepository], isFolder };
  // A text is looked for in the whole file.
  if (place.range === undefined || text !== undefined) {
    return { ...subject, of: `${prefix}${path === "" ? snapshot.resource : path}` };
  }
  const range = await committedRange(place.range);
  const lines = formatPlace(path, range);
  return { ...subject, range, of: place.name === undefined ? lines : `${place.name} (${lines})` };

  /** Lines are those of the snapshot; a folder may have uncommitted edits. */
  async function committedRange(range: LineRange): Promise<LineRange> {
    if (request.revision !== undefined || snapshot.info.type === "git") return range;
    const { lines: now } = await snapshot.read(path, { signal });
    const bytes = await readContents(repository, `${revision}:${inRepository}`, { signal }).catch((cause: unknown) => {
      const isGone = cause instanceof CitewellError && cause.tag === "RepositoryFailed";
      throw isGone ? notCommitted(place?.path ?? path, cause) : cause;
    });
    const committed = bytes && decodeSource(path, bytes);
    if (committed === undefined) return range;
    const found = findCommitted(now, committed.lines, {
      startLine: range.startLine,
      endLine: Math.min(range.endLine, now.length),
    });
    if (found.range === undefined) throw notCommitted(formatPlace(path, range));
    if (found.uncommitted > 0) {
      const { uncommitted } = found;
      notes.push(`${uncommitted} of the lines ${uncommitted === 1 ? "is" : "are"} not committed`);
    }
    if (found.range.startLine !== range.startLine || found.range.endLine !== range.endLine) {
      notes.push(`${path} has uncommitted edits: these are lines ${formatLines(found.range)} of the committed file`);
    }
    return found.range;
  }
}

/** Of a place without commits: whether it can have some. @throws FileNotFound */
export function refuseUnknown(
  { path, isThere, isFolder }: FoundPlace,
  request: HistoryRequest,
  { resource }: Snapshot,
): void {
  const { text, since, revision } = request;
  if (!isThere) {
    throw new CitewellError(
      "FileNotFound",
      `${resource} has no path and no definition ${quoteValue(path)}, and had none`,
      {
        hint: "search for it first, or look for commits with this text",
      },
    );
  }
  if (!isFolder && text === undefined && since === undefined && revision === undefined) throw notCommitted(path);
}

function outside(path: string, { resource }: Snapshot): CitewellError {
  return new CitewellError("InvalidPath", `${quoteValue(path)} is not in the repository of ${resource}`);
}

function notCommitted(place: string, cause?: unknown): CitewellError {
  return new CitewellError("FileNotFound", `${place} is not committed: it has no history yet`, {
    hint: "commit it first, or ask about lines that are",
    cause,
  });
}
