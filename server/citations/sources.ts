import { CitewellError } from "../errors.ts";
import { type CitationState, isSameRevision } from "../protocol/citation.ts";
import type { ErrorTag } from "../protocol/error-tags.ts";
import { decodePath, encodeName } from "../protocol/passage.ts";
import type { Snapshot, SnapshotCommit } from "../resources/snapshot.ts";
import type { Opened } from "./cited-resources.ts";
import { indexText, type TextIndex } from "./quote.ts";
import { findScopes, type Scopes } from "./scopes.ts";

/** What the target of a marker comes to. */
export type Found = FoundFile | FoundCommit | NotFound;

/** A file that was found. */
export interface FoundFile {
  type: "file";
  snapshot: Snapshot;
  resource: string;
  path: string;
  /** A revision other than the snapshot's, whose files cannot be had. */
  citedRevision?: string | undefined;
  /** The path of the marker, if it is only the end of that path and of no other. */
  written?: string;
}

/** A commit that is cited itself. */
export interface FoundCommit {
  type: "commit";
  snapshot: Snapshot;
  commit: SnapshotCommit;
  resource: string;
  path: "";
}

/** Why there is nothing to check. */
export interface NotFound {
  type: Extract<CitationState, "missing" | "not-read">;
  resource: string;
  path: string;
  revision: string;
  /** The revision that is cited, if it is not the resource's snapshot. */
  commit?: { id: string } | undefined;
  reason: string;
}

/** A cited file as it is checked; one that is there and cannot be read says why, in words. */
export type Source =
  | { type: "text"; lineCount: number; index: () => TextIndex; scopes: () => Scopes }
  | { type: "unreadable"; reason: string };

/** The snapshots of one run, as citations name and read them. */
export interface Sources {
  /**
   * Matches on the resource and the full path, else on the end of the path if just one file of the resource has it, at
   * the revision that the target names.
   */
  find(target: string, options: { signal?: AbortSignal | undefined }): Promise<Found>;
  /** The same in the snapshots as they are. */
  findHere(target: string): FoundFile | NotFound;
  /** The resources' names, each as it is and as tools print it. */
  names(): readonly string[];
  /** The names of those that may have commits. */
  namesWithCommits(): readonly string[];
  /** Reads each file once, also for concurrent requests. */
  read(file: FoundFile, options: { signal?: AbortSignal | undefined }): Promise<Source>;
}

/** Opens what else of a snapshot's repository is cited. */
export interface Revisions {
  /**
   * A snapshot with its `commit`, or why there is none; undefined if the resource has no commits. Each is opened once, and
   * stays open as long as the run.
   */
  open(snapshot: Snapshot, cited: { path: string; revision: string }): Promise<Opened | undefined>;
}

/** The files that citations may refer to; without `revisions`, those of the snapshots only. */
export function createSources(snapshots: readonly Snapshot[], revisions?: Revisions): Sources {
  const paths = new Map<Snapshot, ReadonlySet<string>>();
  const reads = new Map<string, Promise<Source>>();
  const allPaths = (snapshot: Snapshot): ReadonlySet<string> => {
    const known = paths.get(snapshot) ?? pathsOf(snapshot);
    paths.set(snapshot, known);
    return known;
  };
  const has = (snapshot: Snapshot, path: string) => allPaths(snapshot).has(path);
  const pathsEndingWith = (end: string, snapshot: Snapshot): string[] =>
    [...allPaths(snapshot)].filter((path) => path.endsWith(`/${end}`));

  const findNamed = ({ snapshot, citedRevision, path: target }: NamedFile): FoundFile | NotFound => {
    const spellings = spellingsOf(target);
    const path = spellings.find((spelling) => has(snapshot, spelling));
    const { resource, revision, commit } = snapshot;
    if (path !== undefined) return { type: "file", snapshot, resource, path, citedRevision };
    for (const written of spellings) {
      const [only, second] = written === "" ? [] : pathsEndingWith(written, snapshot);
      if (only !== undefined && second === undefined)
        return { type: "file", snapshot, resource, path: only, citedRevision, written };
    }
    const [missing = ""] = spellings;
    if (commit === undefined) return { type: "missing", resource, path: missing, revision, reason: "no such file" };
    const { shortId: id } = commit;
    return { type: "missing", resource, path: missing, revision, commit: { id }, reason: `no such file at ${id}` };
  };

  return {
    findHere(target) {
      const named = findResource(target, snapshots);
      return named === undefined || named.path === "" ? unknownResource(target) : findNamed(named);
    },
    async find(target, { signal }) {
      const named = findResource(target, snapshots);
      if (named === undefined) return unknownResource(target);
      const { snapshot, citedRevision, path } = named;
      if (citedRevision === undefined) return findNamed(named);
      const { resource, revision, commit } = snapshot;
      if (isSameRevision(citedRevision, revision) && (path !== "" || commit !== undefined)) {
        return inCommit(snapshot, path) ?? findNamed({ ...named, citedRevision: undefined });
      }
      const [file = ""] = spellingsOf(path);
      const opened = await revisions?.open(snapshot, { path: file, revision: citedRevision });
      signal?.throwIfAborted();
      const id = decodePath(citedRevision);
      const fault = { resource, path: file, revision: id, commit: { id } };
      if (opened?.type === "failed") {
        const { isGone, reason } = opened;
        return isGone
          ? { type: "missing", ...fault, reason }
          : { type: "not-read", ...fault, reason: `not checked: ${reason}` };
      }
      if (opened !== undefined) {
        const at = { ...named, snapshot: opened.snapshot, citedRevision: undefined };
        return inCommit(opened.snapshot, path) ?? findNamed(at);
      }
      if (path !== "") return findNamed(named);
      const reason = revisions === undefined ? "not checked: history is not read here" : `${resource} has no commits`;
      return { type: revisions === undefined ? "not-read" : "missing", ...fault, reason };
    },
    names: () => snapshots.flatMap(namesOf),
    namesWithCommits: () => snapshots.filter(mayHaveCommits).flatMap(namesOf),
    read(file, { signal }) {
      const key = `${file.resource}\0${file.snapshot.revision}\0${file.path}`;
      const reading = reads.get(key) ?? readSource(file, signal);
      reads.set(key, reading);
      return reading;
    },
  };
}

/** Whether a snapshot may be of a repository. */
export function mayHaveCommits({ info: { type } }: Snapshot): boolean {
  return type === "git" || type === "local";
}

/** Why a short marker may be at fault. */
export const noFileBefore = "it names no file, and there is no citation before it";

function unknownResource(target: string): NotFound {
  if (target === "") return { type: "missing", resource: "", path: "", revision: "", reason: noFileBefore };
  return { type: "missing", ...splitUnknown(target), revision: "" };
}

/** The commit itself, if no path is cited. */
function inCommit(snapshot: Snapshot, path: string): FoundCommit | undefined {
  const { commit, resource } = snapshot;
  return path === "" && commit !== undefined ? { type: "commit", snapshot, commit, resource, path } : undefined;
}

/** A path may be written encoded. */
function spellingsOf(path: string): string[] {
  return [decodePath(path), path].map(fromRoot);
}

/** Why a listed file does not open after all: binary, or gone or changed since it was listed. */
const unreadable: ReadonlySet<ErrorTag> = new Set(["FileNotReadable", "FileNotFound"]);

interface NamedFile {
  snapshot: Snapshot;
  citedRevision: string | undefined;
  path: string;
}

/**
 * The longest known name that the target begins with wins: names may hold `:`, `@` and `/` themselves, as one-off
 * references do. With only one resource, a target without its name is a path in it.
 */
function findResource(target: string, snapshots: readonly Snapshot[]): NamedFile | undefined {
  if (target === "") return undefined;
  const named = snapshots.flatMap((snapshot) => readName(target, snapshot));
  if (named.length > 0) return named.reduce((best, file) => (file.nameLength > best.nameLength ? file : best));
  const [only, second] = snapshots;
  if (only === undefined || second !== undefined) return undefined;
  const { revision, path = "" } = commitAlone.exec(target)?.groups ?? {};
  if (revision !== undefined) return { snapshot: only, citedRevision: revision, path };
  return { snapshot: only, citedRevision: undefined, path: target };
}

/** The target after the snapshot's name, which may be written encoded, as tools print it, or as it is. */
function readName(target: string, snapshot: Snapshot): (NamedFile & { nameLength: number })[] {
  return namesOf(snapshot).flatMap((name) => {
    const rest = target.startsWith(name) ? afterName.exec(target.slice(name.length)) : null;
    const { commit, revision = commit, path = "" } = rest?.groups ?? {};
    return rest === null ? [] : [{ snapshot, citedRevision: revision, path, nameLength: name.length }];
  });
}

function namesOf({ resource }: Snapshot): string[] {
  return [...new Set([encodeName(resource), resource])];
}

/** The id of a commit without a resource, perhaps with a path: seven hex digits that are neither a number nor a word. */
const commitAlone = /^(?=[a-f]*\d)(?=\d*[a-f])(?<revision>[0-9a-f]{7,64}(?:[\^~]\d{0,9})*)(?::(?<path>[^]+))?$/;

/** Whether a text is the id of a commit, and nothing else. */
export function isCommitAlone(target: string): boolean {
  return commitAlone.exec(target)?.groups?.["path"] === undefined && commitAlone.test(target);
}

const afterName = /^(?:@(?<revision>[^:]+))?:(?<path>[^]+)$|^@(?<commit>[^:]+)$/;

/** Splits for display only: a path has fewer colons than a resource's name. */
function splitUnknown(target: string): { resource: string; path: string; reason: string } {
  const colon = target.lastIndexOf(":");
  const path = fromRoot(decodePath(target.slice(colon + 1)));
  if (colon === -1) return { resource: "", path, reason: "it names no resource" };
  return { resource: decodePath(target.slice(0, colon)), path, reason: "no such resource was asked" };
}

/** `./src/a.ts` and `/src/a.ts` are the full path of the same file: paths start at the resource's root. */
function fromRoot(path: string): string {
  return path.replace(/^(?:\.?\/)+/, "");
}

function pathsOf({ files, skipped }: Snapshot): ReadonlySet<string> {
  return new Set([...files, ...skipped].map(({ path }) => path));
}

async function readSource({ snapshot, path }: FoundFile, signal: AbortSignal | undefined): Promise<Source> {
  const skipped = snapshot.skipped.find((file) => file.path === path);
  if (skipped !== undefined) return { type: "unreadable", reason: skipped.reason };
  try {
    const { lines } = await snapshot.read(path, { signal });
    let index: TextIndex | undefined;
    let scopes: Scopes | undefined;
    return {
      type: "text",
      lineCount: lines.length,
      index: () => (index ??= indexText(lines)),
      scopes: () => (scopes ??= findScopes(path, lines)),
    };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof CitewellError)) throw error;
    // A commit's files are read by git, perhaps from a host.
    if (snapshot.commit !== undefined && !unreadable.has(error.tag))
      return { type: "unreadable", reason: `not checked: ${error.message}` };
    if (!unreadable.has(error.tag)) throw error;
    return { type: "unreadable", reason: error.message };
  }
}
