import { mkdir, realpath, rm } from "node:fs/promises";
import path from "node:path";
import { renameWhenFree } from "../lib/rename.ts";
import { ownedName } from "../lib/owner.ts";
import { type FetchLimit, fetchWithin, requireWithin } from "./fetch-limit.ts";
import { folderBytes } from "./folder-bytes.ts";
import type { OnProgress, Source } from "./source.ts";
import { toStorageError } from "./storage.ts";
import { readJson, sourceName, StoredSnapshot, writeJson } from "./stored.ts";
import { walkTree } from "./walk.ts";

/** A snapshot's folder contains `snapshot.json` and `tree/`, and nothing that depends on its location. */
export function treeFolder(snapshotFolder: string): string {
  return path.join(snapshotFolder, "tree");
}

/** The `snapshot.json` of a snapshot's folder; undefined if missing or damaged. */
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
 * Fetches a revision into a new folder below `directory`, whose name contains the id of this process. The folder is
 * removed on failure.
 * @throws StorageFailed, ResourceTooLarge, and the errors of the source
 */
export async function hydrate(
  source: Source,
  options: {
    directory: string;
    revision: string;
    limit?: FetchLimit | undefined;
    now: () => number;
    signal: AbortSignal;
    onProgress: OnProgress;
  },
): Promise<string> {
  const { directory, revision, limit, now, signal, onProgress } = options;
  const folder = path.join(directory, ownedName(sourceName(source.key)));
  const tree = treeFolder(folder);
  try {
    await mkdir(tree, { recursive: true });
    const { details = {}, skipped = [] } = await fetchWithin(folder, { limit, signal }, ({ signal }) =>
      source.fetch(tree, { revision, signal, onProgress }),
    );
    signal.throwIfAborted();
    const diskBytes = await folderBytes(tree);
    requireWithin(diskBytes, limit);
    onProgress({ phase: "index", message: "reading the list of files" });
    const { files } = await walkTree(await realpath(tree), { signal });
    await writeJson(snapshotFile(folder), {
      revision,
      fetchedAt: new Date(now()).toISOString(),
      sizeBytes: files.reduce((sum, file) => sum + file.sizeBytes, 0),
      fileCount: files.length,
      diskBytes,
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

/** Moves a hydrated folder to its place atomically. Replaces a damaged snapshot, which no one can have open. */
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

/** Never fails: the next process retries to remove leftovers. */
export async function removeFolder(folder: string): Promise<void> {
  // On Windows, a virus scanner or indexer can hold a file for a moment.
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
}

/** `snapshot.json`; in a store with a limit of bytes, its time of modification is when the snapshot was last opened. */
export function snapshotFile(folder: string): string {
  return path.join(folder, "snapshot.json");
}
