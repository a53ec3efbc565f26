import { type Dirent, lstatSync, opendirSync, readdirSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { plainPathFault } from "../lib/plain-path.ts";
import { type FileEntry, fileSizeLimitBytes, type SkippedFile } from "./snapshot.ts";

/** Resolution of timestamps in milliseconds: a file may change again without trace within this time. */
export const clockStepMs = 50;

/** Shows whether a file on disk has changed since the walk. */
export interface Stamp {
  sizeBytes: number;
  /**
   * The later of modification and status change: tools such as `rsync` and `touch -r` set the modification time back.
   */
  changedMs: number;
  ino: number;
}

/** A file to read: `path` is its name, `target` the location of its bytes (another path for a link). */
export interface WalkedFile extends FileEntry {
  target: string;
  stamp: Stamp;
}

/** The result of a walk. */
export interface Walk {
  files: WalkedFile[];
  skipped: SkippedFile[];
}

/**
 * Why a path is excluded, in words (empty if it need not be reported), or undefined. Called for a folder before its
 * entries.
 */
export type Exclude = (path: string, entry: ExcludeEntry) => string | undefined;

/** Decides which entries a walk excludes. */
export interface ExcludeEntry {
  isFolder: boolean;
  /** Whether the folder that contains the entry may have a file of this lower-case name. */
  mayHaveSibling: (name: string) => boolean;
}

/** More files are not a source tree; each takes about a kilobyte of memory until it is indexed. */
const entryLimit = 500_000;

/** The limits of a walk. */
export interface WalkOptions {
  /** Folders or files to start at, relative to the root. Default: the root. */
  below?: readonly string[];
  exclude?: Exclude | undefined;
  /** The maximum number of entries. */
  limit?: number;
  signal?: AbortSignal | undefined;
}

/**
 * The files below `root` (a real path), in code-unit order of the paths. Links are never followed out of the tree: a
 * link to a file of the walk reads as that file, any other is skipped. In a tree that is too large, the deepest folders
 * are skipped.
 */
export async function walkTree(
  root: string,
  { below = [""], exclude = () => undefined, limit = entryLimit, signal }: WalkOptions = {},
): Promise<Walk> {
  const files = new Map<string, WalkedFile>();
  const skipped: SkippedFile[] = [];
  const links: string[] = [];
  signal?.throwIfAborted();
  let sliceStart = performance.now();
  for (const found of walkBelow(root, { below, exclude, limit })) {
    if (found.type === "file") files.set(found.file.path, found.file);
    else if (found.type === "link") links.push(found.path);
    else skipped.push({ path: found.path, reason: found.reason });
    if (performance.now() - sliceStart < sliceMs) continue;
    await setImmediate();
    signal?.throwIfAborted();
    sliceStart = performance.now();
  }
  const linked: WalkedFile[] = [];
  for (const link of links) {
    const target = linkTarget(root, link);
    const file = target.path === undefined ? undefined : files.get(target.path);
    if (file === undefined) skipped.push({ path: link, reason: target.reason });
    else linked.push({ ...file, path: link });
  }
  return { files: [...files.values(), ...linked].sort(byPath), skipped: skipped.sort(byPath) };
}

/** How long the walk may block the event loop, in milliseconds: synchronous calls are several times faster. */
const sliceMs = 10;

type Found =
  | { type: "file"; file: WalkedFile }
  | { type: "link"; path: string }
  | { type: "skipped"; path: string; reason: string };

/** Breadth-first. */
function* walkBelow(
  root: string,
  { below, exclude, limit }: { below: readonly string[]; exclude: Exclude; limit: number },
): Generator<Found> {
  const folders: string[] = [];
  for (const start of below) {
    const stats = lstatSync(path.join(root, start), { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) folders.push(start);
    else yield examine(root, start);
  }
  let left = limit;
  for (const folder of folders) {
    const skipFolder = (reason: string): Found => ({ type: "skipped", path: folder === "" ? "." : folder, reason });
    if (left === 0) {
      yield skipFolder(tooManyReason(limit));
      continue;
    }
    try {
      const entries = entriesOf(path.join(root, folder));
      const mayHaveSibling = (name: string) =>
        !Array.isArray(entries) || entries.some((entry) => isCalled(entry, name));
      for (const entry of entries) {
        if (left === 0) {
          yield skipFolder(`read in part: ${tooManyReason(limit)}`);
          break;
        }
        left--;
        const entryPath = folder === "" ? entry.name : `${folder}/${entry.name}`;
        const isFolder = entry.isDirectory();
        const reason = nameFault(entry.name) ?? exclude(entryPath, { isFolder, mayHaveSibling });
        if (reason === "") continue;
        if (reason !== undefined) yield { type: "skipped", path: entryPath, reason };
        else if (isFolder) folders.push(entryPath);
        else if (entry.isSymbolicLink()) yield { type: "link", path: entryPath };
        else yield examine(root, entryPath);
      }
    } catch (error) {
      if (codeOf(error) === undefined) throw error;
      yield skipFolder(failureReason(error));
    }
  }
}

/**
 * Reads a small folder with one call, which takes half the time. The size of a folder limits the number of its entries
 * to some thousands, except on Windows, where it is zero; some file systems report the number itself.
 */
const smallFolderSize = 100_000;

function entriesOf(folder: string): Dirent[] | Generator<Dirent> {
  const { size } = lstatSync(folder);
  return size > 0 && size < smallFolderSize ? readdirSync(folder, { withFileTypes: true }) : readOneByOne(folder);
}

/** Ignores case, as some file systems do. */
function isCalled({ name }: Dirent, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted;
}

/** A folder may have more entries than fit into memory. */
function* readOneByOne(folder: string): Generator<Dirent> {
  const opened = opendirSync(folder, { bufferSize: 256 });
  try {
    for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
  } finally {
    opened.closeSync();
  }
}

function tooManyReason(limit: number): string {
  return `the tree has more than ${limit.toLocaleString("en")} files; ask about one of its folders`;
}

function examine(root: string, entryPath: string): Found {
  const skip = (reason: string): Found => ({ type: "skipped", path: entryPath, reason });
  let stats: Stats | undefined;
  try {
    // Both are plain paths: `path.join` would take a third of the walk's time.
    stats = lstatSync(`${root}${path.sep}${entryPath}`, { throwIfNoEntry: false });
  } catch (error) {
    return skip(failureReason(error));
  }
  if (stats === undefined) return skip(goneReason);
  const reason = unreadableReason(stats);
  if (reason !== undefined) return skip(reason);
  const file = { path: entryPath, target: entryPath, sizeBytes: stats.size, stamp: stampOf(stats) };
  return { type: "file", file };
}

/** The stamp of a file. */
export function stampOf({ size, mtimeMs, ctimeMs, ino }: Pick<Stats, "size" | "mtimeMs" | "ctimeMs" | "ino">): Stamp {
  return { sizeBytes: size, changedMs: Math.max(mtimeMs, ctimeMs), ino };
}

/** Whether two stamps are equal. */
export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.sizeBytes === b.sizeBytes && a.changedMs === b.changedMs && a.ino === b.ino;
}

const goneReason = "removed while the folder was read";

function unreadableReason(stats: Stats): string | undefined {
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  if (stats.isBlockDevice() || stats.isCharacterDevice()) return "a device";
  if (!stats.isFile()) return "not a regular file";
  if (stats.size > fileSizeLimitBytes) return tooLargeReason(stats.size);
  return undefined;
}

/** `12 MB, over the limit of 8 MB` */
export function tooLargeReason(sizeBytes?: number): string {
  const limit = `over the limit of ${fileSizeLimitBytes / 1024 / 1024} MB`;
  return sizeBytes === undefined ? limit : `${Math.ceil(sizeBytes / 1024 / 1024)} MB, ${limit}`;
}

/** Node decodes names that are not UTF-8 with replacement characters, and cannot open the result. */
function nameFault(name: string): string | undefined {
  if (name.includes("\uFFFD")) return "its name is not valid UTF-8";
  const fault = plainPathFault(name);
  return fault === undefined ? undefined : fault.replace("a path", "its name");
}

function linkTarget(root: string, link: string): { path?: string; reason: string } {
  try {
    const target = path.relative(root, realpathSync.native(path.join(root, link)));
    if (target === ".." || target.startsWith(`..${path.sep}`) || path.isAbsolute(target)) {
      return { reason: "a link that leaves the tree" };
    }
    const targetPath = target.split(path.sep).join("/");
    return {
      path: targetPath,
      reason: `a link to ${targetPath === "" ? "the root" : targetPath}, which is not a file that is read`,
    };
  } catch (error) {
    if (codeOf(error) === "ELOOP") return { reason: "a link that leads back to itself" };
    return { reason: codeOf(error) === "ENOENT" ? "a link to nothing" : failureReason(error) };
  }
}

function failureReason(error: unknown): string {
  const code = codeOf(error);
  if (code === "EACCES" || code === "EPERM") return "no permission to read it";
  if (code === "ENAMETOOLONG") return "its path is too long for this system";
  if (code === "ENOENT" || code === "ENOTDIR") return goneReason;
  return `cannot be read (${code ?? "unknown"})`;
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
