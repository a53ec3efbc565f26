import { mkdir, readdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { isAbandoned, ownedName } from "../lib/owner.ts";

/** Who reads or removes which snapshot, visible to every process: one empty file per reader in `<directory>/<snapshot>/`. */
export interface Leases {
  /** Holds a snapshot. Waits for one that is being removed; whether it is there is to be looked at afterwards. */
  acquire(snapshot: string, options: { signal?: AbortSignal | undefined }): Promise<() => Promise<void>>;
  /** Runs `remove` while nobody can acquire the snapshot, and says what it said; false where someone holds it. */
  removeUnheld(snapshot: string, remove: () => Promise<boolean>): Promise<boolean>;
}

const reader = "reader";
const remover = "remover";
/** No question runs for so long: its process was killed, and its id is another's now. */
const leaseLimitMs = 24 * 3600 * 1000;

/**
 * A reader writes its file, then looks for a remover; a remover writes its file, then looks for readers. Whatever the
 * order, one of the two sees the other and steps back. So no lock is needed, and no one waits for a reader.
 */
export function createLeases(directory: string): Leases {
  return {
    async acquire(snapshot, { signal }) {
      const folder = path.join(directory, snapshot);
      while (true) {
        signal?.throwIfAborted();
        const lease = await mark(folder, reader);
        if (!(await isMarked(folder, remover))) return () => unmark(folder, lease);
        await unmark(folder, lease);
        await sleep(removalPollMs, undefined, { signal });
      }
    },
    async removeUnheld(snapshot, remove) {
      const folder = path.join(directory, snapshot);
      if (await isMarked(folder, reader)) return false;
      const removal = await mark(folder, remover);
      try {
        if (await isMarked(folder, reader)) return false;
        return await remove();
      } finally {
        await unmark(folder, removal);
      }
    },
  };
}

const removalPollMs = 5;

async function mark(folder: string, label: string): Promise<string> {
  const name = ownedName(label);
  while (true) {
    await mkdir(folder, { recursive: true });
    try {
      await writeFile(path.join(folder, name), "");
      return name;
    } catch (error) {
      // The folder went with the last file of another process, right after it was made.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}

async function unmark(folder: string, name: string): Promise<void> {
  await rm(path.join(folder, name), { force: true });
  // Stays while others hold it.
  await rmdir(folder).catch(() => {});
}

async function isMarked(folder: string, label: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((name) => name.startsWith(`${label}.`))) {
    if (!isAbandoned(name) && (await ageMs(path.join(folder, name))) < leaseLimitMs) return true;
    await unmark(folder, name);
  }
  return false;
}

async function ageMs(file: string): Promise<number> {
  const stats = await stat(file).catch(() => undefined);
  return stats === undefined ? Infinity : Date.now() - stats.mtimeMs;
}
