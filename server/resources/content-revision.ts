import { createHash } from "node:crypto";
import { afterRest } from "../lib/after-rest.ts";
import { listHash } from "../lib/content-hash.ts";
import { createReusedMemory } from "../lib/paged-memory.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import type { FolderHashes, HashedFile } from "./folder-hashes.ts";
import { createTreeReader, type ReadWalkedFile } from "./tree-reader.ts";
import { clockStepMs, isSameStamp, type WalkedFile } from "./walk.ts";

export interface ContentRevisions {
  /**
   * A hash over the paths and contents of the files; only those that changed since the last time are read. `place` is the
   * one file of a folder that alone is asked about.
   */
  of(root: string, files: readonly WalkedFile[], options: { place?: string; signal: AbortSignal }): Promise<string>;
}

/** Folders whose hashes are kept in memory, where a file takes 330 bytes; those not asked about for longest go. */
const keptFolders = 16;

/** After the last question: to read them again from disk takes 30 ms for 22,500 files. */
export const keptMs = 10_000;

/** To read so much of a folder again takes about as long as to write the hashes of all of it. */
const unwrittenShare = 1 / 64;

/** `folderHashes` are those that are kept on disk; without it, each process reads a folder. */
export function createContentRevisions({
  folderHashes,
}: { folderHashes?: FolderHashes | undefined } = {}): ContentRevisions {
  const byPlace = new Map<string, Map<string, HashedFile>>();
  const asked = afterRest(keptMs, () => {
    if (folderHashes !== undefined) byPlace.clear();
  });
  return {
    async of(root, files, { place = root, signal }) {
      asked();
      const known = byPlace.get(place) ?? (await folderHashes?.read(place));
      const hashes = new Map<string, HashedFile>();
      const settled = Date.now() - clockStepMs;
      const slices = createTimeSlices();
      const read = createTreeReader(root, { allocate: createReusedMemory() });
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
    },
  };
}

/** A file that cannot be read counts by its name: whoever reads it is told why. */
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
