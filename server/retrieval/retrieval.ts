import type { FileKind } from "../protocol/search.ts";
import type { Scope } from "../source/definitions.ts";
import type { SkippedFile, Snapshot } from "../resources/snapshot.ts";
import { countInSnapshots, grepSnapshots, nearestToPattern } from "./exact/grep.ts";
import { hitsIn } from "./exact/hits.ts";
import { createSearchThreads } from "./exact/search-threads.ts";
import { classOf, kindOf } from "./file-class.ts";
import { DamagedIndex } from "./format/index-file.ts";
import { globSnapshots } from "./glob.ts";
import { createDiskIndexStore, createMemoryIndexStore } from "./index/index-store.ts";
import { createFileIndexer } from "./indexing/index-files.ts";
import { createIndexProcess } from "./indexing/index-process.ts";
import { createIndexes, type Indexes, type Preparation, type PrepareOptions } from "./indexing/indexes.ts";
import { createSegmentMaker } from "./indexing/segment-maker.ts";
import { listFolder } from "./list.ts";
import { findNamed } from "./named/find-definitions.ts";
import { findReferences } from "./named/find-references.ts";
import { findPointed } from "./named/pointed.ts";
import { searchSnapshots } from "./ranked/search.ts";
import type { Repeats } from "./repeats.ts";
import { withScopes } from "./scopes.ts";
import { createTextStore } from "./text-store.ts";

/** A file of a resource. */
export interface FileReference {
  resource: string;
  path: string;
}

/**
 * Lines found, as they are in the file; of one that is too long to show, the part that was looked for. 1-based,
 * inclusive.
 */
export interface RankedPassage extends FileReference {
  revision: string;
  startLine: number;
  endLine: number;
  lines: string[];
  /** Comparable within one result only. */
  score: number;
  kind: FileKind;
  /** Why it is there, in words: "defines `handle`", "matches retry, after". */
  reason: string;
  /** The places of definitions that repeat it. */
  repeats?: Repeats | undefined;
  /** The last line of a longer definition whose beginning it is. */
  continuesTo?: number | undefined;
  /** The definitions around it, the outermost first; empty where it is a whole one of the file's. */
  scope: Scope[];
  /** The name of a definition in it that a short question asks for. */
  lookedUp: string | undefined;
}

/** A file that was not searched, and why. */
export interface SkippedSearch extends FileReference, SkippedFile {}

/** The files that are looked into: all of them, where nothing is said. */
export interface FileFilter {
  /** Those whose path matches; without a slash, whose name does. */
  glob?: string | undefined;
  kinds?: readonly FileKind[] | undefined;
}

/** Options of a ranked search. */
export interface SearchOptions extends FileFilter {
  query: string;
  /** How many passages to skip; pages are consistent as long as `limit` is the same. Default: 0. */
  offset?: number | undefined;
  limit: number;
  /** A longer passage is narrowed to the lines that fit best. Default: as it was found, 60 lines at most. */
  passageLines?: number | undefined;
  /**
   * How long to wait for an index that is being made, before the search goes on with what is there. Default: by its
   * size.
   */
  patienceMs?: number | undefined;
  signal: AbortSignal | undefined;
}

/** The passages of a ranked search. */
export interface SearchResult {
  /** Best first; at most three of one file. */
  passages: RankedPassage[];
  skipped: SkippedSearch[];
  searchedFiles: number;
  /** Files that are not indexed yet: a later search will look into them. */
  pendingFiles: number;
  /** Files whose names come close to the query, if nothing was found. */
  nearest: FileReference[];
}

/** The definitions of a name. */
export interface DefinitionsResult extends SearchResult {
  /** What the result does not show, in words. */
  cut: string[];
}

/** The result of a search, and how common its words are in the files that it searched. */
export interface WordSearchResult extends SearchResult {
  /** Whether passages follow these. */
  hasMore: boolean;
  words: WordShare[];
}

/** The share of the indexed parts of files that have a word, in any of its endings: 0 if none has. */
export interface WordShare {
  word: string;
  share: number;
}

/** The pattern, and how many results to return. */
export interface LineQuery extends FileFilter {
  pattern: string;
  /** JavaScript syntax, and what ripgrep has besides (`expression-syntax.ts`). */
  isRegex: boolean;
  ignoreCase: boolean;
  wholeWord: boolean;
  /** How many matching lines, or files, are left out before those that are shown. Default: none. */
  offset?: number | undefined;
  /** How many matching lines, or files, are shown. */
  limit: number;
  signal: AbortSignal | undefined;
}

/** Options of an exact search. */
export interface GrepOptions extends LineQuery {
  contextLines: number;
}

/** `offset` and `limit` are of files. */
export type CountOptions = LineQuery;

/** Matching lines of one file with those around them. */
export interface MatchesInFile extends FileReference {
  /** 1-based. */
  matchLines: number[];
  /** Those and the lines around them, each once, in order, each ended by `\n`, in UTF-8. */
  text: Buffer;
}

/** Neighbouring matches of one file with their context. */
export interface GrepHit extends FileReference {
  startLine: number;
  endLine: number;
  lines: string[];
  /** Which of the lines match, by line number. */
  matchLines: number[];
}

/** What an exact search looked at. */
export interface SearchedFiles {
  searchedFiles: number;
  /** What the result does not show, in words. */
  cut: string[];
  skipped: SkippedSearch[];
}

/** The matching lines of an exact search. */
export interface GrepResult extends SearchedFiles {
  /** Source before tests and generated files; then by path. */
  files: MatchesInFile[];
  /** Matching lines, shown or not. */
  total: number;
  filesWithHits: number;
}

/** How many lines of a file match: one at least. */
export interface FileCount extends FileReference {
  count: number;
}

/** The numbers of matching lines by file. */
export interface CountResult extends SearchedFiles {
  /** Those with most matching lines first; then source before tests and generated files. */
  files: FileCount[];
  /** Matching lines of all files, shown or not. */
  total: number;
  filesWithHits: number;
}

/** A name as the code writes it, perhaps with its owner: `next`, `Retry.next`. */
export interface NamedOptions extends FileFilter {
  name: string;
  offset?: number | undefined;
  limit: number;
  signal: AbortSignal | undefined;
}

/** The places that use a name. */
export interface ReferencesResult extends SearchedFiles {
  references: (GrepHit & { revision: string; kind: FileKind; use: "calls" | "uses" | "imports"; scope: Scope[] })[];
  /** Places, shown or not. */
  total: number;
}

/** Options of a search for files. */
export interface GlobOptions {
  pattern: string;
  limit: number;
  signal: AbortSignal | undefined;
}

/** The files whose paths match. */
export interface GlobResult {
  files: (FileReference & { sizeBytes: number })[];
  /** Matching files, shown or not. */
  total: number;
  searchedFiles: number;
  /** Files whose names come close to the pattern, if nothing matches. */
  nearest: FileReference[];
}

/** The content of a folder. */
export interface Listing {
  /** Normalised; the root is "". */
  folder: string;
  /** Folders first, then files, each by name. A folder's size is that of the files below it. */
  entries: { name: string; type: "folder" | "file"; sizeBytes: number; fileCount: number }[];
  /** Folders and files whose names come close, if there is no such folder. */
  nearest: string[];
}

/** Matches with the lines around them; those that touch make one hit. */
export function hitsOf(files: readonly MatchesInFile[], { contextLines }: { contextLines: number }): GrepHit[] {
  return files.flatMap((file) => hitsIn(file, contextLines));
}

/** The kind of a file by its path. */
export function kindOfPath(path: string): FileKind {
  return kindOf(classOf(path));
}

/**
 * Finds passages, lines, definitions and files in open snapshots: for the model's tools, for the operation `search`,
 * and for the built-in provider.
 *
 * It reads files only through the `Snapshot`, opens no resource and masks no secret. A search never waits for a whole
 * index: what is missing is scanned or reported. docs/development/index-design.md describes the index; `ranked/`,
 * `exact/` and `named/` are the three ways to search.
 */
export interface Retrieval {
  /** Begins to index a snapshot, until it is disposed of: before the snapshot is. */
  prepare(snapshot: Snapshot, options?: PrepareOptions): Preparation;
  /**
   * The files of a snapshot's index, which another node can read from its own index directory; none if it is not built.
   */
  indexFiles(snapshot: Snapshot): Promise<string[]>;
  search(snapshots: readonly Snapshot[], options: SearchOptions): Promise<WordSearchResult>;
  /** @throws InvalidRequest (empty pattern, no valid expression or glob) */
  grep(snapshots: readonly Snapshot[], options: GrepOptions): Promise<GrepResult>;
  /** All lines that match, none of them shown. @throws InvalidRequest (as `grep`) */
  count(snapshots: readonly Snapshot[], options: CountOptions): Promise<CountResult>;
  /** The definitions of a name, whole, the best first. */
  definitions(snapshots: readonly Snapshot[], options: NamedOptions): Promise<DefinitionsResult>;
  /** The lines that use a name, calls first. */
  references(snapshots: readonly Snapshot[], options: NamedOptions): Promise<ReferencesResult>;
  /** Adds to each hit of an exact search the definitions around it. */
  withScopes(
    snapshots: readonly Snapshot[],
    hits: readonly GrepHit[],
    options: { signal: AbortSignal | undefined },
  ): Promise<(GrepHit & { scope: Scope[] })[]>;
  /** Files whose names come close to the words of a pattern, for one that matches nothing. */
  nearest(snapshots: readonly Snapshot[], options: Pick<LineQuery, "pattern" | "isRegex">): FileReference[];
  /** @throws InvalidRequest (empty or overlong pattern) */
  glob(snapshots: readonly Snapshot[], options: GlobOptions): Promise<GlobResult>;
  list(snapshot: Snapshot, options: { folder: string }): Listing;
}

/** Retrieval for callers that share it. */
export interface SharedRetrieval extends Retrieval {
  /**
   * The same for one group of callers. Large exact searches of a group do not hold up those of another; calls that are
   * not made through a group are one group.
   */
  inGroup(group: string): Retrieval;
}

/** The time limit of an exact search: after it, the results so far are returned. */
const deadlineMs = 10_000;

/** Decoded text kept between questions, over all snapshots; what is larger is read again. */
const textLimit = 12 * 1024 * 1024;

/** Where indexes are kept, and which workers build and search them. */
export interface RetrievalOptions {
  /**
   * The folder of the indexes; those of private snapshots are in `<directory>-private`. Without it, they are in memory.
   */
  directory?: string | undefined;
  /**
   * The module of `index-worker.ts`, with the environment to run it in; without it, indexes are made in this process.
   */
  worker?: URL | undefined;
  environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** The module of `search-worker.ts`; without it, exact search reads everything in this thread. */
  searchWorker?: URL | undefined;
}

/** Creates the search over one index directory. */
export function createRetrieval({
  directory,
  worker,
  environment = {},
  searchWorker,
}: RetrievalOptions = {}): SharedRetrieval {
  const texts = createTextStore({ limit: textLimit });
  const maker = createSegmentMaker();
  function openIndexes(place: string | undefined): Indexes {
    const store = place === undefined ? createMemoryIndexStore() : createDiskIndexStore(place);
    const indexHere = createFileIndexer({ store, texts, maker });
    const indexing =
      place === undefined || worker === undefined
        ? { indexFiles: indexHere }
        : createIndexProcess(worker, { directory: place, environment, indexHere });
    return createIndexes({ store, ...indexing });
  }
  const indexes = withPrivate(openIndexes(directory), () => openIndexes(directory && `${directory}-private`));
  const searchInThreadsOf = searchWorker && createSearchThreads(searchWorker);
  const mending = createMending(indexes);
  function inGroup(group: string): Retrieval {
    const services = { indexes, texts, searchInThread: searchInThreadsOf?.(group), deadlineMs };
    const grep: Retrieval["grep"] = (snapshots, options) =>
      mending(snapshots, () => grepSnapshots(snapshots, { ...options, ...services }));
    return {
      prepare: (snapshot, options) => indexes.prepare(snapshot, options),
      indexFiles: (snapshot) => indexes.filesOf(snapshot),
      search: (snapshots, options) =>
        mending(snapshots, () => {
          const findPointedAt = () => findPointed(snapshots, { ...options, ...services });
          return searchSnapshots(snapshots, { ...options, ...services, findPointedAt });
        }),
      grep,
      count: (snapshots, options) => mending(snapshots, () => countInSnapshots(snapshots, { ...options, ...services })),
      definitions: (snapshots, options) => mending(snapshots, () => findNamed(snapshots, { ...options, ...services })),
      references: (snapshots, options) => findReferences(snapshots, options, { grep, texts }),
      withScopes: (snapshots, hits, { signal }) => withScopes(hits, { snapshots, texts, signal }),
      nearest: nearestToPattern,
      glob: (snapshots, options) => globSnapshots(snapshots, options),
      list: listFolder,
    };
  }
  return { ...inGroup("default"), inGroup };
}

/**
 * Keeps the indexes of private snapshots apart. An index reuses segments of other indexes for equal files, so the index
 * of a public snapshot, which is copied to other nodes, could otherwise contain a segment of a private one.
 */
function withPrivate(usual: Indexes, openPrivate: () => Indexes): Indexes {
  let opened: Indexes | undefined;
  const at = ({ isPrivate = false }: Snapshot) => (isPrivate ? (opened ??= openPrivate()) : usual);
  return {
    of: (snapshot, options) => at(snapshot).of(snapshot, options),
    now: (snapshot) => at(snapshot).now(snapshot),
    prepare: (snapshot, options) => at(snapshot).prepare(snapshot, options),
    pause: (snapshot) => at(snapshot).pause(snapshot),
    filesOf: (snapshot) => at(snapshot).filesOf(snapshot),
    mend: (snapshot) => at(snapshot).mend(snapshot),
  };
}

/** A damaged index is thrown away and made again; the question hears nothing of it. */
function createMending(indexes: Indexes) {
  return async <Result>(snapshots: readonly Snapshot[], run: () => Promise<Result>): Promise<Result> => {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof DamagedIndex)) throw error;
      for (const snapshot of snapshots) await indexes.mend(snapshot);
      return run();
    }
  };
}
