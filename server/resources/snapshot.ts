import type { SourceText } from "../source/source-text.ts";
import type { SnapshotInfo } from "../protocol/ask.ts";
import type { LineRange } from "../protocol/citation.ts";
import type { WalkedFile } from "./walk.ts";

/** A file of a snapshot. Paths are relative to the root, with forward slashes, in code-unit order. */
export interface FileEntry {
  path: string;
  sizeBytes: number;
}

/** A file that is there and is not read, and why, in words: `12 MB, over the limit of 8 MB`. */
export interface SkippedFile {
  path: string;
  reason: string;
}

/**
 * A resource at one revision, and the only way to read its files. It never changes: what was read once reads the same
 * until it is disposed of, so that a citation opens the text that the model saw.
 */
export interface Snapshot extends AsyncDisposable {
  readonly resource: string;
  readonly revision: string;
  readonly info: SnapshotInfo;
  /** The user's notes on the resource, for the prompt. */
  readonly notes: string | undefined;
  /** Only what the resource's search paths let through. */
  readonly files: readonly FileEntry[];
  readonly skipped: readonly SkippedFile[];
  /**
   * The text of one of `files`.
   * @throws FileNotFound (no such path), FileNotReadable (binary, too large, changed on disk), InvalidPath (not a plain
   * relative path)
   */
  read(path: string, options?: { signal?: AbortSignal | undefined }): Promise<SourceText>;
  /** Where the files lie, for a thread or process that reads them there (`tree-reader.ts`); absent where they are none on disk. */
  readonly tree?: SnapshotTree | undefined;
  /** Of a file that others may change: stays the same as long as the file does, as far as that shows without reading. */
  stampOf(path: string): string | undefined;
  /** Where lines can be opened for good: a permanent link on the host, else undefined. */
  permalink(path: string, lines: LineRange): string | undefined;
  /** The absolute path of a file that is read where it lies (a local folder), else undefined. */
  pathOnDisk(path: string): string | undefined;
}

export interface SnapshotTree {
  /** A real path. */
  root: string;
  fileOf(path: string): WalkedFile | undefined;
}

/** Files larger than this are listed as skipped and never read: no source file that a person wrote is. */
export const fileSizeLimitBytes = 8 * 1024 * 1024;
