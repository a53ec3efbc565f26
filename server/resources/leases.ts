import { mkdir, readdir, rm, rmdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "../errors.ts";
import { isAbandoned, ownedName } from "../lib/owner.ts";

/** Readers and removers of snapshots, across processes: one empty file per reader in `<directory>/<snapshot>/`. */
export interface Leases {
  /** Holds a snapshot. Waits while it is being removed; check afterwards whether it exists. */
  acquire(snapshot: string, options: { signal?: AbortSignal | undefined }): Promise<() => Promise<void>>;
  /** Runs `remove` while the snapshot cannot be acquired, and returns its result; false if a reader holds it. */
  removeUnheld(snapshot: string, remove: () => Promise<boolean>): Promise<boolean>;
}

const reader = "reader";
const remover = "remover";
/** A day, in milliseconds. An older lease is stale: its process was killed, and the id belongs to another one. */
const leaseLimitMs = 24 * 3600 * 1000;

/**
 * A reader writes its file, then looks for a remover; a remover writes its file, then looks for readers. In any order,
 * one of the two sees the other and gives up. So no lock is needed, and removers never wait for a reader.
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
      // Another process removed the folder with its last file, right after we created it.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}

async function unmark(folder: string, name: string): Promise<void> {
  await rm(path.join(folder, name), { force: true });
  // Fails while others hold the snapshot.
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
