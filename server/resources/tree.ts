import path from "node:path";
import { CitewellError } from "../errors.ts";
import { createReusableBuffer } from "../lib/reusable-buffer.ts";
import { plainPathFault } from "../lib/plain-path.ts";
import { type SourceText } from "../source/source-text.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import type { SnapshotInfo } from "../protocol/ask.ts";
import { type FolderWalkOptions, type WalkFolder, walkFolder } from "./kept-walks.ts";
import type { SkippedFile, Snapshot } from "./snapshot.ts";
import { createTreeReader, decodeFile } from "./tree-reader.ts";
import { clockStepMs, type Walk } from "./walk.ts";

/** A tree on disk, and how to present it. */
export interface TreeOptions {
  /** The revision and its description for users; the counts are added. */
  info: Omit<SnapshotInfo, "directory" | "fileCount" | "skippedCount" | "skipped">;
  notes?: string | null | undefined;
  /** Files known to be missing from the tree, to be listed as skipped. */
  alsoSkipped?: readonly SkippedFile[];
  permalink?: Snapshot["permalink"];
  /** Whether the tree is read in place and may be changed by others. */
  isLiving?: boolean;
  /** Whether it is one tenant's. Default: false. */
  isPrivate?: boolean;
  diskBytes?: number | undefined;
  /** Releases the tree; called once. */
  release?: () => Promise<void>;
}

/** The part of a folder to read, and how to list its files. */
export interface OpenTreeOptions extends TreeOptions, FolderWalkOptions {
  /** Default: walk the folder now. */
  walk?: WalkFolder | undefined;
}

/**
 * The snapshot of a folder on disk.
 * @throws SearchPathNotFound
 */
export async function openTree(
  folder: string,
  { walk = walkFolder, searchPaths, exclude, signal, ...options }: OpenTreeOptions,
): Promise<Snapshot> {
  const { root, ...walked } = await walk(folder, { searchPaths, exclude, signal });
  return snapshotOf(root, walked, options);
}

/** How many of the files that are left out an answer names. */
const listedSkipped = 20;

/** The part of a walk that a snapshot needs. */
type WalkedTree = Pick<Walk, "files" | "skipped"> & Partial<Pick<Walk, "byPath">>;

/** The snapshot of a tree after a walk; `root` is a real path. */
export function snapshotOf(root: string, walk: WalkedTree, options: TreeOptions): Snapshot {
  const { info, isLiving = false, isPrivate = false, release = async () => {} } = options;
  const byPath = walk.byPath ?? new Map(walk.files.map((file) => [file.path, file]));
  const skipped = [...walk.skipped, ...(options.alsoSkipped ?? [])];
  const slices = createTimeSlices();
  const allocate = createReusableBuffer();
  const kept = isLiving ? createKeptTexts() : undefined;
  const settled = Date.now() - clockStepMs;
  let released: Promise<void> | undefined;
  return {
    resource: info.resource,
    revision: info.revision,
    info: {
      ...info,
      ...(isLiving ? { directory: root } : {}),
      fileCount: walk.files.length,
      skippedCount: skipped.length,
      ...(skipped.length === 0 ? {} : { skipped: skipped.slice(0, listedSkipped) }),
    },
    notes: options.notes ?? undefined,
    diskBytes: options.diskBytes,
    isPrivate,
    files: walk.files,
    skipped,
    async read(filePath, { signal } = {}) {
      signal?.throwIfAborted();
      const fault = plainPathFault(filePath);
      if (fault !== undefined) throw new CitewellError("InvalidPath", `${fault}: ${JSON.stringify(filePath)}`);
      const file = byPath.get(filePath) ?? refuse(filePath, walk, skipped, info.resource);
      const before = kept?.get(filePath);
      if (before !== undefined) return before;
      const text = await slices.run(() => decodeFile(filePath, createTreeReader(root, { allocate })(file)));
      signal?.throwIfAborted();
      kept?.add(text);
      return text;
    },
    stampOf(filePath) {
      const stamp = isLiving ? byPath.get(filePath)?.stamp : undefined;
      if (stamp === undefined || stamp.changedMs > settled) return undefined;
      return `${stamp.sizeBytes} ${stamp.changedMs} ${stamp.ino}`;
    },
    tree: { root, fileOf: (filePath) => byPath.get(filePath) },
    permalink: options.permalink ?? (() => undefined),
    pathOnDisk(filePath) {
      const file = isLiving ? byPath.get(filePath) : undefined;
      return file === undefined ? undefined : path.join(root, file.path);
    },
    [Symbol.asyncDispose]: () => (released ??= release()),
  };
}

function refuse(filePath: string, walk: WalkedTree, skipped: readonly SkippedFile[], resource: string): never {
  const found = skipped.find((file) => file.path === filePath);
  if (found !== undefined) throw new CitewellError("FileNotReadable", `${filePath} is not read: ${found.reason}`);
  const inside = walk.files.find((file) => file.path.startsWith(`${filePath}/`));
  if (inside !== undefined) {
    throw new CitewellError("FileNotFound", `${JSON.stringify(filePath)} is a folder of ${resource}`, {
      hint: `name a file in it, such as ${inside.path}`,
    });
  }
  const name = path.posix.basename(filePath);
  const others = walk.files.filter((file) => path.posix.basename(file.path) === name).slice(0, 3);
  throw new CitewellError("FileNotFound", `no file ${JSON.stringify(filePath)} in ${resource}`, {
    hint:
      others.length > 0
        ? `there is ${others.map((file) => file.path).join(", ")}`
        : "paths are relative to the resource's root; search finds files by words of their path",
  });
}

/** Capacity for texts of a tree that may change, so that a file reads the same again; in UTF-16 units. */
const keptLengthLimit = 32 * 1024 * 1024;

interface KeptTexts {
  get(path: string): SourceText | undefined;
  add(text: SourceText): void;
}

/** An LRU cache of texts. */
function createKeptTexts(): KeptTexts {
  const texts = new Map<string, SourceText>();
  let length = 0;
  return {
    get(filePath) {
      const text = texts.get(filePath);
      if (text === undefined) return undefined;
      texts.delete(filePath);
      texts.set(filePath, text);
      return text;
    },
    add(text) {
      if (texts.has(text.path)) return;
      texts.set(text.path, text);
      length += text.text.length;
      for (const [oldest, { text }] of texts) {
        if (length <= keptLengthLimit) return;
        texts.delete(oldest);
        length -= text.length;
      }
    },
  };
}
