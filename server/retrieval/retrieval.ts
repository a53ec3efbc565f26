import { classOf, kindOf } from "./file-class.ts";
import { globSnapshots } from "./glob.ts";
import { grepSnapshots } from "./grep.ts";
import { createIndexes } from "./indexes.ts";
import { listFolder } from "./list.ts";
import { searchSnapshots } from "./search.ts";
import type { FileKind } from "../protocol/search.ts";
import type { SkippedFile, Snapshot } from "../resources/snapshot.ts";
import { createTextStore } from "./text-store.ts";

export interface FileReference {
  resource: string;
  path: string;
}

/** Lines found, as they are in the file. Lines are 1-based, inclusive. */
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
}

/** A file that was not searched, and why. */
export interface SkippedSearch extends FileReference, SkippedFile {}

export interface SearchOptions {
  query: string;
  limit: number;
  /** Only files whose path matches; without a slash, whose name does. */
  glob?: string | undefined;
  signal: AbortSignal | undefined;
}

export interface SearchResult {
  /** Best first; at most three of one file. */
  passages: RankedPassage[];
  skipped: SkippedSearch[];
  searchedFiles: number;
  /** When nothing was found: files whose names come close to the query. */
  nearest: FileReference[];
}

export interface GrepOptions {
  pattern: string;
  /** JavaScript syntax; a leading `(?i)` is understood. */
  isRegex: boolean;
  ignoreCase: boolean;
  wholeWord: boolean;
  glob?: string | undefined;
  contextLines: number;
  /** How many matching lines are shown. */
  limit: number;
  signal: AbortSignal | undefined;
}

/** Neighbouring matches of one file with their context. */
export interface GrepHit extends FileReference {
  startLine: number;
  endLine: number;
  lines: string[];
  /** Which of the lines match, by line number. */
  matchLines: number[];
}

export interface GrepResult {
  /** Source before tests and generated files; then by path and line. */
  hits: GrepHit[];
  /** Matching lines, shown or not. */
  total: number;
  filesWithHits: number;
  searchedFiles: number;
  /** What the result does not show, in words. */
  cut: string[];
  skipped: SkippedSearch[];
}

export interface GlobOptions {
  pattern: string;
  limit: number;
  signal: AbortSignal | undefined;
}

export interface GlobResult {
  files: (FileReference & { sizeBytes: number })[];
  /** Matching files, shown or not. */
  total: number;
  searchedFiles: number;
  /** When nothing matches: files whose names come close to the pattern. */
  nearest: FileReference[];
}

export interface Listing {
  /** Normalised; the root is "". */
  folder: string;
  /** Folders first, then files, each by name. A folder's size is that of the files below it. */
  entries: { name: string; type: "folder" | "file"; sizeBytes: number; fileCount: number }[];
  /** When there is no such folder: folders and files whose names come close. */
  nearest: string[];
}

export function kindOfPath(path: string): FileKind {
  return kindOf(classOf(path));
}

/** Finds passages, lines and files in snapshots; reads nothing but what a `Snapshot` gives. */
export interface Retrieval {
  search(snapshots: readonly Snapshot[], options: SearchOptions): Promise<SearchResult>;
  /** @throws InvalidRequest (empty pattern, no valid expression or glob) */
  grep(snapshots: readonly Snapshot[], options: GrepOptions): Promise<GrepResult>;
  /** @throws InvalidRequest (empty or overlong pattern) */
  glob(snapshots: readonly Snapshot[], options: GlobOptions): Promise<GlobResult>;
  list(snapshot: Snapshot, options: { folder: string }): Listing;
}

/** Decoded text kept between questions, over all snapshots; a tree that is larger is read again. */
const textLimit = 64 * 1024 * 1024;
/** Text whose index is kept between questions; an index takes about half the size of its text. */
const indexedLimitBytes = 128 * 1024 * 1024;

/** Keeps texts and indexes of the snapshots that were asked last, within fixed limits. */
export function createRetrieval(): Retrieval {
  const texts = createTextStore({ limit: textLimit });
  const indexes = createIndexes({ texts, limitBytes: indexedLimitBytes });
  return {
    search: (snapshots, options) => searchSnapshots(snapshots, { ...options, indexes, texts }),
    grep: (snapshots, options) => grepSnapshots(snapshots, { ...options, texts }),
    glob: (snapshots, options) => globSnapshots(snapshots, options),
    list: listFolder,
  };
}
