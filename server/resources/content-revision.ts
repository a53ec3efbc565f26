import { createHash } from "node:crypto";
import { listHash } from "../lib/content-hash.ts";
import { createReusedMemory } from "../lib/paged-memory.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import type { FolderHashes, HashedFile } from "./folder-hashes.ts";
import { createTreeReader, type ReadWalkedFile } from "./tree-reader.ts";
import { clockStepMs, isSameStamp, type WalkedFile } from "./walk.ts";

export interface ContentRevisions {
  /** A hash over the paths and contents of the files; only those that changed since the last time are read. */
  of(root: string, files: readonly WalkedFile[], options: { signal: AbortSignal }): Promise<string>;
}

/** Folders whose hashes are kept; those not asked about for longest go. */
const keptFolders = 16;

/** Less is read again by the next process in the time that it takes to write the hashes of a large folder. */
const worthWritingBytes = 1024 * 1024;

/** `folderHashes` are those that other processes know; without it, a folder is read by each. */
export function createContentRevisions({
  folderHashes,
}: { folderHashes?: FolderHashes | undefined } = {}): ContentRevisions {
  const byRoot = new Map<string, Map<string, HashedFile>>();
  return {
    async of(root, files, { signal }) {
      const known = byRoot.get(root) ?? (await folderHashes?.read(root));
      const hashes = new Map<string, HashedFile>();
      const settled = Date.now() - clockStepMs;
      const slices = createTimeSlices();
      const read = createTreeReader(root, { allocate: createReusedMemory() });
      let readBytes = 0;
      for (const file of files) {
        const { target, stamp } = file;
        const before = known?.get(target);
        if (before !== undefined && isSameStamp(before.stamp, stamp)) {
          hashes.set(target, before);
          continue;
        }
        signal.throwIfAborted();
        const hash = await slices.run(() => hashOf(file, read));
        if (hash !== undefined) hashes.set(target, { stamp, hash });
        readBytes += stamp.sizeBytes;
      }
      const revision = combine(files, hashes);
      for (const [target, { stamp }] of hashes) if (stamp.changedMs > settled) hashes.delete(target);
      keep(byRoot, root, hashes);
      if (readBytes >= worthWritingBytes) await folderHashes?.write(root, hashes);
      return revision;
    },
  };
}

/** A file that cannot be read counts by its name: whoever reads it is told why. */
function combine(files: readonly WalkedFile[], hashes: ReadonlyMap<string, HashedFile>): string {
  const lineOf = ({ path, target }: WalkedFile) => `${path}\0${hashes.get(target)?.hash ?? "unreadable"}\n`;
  return listHash(files, lineOf).slice(0, 40);
}

function keep<Value>(byRoot: Map<string, Value>, root: string, value: Value): void {
  byRoot.delete(root);
  byRoot.set(root, value);
  for (const oldest of byRoot.keys()) {
    if (byRoot.size <= keptFolders) return;
    byRoot.delete(oldest);
  }
}

function hashOf(file: WalkedFile, read: ReadWalkedFile): string | undefined {
  try {
    return createHash("sha256").update(read(file)).digest("base64");
  } catch {
    return undefined;
  }
}
