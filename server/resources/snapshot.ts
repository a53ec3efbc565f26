import type { SourceText } from "../source/source-text.ts";
import type { SnapshotInfo } from "../protocol/ask.ts";
import type { LineRange } from "../protocol/citation.ts";
import type { WalkedFile } from "./walk.ts";

/** A file of a snapshot. Paths are relative to the root, with forward slashes, in code-unit order. */
export interface FileEntry {
  path: string;
  sizeBytes: number;
}

/** A file that exists but is not read, and the reason in words: `12 MB, over the limit of 8 MB`. */
export interface SkippedFile {
  path: string;
  reason: string;
}

/**
 * A resource at one revision, and the only way to read its files. It never changes: a file reads the same until
 * disposal, so that a citation opens the text that the model saw.
 *
 * It refuses every path that leaves it, and follows no link out of it. It masks nothing: `source/mask.ts` does that
 * for models and people. Dispose of it when the question ends; until then its files stay on disk.
 */
export interface Snapshot extends AsyncDisposable {
  readonly resource: string;
  readonly revision: string;
  readonly info: SnapshotInfo;
  /** The commit, for a snapshot that was opened at one; its message has no addresses. */
  readonly commit?: SnapshotCommit | undefined;
  /** The user's notes on the resource, for the prompt. */
  readonly notes: string | undefined;
  /** The files in the resource's search paths. */
  readonly files: readonly FileEntry[];
  readonly skipped: readonly SkippedFile[];
  /**
   * The text of one of `files`.
   * @throws FileNotFound (no such path), FileNotReadable (binary, too large, changed on disk), InvalidPath (not a plain
   * relative path)
   */
  read(path: string, options?: { signal?: AbortSignal | undefined }): Promise<SourceText>;
  /**
   * Reads files at once, where reading each takes a process of its own; `read` then has them. What is too large or not
   * there is skipped.
   */
  preload?(paths: readonly string[], options: { signal: AbortSignal }): Promise<void>;
  /** Equal for equal contents, without reading them. */
  contentIdOf?(path: string): string | undefined;
  /** Whether it is one tenant's: what is made of it is kept apart from what others get. */
  readonly isPrivate?: boolean;
  /** The location of the files, for threads and processes (`tree-reader.ts`); absent if they are not on disk. */
  readonly tree?: SnapshotTree | undefined;
  /** The size of all its files on disk, of a fetched one. */
  readonly diskBytes?: number | undefined;
  /** A stamp of a file that others may change: unchanged while size, times and inode are. */
  stampOf(path: string): string | undefined;
  /** The permanent link to lines on the host; with `commit` and an empty path, to the commit. Undefined if there is none. */
  permalink(path: string, lines: LineRange): string | undefined;
  /** The absolute path of a file that is read in place (a local folder), else undefined. */
  pathOnDisk(path: string): string | undefined;
}

/** The commit of a snapshot. */
export interface SnapshotCommit {
  shortId: string;
  /** The author's ISO day. */
  date: string;
  author: string;
  subject: string;
  /** The whole message. */
  message: string;
}

/** The location of a snapshot's files. */
export interface SnapshotTree {
  /** A real path. */
  root: string;
  fileOf(path: string): WalkedFile | undefined;
}

/** Larger files are listed as skipped and never read: no source file written by hand is that large. */
export const fileSizeLimitBytes = 8 * 1024 * 1024;
