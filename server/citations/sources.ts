import { CitewellError } from "../errors.ts";
import type { ErrorTag } from "../protocol/error-tags.ts";
import { decodePath, encodeName } from "../protocol/passage.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import { indexText, type TextIndex } from "./quote.ts";
import { findScopes, type Scopes } from "./scopes.ts";

/** What the target of a marker comes to. */
export type Found =
  | {
      type: "file";
      snapshot: Snapshot;
      resource: string;
      path: string;
      citedRevision: string | undefined;
      /** The path of the marker, if it is only the end of that path and of no other. */
      written?: string;
    }
  | { type: "missing"; resource: string; path: string; revision: string; reason: string };
/** A file that was found. */
export type FoundFile = Extract<Found, { type: "file" }>;

/** A cited file as it is checked; one that is there and cannot be read says why, in words. */
export type Source =
  | { type: "text"; lineCount: number; index: () => TextIndex; scopes: () => Scopes }
  | { type: "unreadable"; reason: string };

/** The snapshots of one run, as citations name and read them. */
export interface Sources {
  /** Matches on the resource and the full path, else on the end of the path if just one file of the resource has it. */
  find(target: string): Found;
  /** The resources' names, each as it is and as tools print it. */
  names(): readonly string[];
  /** Reads each file once, also for concurrent requests. */
  read(file: FoundFile, options: { signal?: AbortSignal | undefined }): Promise<Source>;
}

/** The files that citations may refer to. */
export function createSources(snapshots: readonly Snapshot[]): Sources {
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
  return {
    find(target) {
      if (target === "") return { type: "missing", resource: "", path: "", revision: "", reason: noFileBefore };
      const named = findResource(target, snapshots);
      if (named === undefined) return { type: "missing", ...splitUnknown(target), revision: "" };
      const { snapshot, citedRevision } = named;
      const spellings = [decodePath(named.path), named.path].map(fromRoot);
      const path = spellings.find((spelling) => has(snapshot, spelling));
      const { resource, revision } = snapshot;
      if (path !== undefined) return { type: "file", snapshot, resource, path, citedRevision };
      for (const written of spellings) {
        const [only, second] = written === "" ? [] : pathsEndingWith(written, snapshot);
        if (only !== undefined && second === undefined)
          return { type: "file", snapshot, resource, path: only, citedRevision, written };
      }
      return { type: "missing", resource, path: spellings[0] ?? "", revision, reason: "no such file" };
    },
    names: () => snapshots.flatMap(namesOf),
    read(file, { signal }) {
      const key = `${file.resource}\0${file.path}`;
      const reading = reads.get(key) ?? readSource(file, signal);
      reads.set(key, reading);
      return reading;
    },
  };
}

/** Why a short marker may be at fault. */
export const noFileBefore = "it names no file, and there is no citation before it";

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
  const named = snapshots.flatMap((snapshot) => readName(target, snapshot));
  if (named.length > 0) return named.reduce((best, file) => (file.nameLength > best.nameLength ? file : best));
  const [only, second] = snapshots;
  if (only === undefined || second !== undefined) return undefined;
  return { snapshot: only, citedRevision: undefined, path: target };
}

/** The target after the snapshot's name, which may be written encoded, as tools print it, or as it is. */
function readName(target: string, snapshot: Snapshot): (NamedFile & { nameLength: number })[] {
  return namesOf(snapshot).flatMap((name) => {
    const rest = target.startsWith(name) ? afterName.exec(target.slice(name.length)) : null;
    const { revision, path = "" } = rest?.groups ?? {};
    return rest === null ? [] : [{ snapshot, citedRevision: revision, path, nameLength: name.length }];
  });
}

function namesOf({ resource }: Snapshot): string[] {
  return [...new Set([encodeName(resource), resource])];
}

const afterName = /^(?:@(?<revision>[^:]+))?:(?<path>[^]+)$/;

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
    if (!(error instanceof CitewellError) || !unreadable.has(error.tag)) throw error;
    return { type: "unreadable", reason: error.message };
  }
}
