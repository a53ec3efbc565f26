import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf } from "../errors.ts";
import { plainPathFault } from "../lib/plain-path.ts";
import { decodeSource, type SourceText } from "../lib/source-text.ts";
import type { SnapshotInfo } from "../protocol/ask.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import { resolveSearchPaths } from "./search-paths.ts";
import type { SkippedFile, Snapshot } from "./snapshot.ts";
import { clockStepMs, type Exclude, isSameStamp, stampOf, type Walk, type WalkedFile, walkTree } from "./walk.ts";

export interface TreeOptions {
  /** The revision, and how it is told to people; the counts are added. */
  info: Omit<SnapshotInfo, "directory" | "fileCount" | "skippedCount">;
  notes?: string | null | undefined;
  /** Folders or files to which reading is limited, relative to the root. None: everything. */
  searchPaths?: readonly string[];
  exclude?: Exclude;
  /** What is known to be missing from the tree, to be listed as skipped. */
  alsoSkipped?: readonly SkippedFile[];
  permalink?: Snapshot["permalink"];
  /** Whether others may write into the tree, which is then read where it lies. */
  isLiving?: boolean;
  /** Gives back what holds the tree, once. */
  release?: () => Promise<void>;
  signal?: AbortSignal | undefined;
}

/**
 * The snapshot of a folder on disk.
 * @throws SearchPathNotFound
 */
export async function openTree(root: string, options: TreeOptions): Promise<Snapshot> {
  const realRoot = await realpath(root);
  const below = await resolveSearchPaths(realRoot, options.searchPaths ?? []);
  const walk = await walkTree(realRoot, { below, exclude: options.exclude, signal: options.signal });
  return snapshotOf(realRoot, walk, options);
}

/** The snapshot of a tree that was walked over already; `root` is a real path. */
export function snapshotOf(root: string, walk: Walk, options: Omit<TreeOptions, "searchPaths" | "exclude">): Snapshot {
  const { info, isLiving = false, release = async () => {} } = options;
  const byPath = new Map(walk.files.map((file) => [file.path, file]));
  const skipped = [...walk.skipped, ...(options.alsoSkipped ?? [])];
  const slices = createTimeSlices();
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
    },
    notes: options.notes ?? undefined,
    files: walk.files,
    skipped,
    async read(asked, { signal } = {}) {
      signal?.throwIfAborted();
      const fault = plainPathFault(asked);
      if (fault !== undefined) throw new CitewellError("InvalidPath", `${fault}: ${JSON.stringify(asked)}`);
      const file = byPath.get(asked) ?? refuse(asked, walk, skipped, info.resource);
      const before = kept?.get(asked);
      if (before !== undefined) return before;
      const bytes = await slices.run(() => readWalkedFile(root, file));
      signal?.throwIfAborted();
      const text = decodeSource(asked, bytes);
      if (text === undefined) throw new CitewellError("FileNotReadable", `${asked} is binary`);
      kept?.add(text);
      return text;
    },
    stampOf(asked) {
      const stamp = isLiving ? byPath.get(asked)?.stamp : undefined;
      if (stamp === undefined || stamp.mtimeMs > settled) return undefined;
      return `${stamp.sizeBytes} ${stamp.mtimeMs} ${stamp.ino}`;
    },
    permalink: options.permalink ?? (() => undefined),
    pathOnDisk(asked) {
      const file = isLiving ? byPath.get(asked) : undefined;
      return file === undefined ? undefined : path.join(root, file.path);
    },
    [Symbol.asyncDispose]: () => (released ??= release()),
  };
}

function refuse(asked: string, walk: Walk, skipped: readonly SkippedFile[], resource: string): never {
  const found = skipped.find((file) => file.path === asked);
  if (found !== undefined) throw new CitewellError("FileNotReadable", `${asked} is not read: ${found.reason}`);
  const inside = walk.files.find((file) => file.path.startsWith(`${asked}/`));
  if (inside !== undefined) {
    throw new CitewellError("FileNotFound", `${JSON.stringify(asked)} is a folder of ${resource}`, {
      hint: `name a file in it, such as ${inside.path}`,
    });
  }
  const name = path.posix.basename(asked);
  const others = walk.files.filter((file) => path.posix.basename(file.path) === name).slice(0, 3);
  throw new CitewellError("FileNotFound", `no file ${JSON.stringify(asked)} in ${resource}`, {
    hint:
      others.length > 0
        ? `there is ${others.map((file) => file.path).join(", ")}`
        : "paths are relative to the resource's root; search finds files by words of their path",
  });
}

/**
 * The bytes of a file as what it was when it was walked over: no link on the way, the same file, size and time.
 * Synchronous: for the small files that sources are, that is five times as fast.
 * @throws FileNotReadable
 */
export function readWalkedFile(root: string, file: WalkedFile): Uint8Array {
  try {
    const bytes = readInPlace(path.join(root, file.target), file);
    if (bytes === undefined) throw changedOnDisk(file.path);
    return bytes;
  } catch (error) {
    const code = codeOf(error);
    if (error instanceof CitewellError || code === undefined) throw error;
    if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") throw changedOnDisk(file.path);
    throw new CitewellError("FileNotReadable", `${file.path} cannot be read (${code})`, { cause: error });
  }
}

function readInPlace(absolute: string, { stamp, sizeBytes }: WalkedFile): Uint8Array | undefined {
  // A pipe that took the file's place must not block; Windows has neither flag.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const descriptor = openSync(absolute, flags);
  try {
    if (!isSameStamp(stampOf(fstatSync(descriptor)), stamp)) return undefined;
    if (realpathSync.native(absolute) !== absolute) return undefined;
    const bytes = Buffer.allocUnsafe(sizeBytes);
    return readSync(descriptor, bytes, 0, sizeBytes, 0) === sizeBytes ? bytes : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function changedOnDisk(filePath: string): CitewellError {
  return new CitewellError("FileNotReadable", `${filePath} changed on disk while the question ran`, {
    hint: "ask again to read it as it is now",
  });
}

/** How much text of a living tree is kept, so that what was read once reads the same; in UTF-16 units. */
const keptLengthLimit = 32 * 1024 * 1024;

interface KeptTexts {
  get(path: string): SourceText | undefined;
  add(text: SourceText): void;
}

/** The texts read last; when they grow too large, those not read for longest go. */
function createKeptTexts(): KeptTexts {
  const texts = new Map<string, SourceText>();
  let length = 0;
  return {
    get(asked) {
      const text = texts.get(asked);
      if (text === undefined) return undefined;
      texts.delete(asked);
      texts.set(asked, text);
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
