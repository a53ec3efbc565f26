import { mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { CitewellError, fromErrorBody, messageOf, toErrorBody } from "../errors.ts";
import { formatAge } from "../lib/age.ts";
import { acquireLock } from "../lib/lock.ts";
import type { Log } from "../lib/log.ts";
import { ownedName } from "../lib/owner.ts";
import { createSharedTasks } from "../lib/shared-tasks.ts";
import type { ErrorBody } from "../protocol/error.ts";
import type { RefreshPolicy } from "../protocol/resource-fields.ts";
import type { ResourceListing } from "../protocol/resource.ts";
import { type FetchLimit, isTooLarge, type ReadFetchLimit } from "./fetch-limit.ts";
import { hydrate, publish, readStored, removeFolder, resolveRevision } from "./hydrate.ts";
import type { SharedSnapshots } from "./shared-snapshots.ts";
import { createShelf, type StoredTree } from "./shelf.ts";
import type { OnProgress, Progress, Source } from "./source.ts";
import { storing } from "./storage.ts";
import { type Head, snapshotName, sourceName } from "./stored.ts";

/** The state of a source on disk. */
export interface StoredState extends Pick<
  ResourceListing,
  "state" | "revision" | "fetchedAt" | "sizeBytes" | "fileCount" | "failure" | "installedVersion"
> {
  /** The size of all files of the snapshot, also of those that are not read. */
  diskBytes?: number;
}

/** How to open a source. */
export interface OpenOptions {
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
  /** Applies to a snapshot that must be fetched, if it is stricter than the store's own. */
  fetchLimit?: ReadFetchLimit | undefined;
  /**
   * How long to wait for what is not on disk, in milliseconds: then the fetch continues in the background. With a
   * limit, a fetch that failed less than a minute ago is not repeated. Default: until it ends.
   */
  waitMs?: number | undefined;
}

/**
 * The fetched sources, each with one current revision, in a folder that several processes may share. It makes
 * fetching atomic, shared and offline-first, for any `Source`.
 *
 * It does not know git or npm, nor when a user wants an update: the refresh policy comes with each call.
 * `one-offs.ts` limits what is kept of unconfigured resources.
 */
export interface SourceStore extends AsyncDisposable {
  /**
   * The tree to answer from. If one is on disk, a failed or slow refresh is only reported in `stale`.
   * @throws the errors of the source if nothing is on disk; NotReadyYet (after `waitMs`), StorageFailed, LockTimeout
   */
  open(source: Source, options: OpenOptions & { refresh: RefreshPolicy }): Promise<StoredTree>;
  /** The tree on disk, of the given or the current revision; undefined if there is none. Uses no network. */
  openStored(
    key: string,
    options: { revision?: string | undefined; signal: AbortSignal },
  ): Promise<StoredTree | undefined>;
  /**
   * Fetches the newest revision and makes it current. On failure, the current revision is kept.
   * @throws the errors of the source; StorageFailed, LockTimeout
   */
  refresh(source: Source, options: OpenOptions): Promise<void>;
  /** The state of a source on disk, without contacting its origin. */
  describe(key: string, options: { refresh: RefreshPolicy }): Promise<StoredState>;
  /** Whether the last check is so recent that `open` with this policy would not check again. */
  isCurrent(key: string, options: { refresh: RefreshPolicy }): Promise<boolean>;
  /** Removes a source that its origin no longer has, or not for everyone; a question that reads it keeps it until it ends. */
  withdraw(key: string, failure: ErrorBody): Promise<void>;
  /** Removes a source and its current snapshot; false if a question of any process reads it. */
  remove(key: string): Promise<boolean>;
  /** Removes the snapshots that no question of any process reads, and returns their number. */
  clear(): Promise<number>;
}

/** The options of storing sources. */
export interface SourceStoreOptions {
  /** The folder of the snapshots; created on demand. */
  directory: string;
  log: Log;
  /** Milliseconds since the epoch. */
  now?: () => number;
  /**
   * How many bytes the files of all snapshots may have; over it, those that were not opened for longest are removed.
   */
  maxBytes?: number | undefined;
  /** The limit of each snapshot. Default: no limit. */
  fetchLimit?: FetchLimit | undefined;
  /** Whether they are one tenant's. Default: false. */
  isPrivate?: boolean | undefined;
  /** Snapshots that other nodes fetched. */
  shared?: SharedSnapshots | undefined;
  /** How long a question waits for a refresh, or for another process's fetch, before it uses the tree on disk. */
  waitMs?: Partial<Record<"always" | "daily" | "lock", number>>;
  /**
   * How long after the last successful check a tree may be read, in milliseconds, for a store whose readers may not all
   * be allowed to: each check proves that the origin is public. If the origin no longer has the source, or not for
   * everyone, its tree is removed. Default: no limit.
   */
  proofMs?: number | undefined;
  /** Called after a tree was removed for that reason. */
  onWithdrawn?: ((source: Source, failure: ErrorBody) => Promise<void>) | undefined;
}

/** A day in milliseconds. */
export const dayMs = 24 * 3600 * 1000;
/** How long after a failed check `daily` tries again, so that not every question waits for an unreachable host. */
const retryMs = 60 * 1000;
/** The waits in milliseconds. A longer update continues in the background. */
const defaultWaitMs = { always: 60_000, daily: 3000, lock: 15 * 60_000 };
const openAttempts = 3;

/** Stores sources below `directory`. */
export function createSourceStore({
  directory,
  log,
  now = Date.now,
  waitMs,
  maxBytes,
  isPrivate,
  shared,
  proofMs,
  onWithdrawn = async () => {},
  fetchLimit: ownLimit,
}: SourceStoreOptions): SourceStore {
  const wait = { ...defaultWaitMs, ...waitMs };
  const shelf = createShelf({ directory, log, maxBytes, isPrivate });
  const updates = createSharedTasks<void, Progress>();
  const closed = new AbortController();
  const background = new Set<Promise<unknown>>();
  let swept: Promise<void> | undefined;
  const sweep = () => (swept ??= shelf.sweep());

  return {
    async open(source, { refresh, ...options }) {
      const { signal, waitMs = Infinity } = options;
      await sweep();
      const current = await shelf.open(source.key, { signal });
      if (current === undefined) return fetchAndOpen(source, options);
      const head = await shelf.readHead(source.key);
      if (!isProved(head)) {
        await current[Symbol.asyncDispose]();
        return fetchAndOpen(source, options);
      }
      if (refresh === "manual" || !(isDue(head, refresh, now()) || (await isBehind(source.key, head)))) {
        return withReason(current, head.failure?.message, now());
      }
      const reason = await refreshFor(source, { ...options, waitMs: Math.min(wait[refresh], waitMs) }).catch(
        async (error) => {
          await current[Symbol.asyncDispose]();
          throw error;
        },
      );
      const isReadable = isProved(await shelf.readHead(source.key));
      if (reason !== undefined && isReadable) return withReason(current, reason, now());
      await current[Symbol.asyncDispose]();
      return (await shelf.open(source.key, { signal })) ?? fetchAndOpen(source, options);
    },

    async openStored(key, { revision, signal }) {
      await sweep();
      if (!isProved(await shelf.readHead(key))) return undefined;
      return shelf.open(key, { revision, signal });
    },

    async refresh(source, options) {
      await sweep();
      await update(source, options);
    },

    async describe(key, { refresh }) {
      const head = await shelf.readHead(key);
      const failure = head.failure?.message ?? null;
      const revisionOnDisk = isProved(head) ? head.revision : undefined;
      const stored = revisionOnDisk === undefined ? undefined : await shelf.readSnapshot(key, revisionOnDisk);
      if (stored === undefined) {
        const state = failure === null ? "absent" : "failed";
        return { state, revision: null, fetchedAt: null, sizeBytes: null, fileCount: null, failure };
      }
      const { revision, fetchedAt, sizeBytes, fileCount, diskBytes = sizeBytes } = stored;
      const isStale = failure !== null || (refresh !== "manual" && isDue(head, "daily", now()));
      return { state: isStale ? "stale" : "ready", revision, fetchedAt, sizeBytes, fileCount, failure, diskBytes };
    },

    async isCurrent(key, { refresh }) {
      const head = await shelf.readHead(key);
      if (head.revision === undefined || !(await shelf.has(key, head.revision))) return false;
      return refresh === "manual" || !isDue(head, refresh, now());
    },

    withdraw: (key, failure) => shelf.withdraw(key, failure, now()),

    remove: (key) => shelf.remove(key),

    async clear() {
      await sweep();
      return storing(directory, () => shelf.clear());
    },

    async [Symbol.asyncDispose]() {
      closed.abort();
      await Promise.allSettled(background);
    },
  };

  function isProved({ checkedAt }: Head): boolean {
    if (proofMs === undefined) return true;
    // The absolute difference: a clock that was set back proves nothing.
    return checkedAt !== undefined && Math.abs(now() - Date.parse(checkedAt)) <= proofMs;
  }

  async function fetchAndOpen(source: Source, options: OpenOptions): Promise<StoredTree> {
    for (let attempt = 0; attempt < openAttempts; attempt++) {
      await fetchInTime(source, options);
      const opened = await shelf.open(source.key, options);
      if (opened !== undefined) return opened;
    }
    throw new CitewellError("StorageFailed", `what is fetched into ${directory} disappears at once`, {
      hint: "check whether another program deletes that folder",
    });
  }

  /** @throws NotReadyYet, the failure of the last minute, and the errors of the source */
  async function fetchInTime(source: Source, { waitMs, ...options }: OpenOptions): Promise<void> {
    if (waitMs === undefined) return update(source, options);
    const head = await shelf.readHead(source.key);
    const { message = "", tag, hint } = (hasJustFailed(head, now()) && head.failure) || {};
    if (tag !== undefined) throw fromErrorBody({ error: message, tag, ...(hint === undefined ? {} : { hint }) });
    const end = await updateWithin(source, { ...options, waitMs });
    if (end === "late") {
      throw new CitewellError(
        "NotReadyYet",
        `the resource is still being fetched after ${Math.round(waitMs / 1000)} s`,
        {
          hint: "ask again in a minute, or name only this resource to wait for it",
        },
      );
    }
    if (end !== undefined) throw end.error;
  }

  /** Fetches the newest revision to the shelf; concurrent questions share the work. */
  async function update(source: Source, { signal, onProgress, fetchLimit }: OpenOptions): Promise<void> {
    const given = await fetchLimit?.();
    const stricter = given !== undefined && given.bytes < (ownLimit?.bytes ?? Infinity) ? given : undefined;
    const limit = stricter ?? ownLimit;
    const task = async (options: { signal: AbortSignal; onProgress: OnProgress }) => {
      try {
        const revision = await resolveRevision(source, options);
        if (proofMs !== undefined) await source.prove?.(options);
        await ensureStored(source, revision, { ...options, limit });
        await storing(directory, () => shelf.setCurrent(source.key, revision, now()));
      } catch (error) {
        options.signal.throwIfAborted();
        const failure = toErrorBody(error);
        if (proofMs !== undefined && isGone(error)) {
          await shelf.withdraw(source.key, failure, now());
          await onWithdrawn(source, failure);
          // The limit of one tenant is no failure for others.
        } else if (stricter === undefined || !isTooLarge(error)) await shelf.setFailure(source.key, failure, now());
        throw error;
      }
    };
    const key = stricter === undefined ? source.key : `${source.key}\n${stricter.bytes}`;
    return updates.run(key, ({ signal, report }) => task({ signal, onProgress: report }), {
      signal,
      onReport: onProgress,
    });
  }

  async function ensureStored(
    source: Source,
    revision: string,
    { limit, signal, onProgress }: { limit: FetchLimit | undefined; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<void> {
    if (await shelf.has(source.key, revision)) return;
    await using _lock = await lockSource(source.key, { signal, onProgress });
    // The previous holder of the lock may have fetched it.
    if (await shelf.has(source.key, revision)) return;
    const start = performance.now();
    const copied = await copyShared(source.key, { revision, signal, onProgress });
    const hydrated =
      copied ?? (await hydrate(source, { directory: shelf.temporary, revision, limit, now, signal, onProgress }));
    await publish(hydrated, shelf.placeOf(source.key, revision));
    await shelf.trim(source.key, revision);
    if (copied !== undefined) return;
    log.info("snapshot-fetched", { source: inOneLine(source), revision, ms: Math.round(performance.now() - start) });
  }

  /** The folder of a copy that another node shares. */
  async function copyShared(
    key: string,
    { revision, signal, onProgress }: { revision: string; signal: AbortSignal; onProgress: OnProgress },
  ): Promise<string | undefined> {
    if (shared === undefined) return undefined;
    const folder = path.join(shelf.temporary, ownedName(sourceName(key)));
    await storing(directory, () => mkdir(shelf.temporary, { recursive: true }));
    if (!(await shared.fetch(snapshotName(key, revision), folder, { signal, onProgress }))) return undefined;
    if ((await readStored(folder))?.revision === revision) return folder;
    await removeFolder(folder);
    return undefined;
  }

  /** Whether another node has fetched a newer revision since the last check here. */
  async function isBehind(key: string, head: Head): Promise<boolean> {
    const newest = await shared?.newest(sourceName(key));
    if (newest === undefined || newest.revision === head.revision || hasJustFailed(head, now())) return false;
    return head.checkedAt === undefined || newest.changedAt > Date.parse(head.checkedAt);
  }

  async function lockSource(
    key: string,
    { signal, onProgress }: { signal: AbortSignal; onProgress: OnProgress },
  ): Promise<AsyncDisposable> {
    const lockFile = await storing(directory, () => shelf.lockFile(key));
    const lock = async (waitMs: number) => storing(directory, () => acquireLock(lockFile, { waitMs, signal }));
    const free = await lock(0);
    if (free !== undefined) return free;
    onProgress({ phase: "fetch", message: "waiting for another process that is fetching it" });
    const freed = await lock(wait.lock);
    if (freed !== undefined) return freed;
    const waited = `${Math.ceil(wait.lock / 60_000)} min`;
    throw new CitewellError("LockTimeout", `another process is still fetching the same resource after ${waited}`, {
      hint: `end it, or remove ${lockFile}`,
    });
  }

  /** Updates while a question waits: undefined on success, else the reason to use the tree on disk. */
  async function refreshFor(source: Source, options: OpenOptions & { waitMs: number }): Promise<string | undefined> {
    const end = await updateWithin(source, options);
    if (end === undefined) return undefined;
    const reason = end === "late" ? "the update is still running" : messageOf(end.error);
    log.info("refresh-failed", { source: inOneLine(source), reason });
    return reason;
  }

  /**
   * Updates while a question waits: undefined on success. An update that takes longer than `waitMs` continues in the
   * background until the store is closed. Rejects when `signal` aborts.
   */
  async function updateWithin(
    source: Source,
    { waitMs, signal, onProgress, fetchLimit }: OpenOptions & { waitMs: number },
  ): Promise<"late" | { error: unknown } | undefined> {
    const waiting = new AbortController();
    const cancel = () => waiting.abort(signal?.reason);
    signal?.addEventListener("abort", cancel, { once: true });
    const clock = new AbortController();
    const late = sleep(waitMs, "late" as const, { signal: clock.signal });
    const updating = update(source, {
      signal: AbortSignal.any([waiting.signal, closed.signal]),
      fetchLimit,
      onProgress(progress) {
        if (!clock.signal.aborted) onProgress?.(progress);
      },
    }).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    background.add(updating);
    void updating.then(() => background.delete(updating));
    try {
      const end = await Promise.race([updating, late]);
      signal?.throwIfAborted();
      return end;
    } finally {
      signal?.removeEventListener("abort", cancel);
      clock.abort();
    }
  }
}

/** The key in one line, for the log: its parts have line breaks between them. */
function inOneLine({ key }: Source): string {
  return key.trim().replaceAll("\n", " ");
}

/** Whether an origin answered that it has no such source, or none that everyone may read. */
function isGone(error: unknown): boolean {
  return error instanceof CitewellError && (error.tag === "RepositoryNotFound" || error.tag === "PackageNotFound");
}

function isDue(head: Head, refresh: "always" | "daily", now: number): boolean {
  if (refresh === "always" || head.checkedAt === undefined) return true;
  // The absolute difference: a clock that was set back must not prevent a refresh.
  return !hasJustFailed(head, now) && Math.abs(now - Date.parse(head.checkedAt)) > dayMs;
}

function hasJustFailed({ failure }: Head, now: number): boolean {
  return failure !== undefined && now - Date.parse(failure.at) < retryMs;
}

/** Adds to a tree the reason why it may be outdated, and its age. */
export function withReason(tree: StoredTree, reason: string | undefined, now: number): StoredTree {
  if (reason === undefined) return tree;
  return { ...tree, stale: `fetched ${formatAge(now - Date.parse(tree.fetchedAt))}; ${reason}` };
}
