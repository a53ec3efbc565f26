import { createHash } from "node:crypto";
import { listHash } from "../lib/content-hash.ts";
import { createReusedMemory } from "../lib/paged-memory.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import { createTreeReader, type ReadWalkedFile } from "./tree-reader.ts";
import { clockStepMs, isSameStamp, type Stamp, type WalkedFile } from "./walk.ts";

export interface ContentRevisions {
  /** A hash over the paths and contents of the files; only those that changed since the last time are read. */
  of(root: string, files: readonly WalkedFile[], options: { signal: AbortSignal }): Promise<string>;
}

interface Hashed {
  stamp: Stamp;
  hash: string;
}

/** Folders whose hashes are kept; those not asked about for longest go. */
const keptFolders = 16;

export function createContentRevisions(): ContentRevisions {
  const byRoot = new Map<string, Map<string, Hashed>>();
  return {
    async of(root, files, { signal }) {
      const known = byRoot.get(root);
      const hashes = new Map<string, Hashed>();
      const settled = Date.now() - clockStepMs;
      const slices = createTimeSlices();
      const read = createTreeReader(root, { allocate: createReusedMemory() });
      for (const file of files) {
        const before = known?.get(file.target);
        if (before !== undefined && isSameStamp(before.stamp, file.stamp)) hashes.set(file.target, before);
        else {
          signal.throwIfAborted();
          hashes.set(file.target, await slices.run(() => ({ stamp: file.stamp, hash: hashOf(file, read) })));
        }
      }
      const revision = combine(files, hashes);
      for (const [target, { stamp }] of hashes) if (stamp.changedMs > settled) hashes.delete(target);
      keep(byRoot, root, hashes);
      return revision;
    },
  };
}

function combine(files: readonly WalkedFile[], hashes: ReadonlyMap<string, Hashed>): string {
  const lineOf = ({ path, target }: WalkedFile) => `${path}\0${hashes.get(target)?.hash ?? ""}\n`;
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

/** A file that cannot be read counts by its name: whoever reads it is told why. */
function hashOf(file: WalkedFile, read: ReadWalkedFile): string {
  try {
    return createHash("sha256").update(read(file)).digest("base64");
  } catch {
    return "unreadable";
  }
}
