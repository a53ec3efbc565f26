import { link, mkdir, readdir, realpath, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { ReadEntry } from "tar";
import { codeOf } from "../../errors.ts";
import { treeFolder } from "../../resources/hydrate.ts";

/** What a pack has: paths relative to the data directory, with forward slashes. */
export interface Packed {
  /** The snapshot's folder. */
  snapshot: string;
  /** The files of its index. */
  indexFiles: readonly string[];
}

/** Writes a snapshot with its index into one file. Nothing in it depends on the place of the data directory. */
export async function pack(dataDirectory: string, { snapshot, indexFiles }: Packed, file: string): Promise<void> {
  const { create } = await import("tar");
  await create({ cwd: dataDirectory, file, gzip: { level: 1 }, portable: true, noMtime: true }, [
    snapshot,
    ...indexFiles,
  ]);
}

/**
 * Unpacks a pack: the snapshot into `folder`, which does not exist, and its index files beside those in
 * `indexDirectory`. `staging` is a new folder on the same disk. Files of other names and devices are ignored, and so
 * are symbolic links that lead out of the tree: nothing reads them.
 * @throws Error (no tree, or a link in its place: it could show any file of this computer)
 */
export async function unpack(
  file: string,
  {
    snapshot,
    folder,
    indexDirectory,
    staging,
  }: { snapshot: string; folder: string; indexDirectory: string; staging: string },
): Promise<void> {
  const { extract } = await import("tar");
  await mkdir(staging, { recursive: true });
  await extract({
    cwd: staging,
    file,
    strict: true,
    preserveOwner: false,
    filter: (entryPath, entry) => "type" in entry && isUnpacked(entryPath, entry, snapshot),
  });
  const tree = treeFolder(path.join(await realpath(staging), snapshot));
  if ((await realpath(tree)) !== tree) throw new Error("the pack has a link in place of its tree");
  const unpackedIndex = path.join(staging, "index");
  await mkdir(indexDirectory, { recursive: true });
  // An index names its segments, so they come first.
  const names = (await readdir(unpackedIndex).catch(() => [])).toSorted((a, b) => b.localeCompare(a));
  for (const name of names.filter((name) => name.endsWith(".segment"))) await addFile(name);
  for (const name of names.filter((name) => name.endsWith(".index"))) await addFile(name);
  await rename(path.join(staging, snapshot), folder);

  /** An index that is there already stays: a search may have it open. */
  async function addFile(name: string): Promise<void> {
    const from = path.join(unpackedIndex, name);
    await link(from, path.join(indexDirectory, name)).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    await rm(from, { force: true });
  }
}

/** Unpacking does not write through links, so those in the tree are harmless. */
function isUnpacked(entryPath: string, { type, linkpath = "" }: ReadEntry, snapshot: string): boolean {
  if (type === "SymbolicLink") {
    const target = path.posix.join(path.posix.dirname(entryPath), linkpath);
    return !path.posix.isAbsolute(linkpath) && target.startsWith(`${snapshot}/tree/`);
  }
  if (type === "File" && /^index\/[\w-]+\.(index|segment)$/.test(entryPath)) return true;
  return (type === "File" || type === "Directory") && entryPath.startsWith(`${snapshot}/`);
}
