import { createHash } from "node:crypto";
import { untilAborted } from "../lib/abort.ts";
import { debounce } from "../lib/debounce.ts";
import { listHash } from "../lib/content-hash.ts";
import { createReusableBuffer } from "../lib/reusable-buffer.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import { createTurns } from "../lib/turns.ts";
import type { FolderHashes, HashedFile } from "./folder-hashes.ts";
import { createTreeReader, type ReadWalkedFile } from "./tree-reader.ts";
import { clockStepMs, isSameStamp, type WalkedFile } from "./walk.ts";

/** Revisions of folders by their content. */
export interface ContentRevisions {
  /**
   * A hash of the paths and contents of the files. Only files that changed since the last call are read. `place` is set
   * if the resource is a single file of the folder.
   */
  of(root: string, files: readonly WalkedFile[], options: { place?: string; signal: AbortSignal }): Promise<string>;
}

/** Capacity of the LRU cache of folders' hashes, in folders. A file takes 330 bytes. */
const keptFolders = 16;

/** Idle time until the cache is emptied, in milliseconds. Reading 22,500 hashes from disk takes 30 ms. */
export const keptMs = 10_000;

/** Reading this share of a folder again takes as long as writing the hashes of the whole folder. */
const unwrittenShare = 1 / 64;

/** `folderHashes` is the store on disk; without it, every process reads each folder once. */
export function createContentRevisions({
  folderHashes,
}: { folderHashes?: FolderHashes | undefined } = {}): ContentRevisions {
  const byPlace = new Map<string, Map<string, HashedFile>>();
  const renewIdleTimer = debounce(keptMs, () => {
    if (folderHashes !== undefined) byPlace.clear();
  });
  // Two at once would read the same files.
  const inTurn = createTurns();

  async function revisionOf(
    root: string,
    files: readonly WalkedFile[],
    { place, signal }: { place: string; signal: AbortSignal },
  ): Promise<string> {
    renewIdleTimer();
    const known = byPlace.get(place) ?? (await folderHashes?.read(place));
    const hashes = new Map<string, HashedFile>();
    const settled = Date.now() - clockStepMs;
    const slices = createTimeSlices();
    const read = createTreeReader(root, { allocate: createReusableBuffer() });
    let readFiles = 0;
    for (const file of files) {
      const { target, stamp } = file;
      const before = known?.get(target);
      if (before !== undefined && isSameStamp(before.stamp, stamp)) {
        hashes.set(target, { stamp, hash: before.hash });
        continue;
      }
      signal.throwIfAborted();
      const hash = await slices.run(() => hashOf(file, read));
      if (hash === undefined) continue;
      hashes.set(target, { stamp, hash });
      readFiles++;
    }
    const revision = combine(files, hashes);
    for (const [target, { stamp }] of hashes) if (stamp.changedMs > settled) hashes.delete(target);
    keep(byPlace, place, hashes);
    if (readFiles > unwrittenShare * files.length) await folderHashes?.write(place, hashes);
    return revision;
  }

  return {
    of: (root, files, { place = root, signal }) =>
      untilAborted(
        inTurn(place, () => revisionOf(root, files, { place, signal })),
        signal,
      ),
  };
}

/** An unreadable file is hashed by its name: reading it reports the reason. */
function combine(files: readonly WalkedFile[], hashes: ReadonlyMap<string, HashedFile>): string {
  const lineOf = ({ path, target }: WalkedFile) => `${path}\0${hashes.get(target)?.hash ?? "unreadable"}\n`;
  return listHash(files, lineOf).slice(0, 40);
}

function keep<Value>(byPlace: Map<string, Value>, place: string, value: Value): void {
  byPlace.delete(place);
  byPlace.set(place, value);
  for (const oldest of byPlace.keys()) {
    if (byPlace.size <= keptFolders) return;
    byPlace.delete(oldest);
  }
}

function hashOf(file: WalkedFile, read: ReadWalkedFile): string | undefined {
  try {
    return createHash("sha256").update(read(file)).digest("base64");
  } catch {
    return undefined;
  }
}
