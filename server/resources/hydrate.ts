import { mkdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { renameWhenFree } from "../lib/rename.ts";
import { ownedName } from "../lib/owner.ts";
import type { OnProgress, Source } from "./source.ts";
import { toStorageError } from "./storage.ts";
import { readJson, sourceName, StoredSnapshot, writeJson } from "./stored.ts";
import { walkTree } from "./walk.ts";

/** A snapshot's folder holds `snapshot.json` and `tree/`, and nothing that depends on where it lies. */
export function treeFolder(snapshotFolder: string): string {
  return path.join(snapshotFolder, "tree");
}

export function readStored(snapshotFolder: string): Promise<StoredSnapshot | undefined> {
  return readJson(snapshotFile(snapshotFolder), StoredSnapshot);
}

/** The newest revision at the origin. */
export function resolveRevision(
  source: Source,
  { signal, onProgress }: { signal: AbortSignal; onProgress: OnProgress },
): Promise<string> {
  onProgress({ phase: "resolve", message: source.resolving ?? "looking for the newest revision" });
  return source.resolve({ signal });
}

/**
 * Fetches a revision into a new folder below `directory`, whose name tells the process it belongs to. Whatever goes
 * wrong, nothing is left there.
 * @throws StorageFailed, and what the source throws
 */
export async function hydrate(
  source: Source,
  options: { directory: string; revision: string; now: () => number; signal: AbortSignal; onProgress: OnProgress },
): Promise<string> {
  const { directory, revision, now, signal, onProgress } = options;
  const folder = path.join(directory, ownedName(sourceName(source.key)));
  const tree = treeFolder(folder);
  try {
    await mkdir(tree, { recursive: true });
    const { details = {}, skipped = [] } = await source.fetch(tree, { revision, signal, onProgress });
    signal.throwIfAborted();
    onProgress({ phase: "index", message: "reading the list of files" });
    const { files } = await walkTree(await realpath(tree), { signal });
    await writeJson(snapshotFile(folder), {
      revision,
      fetchedAt: new Date(now()).toISOString(),
      sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
      fileCount: files.length,
      details,
      skipped: [...skipped],
    } satisfies StoredSnapshot);
    signal.throwIfAborted();
    return folder;
  } catch (error) {
    await removeFolder(folder);
    throw toStorageError(error, directory);
  }
}

/** Moves a hydrated folder to its place at once. What was there is damaged: no one could have opened it. */
export async function publish(hydrated: string, place: string): Promise<void> {
  try {
    await mkdir(path.dirname(place), { recursive: true });
    await removeFolder(place);
    await renameWhenFree(hydrated, place);
  } catch (error) {
    await removeFolder(hydrated);
    throw toStorageError(error, path.dirname(place));
  }
}

/** Never fails: what cannot be removed now is a leftover, and tried again by the next process. */
export async function removeFolder(folder: string): Promise<void> {
  // Windows refuses for a moment while a virus scanner or indexer holds a file.
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
}

function snapshotFile(folder: string): string {
  return path.join(folder, "snapshot.json");
}
