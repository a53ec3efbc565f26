import { link, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../../errors.ts";

/** What a pack has: paths relative to the data directory, with forward slashes. */
export interface Packed {
  /** The snapshot's folder. */
  snapshot: string;
  /** Of its index. */
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

/** A tree may have symbolic links; reading one never leaves the tree, and unpacking does not write through them. */
const unpackedTypes: ReadonlySet<string> = new Set(["File", "Directory", "SymbolicLink"]);

/**
 * Unpacks a pack: the snapshot into `folder`, which does not exist, and its index files beside those in `indexDirectory`.
 * `staging` is a new folder on the same disk. Files of other names and devices are ignored.
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
    filter: (entryPath, entry) =>
      "type" in entry &&
      unpackedTypes.has(entry.type) &&
      (entryPath.startsWith(`${snapshot}/`) || /^index\/[\w-]+\.(index|segment)$/.test(entryPath)),
  });
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
