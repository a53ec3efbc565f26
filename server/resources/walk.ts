import { type Dirent, lstatSync, opendirSync, readdirSync, readlinkSync, realpathSync, type Stats } from "node:fs";
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
  /** The same files by path. */
  byPath: ReadonlyMap<string, WalkedFile>;
  skipped: SkippedFile[];
  /** Symbolic links, and their targets when they were resolved. */
  links: ReadonlyMap<string, LinkTarget>;
  /** Files with another hard link, by which they can be written from outside the tree. */
  hardLinks: readonly WalkedFile[];
}

/** A link's target in the tree, if it is in the tree, and why the link is skipped if the target is not a file. */
export interface LinkTarget {
  path?: string;
  reason: string;
}

/** The entries of one folder, as a walk found them. */
export interface FolderContent {
  found: Found[];
  folders: string[];
  /** Including excluded entries. */
  entryCount: number;
}

/** The folders of an earlier walk. */
export interface FolderMemory {
  /** The content of a folder that has not changed, else undefined. Called before the folder is read. */
  recall(folder: string): FolderContent | undefined;
  keep(folder: string, content: FolderContent): void;
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
  /** Saves reading folders again. */
  memory?: FolderMemory | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * The files below `root` (a real path), in code-unit order of the paths. Links are never followed out of the tree: a
 * link to a file of the walk reads as that file, any other is skipped. In a tree that is too large, the deepest folders
 * are skipped.
 */
export async function walkTree(
  root: string,
  { below = [""], exclude = () => undefined, limit = entryLimit, memory, signal }: WalkOptions = {},
): Promise<Walk> {
  const files = new Map<string, WalkedFile>();
  const skipped: SkippedFile[] = [];
  const links = new Map<string, LinkTarget>();
  const hardLinks: WalkedFile[] = [];
  signal?.throwIfAborted();
  let sliceStart = performance.now();
  for (const found of walkBelow(root, { below, exclude, limit, memory })) {
    if (found.type === "file") {
      files.set(found.file.path, found.file);
      if (found.isHardLink) hardLinks.push(found.file);
    } else if (found.type === "link") links.set(found.path, linkTarget(root, found.path));
    else skipped.push({ path: found.path, reason: found.reason });
    if (performance.now() - sliceStart < sliceMs) continue;
    await setImmediate();
    signal?.throwIfAborted();
    sliceStart = performance.now();
  }
  const linked: WalkedFile[] = [];
  for (const [link, target] of links) {
    const file = target.path === undefined ? undefined : files.get(target.path);
    if (file === undefined) skipped.push({ path: link, reason: target.reason });
    else linked.push({ ...file, path: link });
  }
  for (const link of linked) files.set(link.path, link);
  const sorted = [...files.values()].sort(byPath);
  return { files: sorted, byPath: files, skipped: skipped.sort(byPath), links, hardLinks };
}

/** Whether the links of a walk lead where they led. */
export function areLinksUnchanged(root: string, { links }: Pick<Walk, "links">): boolean {
  return [...links].every(([link, before]) => {
    const target = linkTarget(root, link);
    return target.path === before.path && target.reason === before.reason;
  });
}

/** Whether a file has the stamp it had. */
export function isUnchanged(root: string, { target, stamp }: Pick<WalkedFile, "target" | "stamp">): boolean {
  const found = examine(root, target);
  return found.type === "file" && isSameStamp(found.file.stamp, stamp);
}

/** How long the walk may block the event loop, in milliseconds: synchronous calls are several times faster. */
const sliceMs = 10;

type Found =
  | { type: "file"; file: WalkedFile; isHardLink: boolean }
  | { type: "link"; path: string }
  | { type: "skipped"; path: string; reason: string };

type BelowOptions = { below: readonly string[]; exclude: Exclude; limit: number; memory: FolderMemory | undefined };

/** Breadth-first. */
function* walkBelow(root: string, { below, exclude, limit, memory }: BelowOptions): Generator<Found> {
  const folders: string[] = [];
  for (const start of below) {
    const stats = lstatSync(path.join(root, start), { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) folders.push(start);
    else yield examine(root, start);
  }
  let left = limit;
  for (const folder of folders) {
    if (left === 0) {
      yield skipFolder(folder, tooManyReason(limit));
      continue;
    }
    const recalled = memory?.recall(folder);
    const content = recalled ?? { found: [], folders: [], entryCount: 0 };
    yield* recalled?.found ?? readFolder(root, folder, { exclude, limit, left, content, memory });
    left = Math.max(0, left - content.entryCount);
    for (const inner of content.folders) folders.push(inner);
  }
}

interface ReadFolderOptions extends Omit<BelowOptions, "below"> {
  left: number;
  /** Is filled. */
  content: FolderContent;
}

/** Yields the files, links and skipped entries of one folder, and adds its folders to `content`. */
function* readFolder(
  root: string,
  folder: string,
  { exclude, limit, left, content, memory }: ReadFolderOptions,
): Generator<Found> {
  try {
    const entries = entriesOf(path.join(root, folder));
    const mayHaveSibling = (name: string) => !Array.isArray(entries) || entries.some((entry) => isCalled(entry, name));
    for (const entry of entries) {
      if (content.entryCount === left) {
        yield skipFolder(folder, `read in part: ${tooManyReason(limit)}`);
        return;
      }
      content.entryCount++;
      const entryPath = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const isFolder = entry.isDirectory();
      const reason = nameFault(entry.name) ?? exclude(entryPath, { isFolder, mayHaveSibling });
      if (reason === "") continue;
      if (reason === undefined && isFolder) {
        content.folders.push(entryPath);
        continue;
      }
      const found = reason === undefined ? findEntry(root, entryPath, entry) : skip(entryPath, reason);
      if (memory !== undefined) content.found.push(found);
      yield found;
    }
    // A folder that could not be read, or only in part, is read again by the next walk.
    memory?.keep(folder, content);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const found = skipFolder(folder, failureReason(error));
    yield found;
    if (permanentFailures.has(code)) memory?.keep(folder, { ...content, found: [...content.found, found] });
  }
}

/** A folder stays unreadable until it is changed or renamed. Other failures pass, such as too many open files. */
export const permanentFailures: ReadonlySet<string> = new Set(["EACCES", "EPERM", "ENAMETOOLONG"]);

function findEntry(root: string, entryPath: string, entry: Dirent): Found {
  return entry.isSymbolicLink() ? { type: "link", path: entryPath } : examine(root, entryPath);
}

function skip(entryPath: string, reason: string): Found {
  return { type: "skipped", path: entryPath, reason };
}

function skipFolder(folder: string, reason: string): Found {
  return skip(folder === "" ? "." : folder, reason);
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
  let stats: Stats | undefined;
  try {
    // Both are plain paths: `path.join` would take a third of the walk's time.
    stats = lstatSync(`${root}${path.sep}${entryPath}`, { throwIfNoEntry: false });
  } catch (error) {
    return skip(entryPath, failureReason(error));
  }
  if (stats === undefined) return skip(entryPath, goneReason);
  const reason = unreadableReason(stats);
  if (reason !== undefined) return skip(entryPath, reason);
  const file = { path: entryPath, target: entryPath, sizeBytes: stats.size, stamp: stampOf(stats) };
  return { type: "file", file, isHardLink: stats.nlink > 1 };
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

/**
 * Follows a link step by step and stops where it leaves the tree, even if it would come back: what is outside must not
 * be looked at, because the reason would tell whether it exists.
 */
function linkTarget(root: string, link: string): LinkTarget {
  try {
    const target = resolveWithin(root, link);
    if (target === undefined) return { reason: "a link that leaves the tree" };
    if (target === "loop") return { reason: "a link that leads back to itself" };
    // In the spelling of the folder, where upper and lower case are the same.
    const real = path.relative(root, realpathSync.native(path.join(root, ...target)));
    const targetPath = real.split(path.sep).join("/");
    return {
      path: targetPath,
      reason: `a link to ${targetPath === "" ? "the root" : targetPath}, which is not a file that is read`,
    };
  } catch (error) {
    const isAbsent = codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR";
    return { reason: isAbsent ? "a link to nothing" : failureReason(error) };
  }
}

/** The limit of Linux. */
const linkLimit = 40;

/** The parts of the path that a link leads to; undefined if it leaves the tree. @throws errors of the file system */
function resolveWithin(root: string, link: string): string[] | "loop" | undefined {
  const place: string[] = [];
  const left = link.split("/");
  for (let links = 0, part = left.shift(); part !== undefined; part = left.shift()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (place.pop() === undefined) return undefined;
      continue;
    }
    const absolute = path.join(root, ...place, part);
    if (!lstatSync(absolute).isSymbolicLink()) {
      place.push(part);
      continue;
    }
    if (++links > linkLimit) return "loop";
    const target = readlinkSync(absolute);
    const inTree = path.isAbsolute(target) ? partsBelow(root, target) : target.split(path.sep);
    if (inTree === undefined) return undefined;
    if (path.isAbsolute(target)) place.length = 0;
    left.unshift(...inTree);
  }
  return place;
}

/** An absolute path from the root on; undefined if it is not below it as it is written. */
function partsBelow(root: string, absolute: string): string[] | undefined {
  const below = path.relative(root, absolute);
  const isOutside = below === ".." || below.startsWith(`..${path.sep}`) || path.isAbsolute(below);
  return isOutside || absolute.split(path.sep).includes("..") ? undefined : below.split(path.sep);
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
