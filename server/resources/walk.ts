import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { plainPathFault } from "../lib/plain-path.ts";
import { type FileEntry, fileSizeLimitBytes, type SkippedFile } from "./snapshot.ts";

/** What tells whether a file on disk is still the one that was walked over. */
/** Timestamps are this coarse: a file that changed just now may change again without a trace. */
export const clockStepMs = 50;

export interface Stamp {
  sizeBytes: number;
  mtimeMs: number;
  ino: number;
}

/** A file to read: `path` is what it is called, `target` where its bytes lie (another path for a link). */
export interface WalkedFile extends FileEntry {
  target: string;
  stamp: Stamp;
}

export interface Walk {
  files: WalkedFile[];
  skipped: SkippedFile[];
}

/** Why a path is left out, in words, or undefined. Asked before anything below a folder is. */
export type Exclude = (path: string, options: { isFolder: boolean }) => string | undefined;

/**
 * Every file below `root` (a real path), in code-unit order of the paths. Links are never followed out of the tree: a
 * link to a file that is itself walked over reads as that file, any other is skipped.
 */
export async function walkTree(
  root: string,
  {
    below = [""],
    exclude = () => undefined,
    signal,
  }: { below?: readonly string[]; exclude?: Exclude | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Walk> {
  const files = new Map<string, WalkedFile>();
  const skipped: SkippedFile[] = [];
  const links: string[] = [];
  signal?.throwIfAborted();
  let sliceStart = performance.now();
  for (const found of walkBelow(root, below, exclude)) {
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

/** How long one turn of the walk may hold the event loop: synchronous calls are several times faster. */
const sliceMs = 10;

type Found =
  | { type: "file"; file: WalkedFile }
  | { type: "link"; path: string }
  | { type: "skipped"; path: string; reason: string };

function* walkBelow(root: string, below: readonly string[], exclude: Exclude): Generator<Found> {
  const folders: string[] = [];
  for (const start of below) {
    if (start === "" || lstatSync(path.join(root, start)).isDirectory()) folders.push(start);
    else yield examine(root, start);
  }
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = listFolder(path.join(root, folder));
    if (typeof entries === "string") yield { type: "skipped", path: folder, reason: entries };
    else {
      for (const entry of entries) {
        const entryPath = folder === "" ? entry.name : `${folder}/${entry.name}`;
        const isFolder = entry.isDirectory();
        const reason = nameFault(entry.name) ?? exclude(entryPath, { isFolder });
        if (reason !== undefined) yield { type: "skipped", path: entryPath, reason };
        else if (isFolder) folders.push(entryPath);
        else if (entry.isSymbolicLink()) yield { type: "link", path: entryPath };
        else yield examine(root, entryPath);
      }
    }
  }
}

function listFolder(folder: string): Dirent[] | string {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return failureReason(error);
  }
}

function examine(root: string, entryPath: string): Found {
  const skip = (reason: string): Found => ({ type: "skipped", path: entryPath, reason });
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path.join(root, entryPath), { throwIfNoEntry: false });
  } catch (error) {
    return skip(failureReason(error));
  }
  if (stats === undefined) return skip("removed while the folder was read");
  const reason = unreadableReason(stats);
  if (reason !== undefined) return skip(reason);
  const file = { path: entryPath, target: entryPath, sizeBytes: stats.size, stamp: stampOf(stats) };
  return { type: "file", file };
}

export function stampOf({ size, mtimeMs, ino }: Pick<Stats, "size" | "mtimeMs" | "ino">): Stamp {
  return { sizeBytes: size, mtimeMs, ino };
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
  return a.sizeBytes === b.sizeBytes && a.mtimeMs === b.mtimeMs && a.ino === b.ino;
}

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

/** Node decodes a name that is not UTF-8 with replacement characters, and can then not open it. */
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
  return code === "EACCES" || code === "EPERM" ? "no permission to read it" : `cannot be read (${code ?? "unknown"})`;
}

function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
