import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { codeOf, messageOf } from "../errors.ts";
import type { Log } from "../lib/log.ts";
import { renameWhenFree } from "../lib/rename.ts";
import { isAbandoned, ownedName } from "../lib/owner.ts";
import type { ErrorBody } from "../protocol/error.ts";
import { folderBytes } from "./folder-bytes.ts";
import { readStored, removeFolder, snapshotFile, treeFolder } from "./hydrate.ts";
import { createKeptJson } from "./kept-json.ts";
import { createKeptWalks, type WalkFolder } from "./kept-walks.ts";
import { createLeases } from "./leases.ts";
import { Head, readJson, snapshotName, snapshotOfSource, sourceName, StoredSnapshot, writeJson } from "./stored.ts";

/** A tree on disk, which is kept there until disposal. */
export interface StoredTree extends StoredSnapshot, AsyncDisposable {
  /** The absolute path of the folder with the files. */
  directory: string;
  /** Lists the files once for all readers of the tree in this process. */
  walk: WalkFolder;
  /** Whether it is one tenant's. */
  isPrivate: boolean;
  /** Why it may be outdated, in words, with its age. */
  stale?: string;
  /**
   * Stores its present size on disk, for the limit of a store: call it after files were added to the tree. Never fails: on
   * a full disk, what added them reports it.
   */
  measure(): Promise<void>;
}

/** The snapshots on disk, the current one of each source, and their readers. */
export interface Shelf {
  /** The folder of incomplete and removed snapshots. */
  temporary: string;
  /** The path of a snapshot, which may not exist. */
  placeOf(key: string, revision: string): string;
  has(key: string, revision: string): Promise<boolean>;
  readHead(key: string): Promise<Head>;
  /** What is stored about a snapshot; undefined if it does not exist. */
  readSnapshot(key: string, revision: string): Promise<StoredSnapshot | undefined>;
  /**
   * Acquires a source's snapshot of a revision, default the current one, until disposal; undefined if there is none.
   */
  open(
    key: string,
    options: { revision?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<StoredTree | undefined>;
  setCurrent(key: string, revision: string, now: number): Promise<void>;
  /** Stores why the last check failed. Never fails itself: the question reports the reason anyway. */
  setFailure(key: string, failure: ErrorBody, now: number): Promise<void>;
  /** Removes a source's snapshot, once nothing reads it, and stores the failure: nobody opens it again. */
  withdraw(key: string, failure: ErrorBody, now: number): Promise<void>;
  /** The file to lock while a source is fetched; its folder exists. */
  lockFile(key: string): Promise<string>;
  /** Removes a source's current snapshot and its head; false if a question reads the snapshot. */
  remove(key: string): Promise<boolean>;
  /** Removes the snapshots without readers, and returns their number. */
  clear(): Promise<number>;
  /**
   * Removes snapshots without readers until the rest has at most `maxBytes` of files, the ones that were not opened for
   * longest first. That of `key` and `revision` stays: it is about to be opened. Never fails.
   */
  trim(key: string, revision: string): Promise<void>;
  /** Removes the leftovers of killed processes. Never fails. */
  sweep(): Promise<void>;
}

/**
 * Age of a snapshot without a head, in milliseconds, until it is a leftover: a process may be about to write the head.
 */
const unnamedLimitMs = 3600 * 1000;

/** Where the snapshots are, and how many bytes their files may have, if there is a limit. */
export interface ShelfOptions {
  directory: string;
  log: Log;
  /** Whether they are one tenant's. Default: false. */
  isPrivate?: boolean | undefined;
  maxBytes?: number | undefined;
}

/** The snapshots below `directory`, shared by processes. */
export function createShelf({ directory, log, maxBytes, isPrivate = false }: ShelfOptions): Shelf {
  const snapshots = path.join(directory, "snapshots");
  const sources = path.join(directory, "sources");
  const temporary = path.join(directory, "temporary");
  const leases = createLeases(path.join(directory, "leases"));
  const walk = createKeptWalks();
  const placeOf = (key: string, revision: string) => path.join(snapshots, snapshotName(key, revision));
  const headFile = (key: string) => path.join(sources, `${sourceName(key)}.json`);
  const keptHead = createKeptJson(Head);
  const keptSnapshot = createKeptJson(StoredSnapshot);
  const readHead = async (key: string) => (await keptHead(headFile(key))) ?? {};

  return {
    temporary,
    placeOf,
    readHead,
    readSnapshot: (key, revision) => keptSnapshot(snapshotFile(placeOf(key, revision))),
    has: async (key, revision) => (await readStored(placeOf(key, revision))) !== undefined,

    async open(key, { revision: requested, signal }) {
      const revision = requested ?? (await readHead(key)).revision;
      if (revision === undefined) return undefined;
      const releaseLease = await hold(snapshotName(key, revision), signal);
      const folder = placeOf(key, revision);
      const stored = await readStored(folder);
      if (stored === undefined) {
        await releaseLease();
        return undefined;
      }
      if (maxBytes !== undefined) await utimes(snapshotFile(folder), new Date(), new Date()).catch(() => {});
      const release = async () => {
        await releaseLease();
        const { revision: current, failure } = await readHead(key);
        const isWithdrawn = current === undefined && failure !== undefined;
        if (isWithdrawn || (current ?? revision) !== revision) await discard(snapshotName(key, revision));
      };
      let released: Promise<void> | undefined;
      return {
        ...stored,
        directory: treeFolder(folder),
        walk,
        isPrivate,
        async measure() {
          try {
            const diskBytes = await folderBytes(treeFolder(folder));
            await writeJson(snapshotFile(folder), { ...stored, diskBytes } satisfies StoredSnapshot);
          } catch (error) {
            log.warn("size-not-stored", { key, reason: messageOf(error) });
          }
        },
        [Symbol.asyncDispose]: () => (released ??= release()),
      };
    },

    async setCurrent(key, revision, now) {
      const before = await readHead(key);
      await writeJson(headFile(key), { revision, checkedAt: new Date(now).toISOString() } satisfies Head);
      if (before.revision !== undefined && before.revision !== revision)
        await discard(snapshotName(key, before.revision));
    },

    async setFailure(key, failure, now) {
      try {
        await writeJson(headFile(key), { ...(await readHead(key)), failure: recordOf(failure, now) } satisfies Head);
      } catch (error) {
        log.warn("failure-not-stored", { key, reason: messageOf(error) });
      }
    },

    async withdraw(key, failure, now) {
      const { revision } = await readHead(key);
      await writeJson(headFile(key), { failure: recordOf(failure, now) } satisfies Head);
      if (revision !== undefined) await discard(snapshotName(key, revision));
    },

    async lockFile(key) {
      const locks = path.join(directory, "locks");
      await mkdir(locks, { recursive: true });
      return path.join(locks, sourceName(key));
    },

    async remove(key) {
      const { revision } = await readHead(key);
      const name = revision === undefined ? undefined : snapshotName(key, revision);
      if (name !== undefined) await removeSnapshot(name);
      if (name !== undefined && (await readStored(path.join(snapshots, name))) !== undefined) return false;
      await rm(headFile(key), { force: true });
      return true;
    },

    async clear() {
      const removed = await Promise.all((await namesIn(snapshots)).map(removeSnapshot));
      const held = new Set((await namesIn(snapshots)).map((name) => name.split("-")[0]));
      const unused = (await namesIn(sources)).filter((name) => !held.has(path.basename(name, ".json")));
      await Promise.all(unused.map((name) => rm(path.join(sources, name), { force: true })));
      return removed.filter((isRemoved) => isRemoved).length;
    },

    async trim(key, revision) {
      if (maxBytes === undefined) return;
      const stored = await Promise.all((await namesIn(snapshots)).map(lookAt));
      let total = stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const others = stored.filter(({ name }) => name !== snapshotName(key, revision));
      for (const { name, sizeBytes } of others.toSorted((one, other) => one.usedAt - other.usedAt)) {
        if (total <= maxBytes) return;
        await discard(name);
        if ((await lookAt(name)).sizeBytes === 0) total -= sizeBytes;
      }
    },

    async sweep() {
      const leftovers = (await namesIn(temporary)).filter(isAbandoned);
      await Promise.all(leftovers.map((name) => removeFolder(path.join(temporary, name))));
      const named = await Promise.all((await namesIn(sources)).map(namedBy));
      const unnamed = (await namesIn(snapshots)).filter((name) => !named.includes(name));
      for (const name of unnamed) if (await isOld(path.join(snapshots, name))) await discard(name);
    },
  };

  /** Without write access, nothing can be removed either: the snapshot is then read without a lease. */
  async function hold(name: string, signal: AbortSignal | undefined): Promise<() => Promise<void>> {
    try {
      return await leases.acquire(name, { signal });
    } catch (error) {
      signal?.throwIfAborted();
      log.warn("snapshot-not-held", { snapshot: name, reason: messageOf(error) });
      return async () => {};
    }
  }

  /** The rename removes the snapshot atomically; the next reader fetches it again. */
  async function removeSnapshot(name: string): Promise<boolean> {
    const removed = path.join(temporary, ownedName(name));
    const isRemoved = await leases.removeUnheld(name, async () => {
      await mkdir(temporary, { recursive: true });
      return renameWhenFree(path.join(snapshots, name), removed).then(() => true, isAbsent);
    });
    if (isRemoved) await removeFolder(removed);
    return isRemoved;
  }

  async function lookAt(name: string): Promise<{ name: string; usedAt: number; sizeBytes: number }> {
    const folder = path.join(snapshots, name);
    const usedAt = (await stat(snapshotFile(folder)).catch(() => undefined))?.mtimeMs ?? 0;
    return { name, usedAt, sizeBytes: (await readStored(folder))?.sizeBytes ?? 0 };
  }

  /** Removes unneeded folders; a later process retries those that cannot be removed now. */
  async function discard(name: string): Promise<void> {
    await removeSnapshot(name).catch((error: unknown) => {
      log.warn("snapshot-not-removed", { snapshot: name, reason: messageOf(error) });
    });
  }

  /** The snapshot named by a head file. */
  async function namedBy(headName: string): Promise<string | undefined> {
    const head = await readJson(path.join(sources, headName), Head);
    return head?.revision === undefined ? undefined : snapshotOfSource(path.basename(headName, ".json"), head.revision);
  }
}

function recordOf({ error: message, ...rest }: ErrorBody, now: number): Head["failure"] {
  return { at: new Date(now).toISOString(), message, ...rest };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function isOld(folder: string): Promise<boolean> {
  const stats = await stat(folder).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs > unnamedLimitMs;
}

function isAbsent(error: unknown): false {
  if (codeOf(error) === "ENOENT") return false;
  throw error;
}
