import os from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { debounce } from "../../lib/debounce.ts";
import { listHash } from "../../lib/content-hash.ts";
import { createSharedTasks } from "../../lib/shared-tasks.ts";
import type { FileEntry, SkippedFile, Snapshot } from "../../resources/snapshot.ts";
import { DamagedIndex, unlessDamaged } from "../format/index-file.ts";
import type { IndexStore } from "../index/index-store.ts";
import { describePaths } from "../index/path-facts.ts";
import { createSnapshotIndex, type SnapshotIndex } from "../index/snapshot-index.ts";
import type { StoredIndex } from "../index/stored-index.ts";
import { buildIndex } from "./build-index.ts";
import type { IndexFiles } from "./index-files.ts";
import type { IndexPlan } from "./index-plan.ts";

export interface IndexedSnapshot {
  index: SnapshotIndex;
  /** What the snapshot left out, and what is found by exact search only. */
  skipped: readonly SkippedFile[];
  /** Paths that are not indexed yet, while the rest is. */
  pending: ReadonlySet<string>;
}

/** The work that `prepare` starts; disposing ends it. */
export interface Preparation extends AsyncDisposable {
  /** Settles when the index is ready or failed; a search reports the reason. */
  done: Promise<unknown>;
}

export interface PrepareOptions {
  /** Called with the share of finished files, 0 to 1, unless all are at once. */
  onProgress?: (fraction: number) => void;
  /** Whether no question is asked: then it has low priority, and one process at a time does it. */
  isBackground?: boolean;
}

/** Indexes of snapshots: found in the store, else built, once for all who ask. */
export interface Indexes {
  /**
   * The index, as far as it is there after a while; what is missing goes on being built as long as somebody waits, or
   * has said `prepare`.
   */
  of(snapshot: Snapshot, options: { patienceMs: number; signal: AbortSignal | undefined }): Promise<IndexedSnapshot>;
  /** What there is now, without waiting for anything but the disk. */
  now(snapshot: Snapshot): Promise<IndexedSnapshot | undefined>;
  /** Builds the index, if it is not there, until it is disposed of: before the snapshot is. */
  prepare(snapshot: Snapshot, options?: PrepareOptions): Preparation;
  /** Stops indexing until the result is disposed of, for a moment at most. */
  pause(snapshot: Snapshot): Disposable;
  /** The files of a snapshot's index, to copy them; none if it is not built. */
  filesOf(snapshot: Snapshot): Promise<string[]>;
  /** Forgets an index that turned out to be damaged, so that the next one is built afresh. */
  mend(snapshot: Snapshot): Promise<void>;
}

/** How much longer a search waits for an index that is still empty: it would find nothing. */
const emptyPatienceMs = 4000;

/** Open indexes of the snapshots that were used last: of one that is edited, each state is another. A file takes 300 bytes. */
const keptIndexes = 24;
const keptFiles = 60_000;

/** After the last question: a server rests for most of its life, and to open an index of 22,500 files again takes 0.1 s. */
export const keptMs = 10_000;

/** What `createIndexes` works with; `pause` stops `indexFiles`, where that is worthwhile. */
export interface IndexesOptions {
  store: IndexStore;
  indexFiles: IndexFiles;
  pause?: () => Disposable;
}

export function createIndexes({ store, indexFiles, pause = () => noPause }: IndexesOptions): Indexes {
  const ready = new Map<string, IndexedSnapshot>();
  const asked = debounce(keptMs, () => ready.clear());
  const running = new Map<string, IndexPlan>();
  /** Aborted once a search waits for the index of that key. */
  const urgencies = new Map<string, AbortController>();
  const tasks = createSharedTasks<IndexedSnapshot, number>();
  // A snapshot never changes, and every tool call of a question asks for its key.
  const digests = new WeakMap<Snapshot["files"], string>();

  function digestOf({ files }: Snapshot): string {
    const digest = digests.get(files) ?? filesDigest(files);
    digests.set(files, digest);
    return digest;
  }

  /** The revision of a folder says which files it has; of anything else a part may be read. */
  function keyOf(snapshot: Snapshot): string {
    const { info, revision } = snapshot;
    return info.type === "local" ? revision : `${revision} ${digestOf(snapshot)}`;
  }

  /** A folder that people work in has one index, which follows it; anything else has one for each revision. */
  function nameOf(snapshot: Snapshot): string {
    const { info, revision } = snapshot;
    return info.directory === undefined ? `${revision}\n${digestOf(snapshot)}` : `in ${info.directory}`;
  }

  async function findReady(snapshot: Snapshot): Promise<IndexedSnapshot | undefined> {
    const key = keyOf(snapshot);
    const kept = ready.get(key);
    if (kept !== undefined) return keep(key, kept);
    const stored = await store.read(nameOf(snapshot));
    if (stored?.key !== key) return undefined;
    const opened = openStored(snapshot, stored, store);
    return opened && keep(key, opened);
  }

  function keep(key: string, indexed: IndexedSnapshot): IndexedSnapshot {
    asked();
    ready.delete(key);
    ready.set(key, indexed);
    let files = 0;
    for (const { index } of ready.values()) files += index.files.length;
    for (const [oldest, { index }] of ready) {
      if (ready.size === 1 || (ready.size <= keptIndexes && files <= keptFiles)) break;
      ready.delete(oldest);
      files -= index.files.length;
    }
    return indexed;
  }

  function complete(
    snapshot: Snapshot,
    {
      signal,
      onProgress,
      isBackground = false,
    }: { signal: AbortSignal; onProgress?: ((fraction: number) => void) | undefined; isBackground?: boolean },
  ): Promise<IndexedSnapshot> {
    const key = keyOf(snapshot);
    const urgency = new AbortController();
    if (!isBackground) urgency.abort();
    const task = async ({ signal, report }: { signal: AbortSignal; report: (fraction: number) => void }) => {
      const found = await findReady(snapshot);
      if (found !== undefined) return found;
      try {
        const before = await store.read(nameOf(snapshot));
        const onPlan = (plan: IndexPlan) => running.set(key, plan);
        urgencies.set(key, urgency);
        const options = { before, store, indexFiles, onPlan, onProgress: report, urgent: urgency.signal, signal };
        const built = { key, ...(await buildIndex(snapshot, options)) };
        // Not as `read` gives it: another process may have followed another edit meanwhile.
        const opened = openStored(snapshot, await store.write(nameOf(snapshot), built), store);
        if (opened === undefined) throw new DamagedIndex("an index cannot be read back");
        return keep(key, opened);
      } finally {
        running.delete(key);
        urgencies.delete(key);
      }
    };
    return tasks.run(key, task, { signal, onReport: onProgress });
  }

  /** `begun` when there is something to search in. */
  function start(
    snapshot: Snapshot,
    signal: AbortSignal,
  ): { whole: Promise<IndexedSnapshot>; begun: Promise<undefined> } {
    let onProgress = () => {};
    const begun = new Promise<undefined>((resolve) => {
      onProgress = () => resolve(undefined);
    });
    return { whole: complete(snapshot, { signal, onProgress }), begun };
  }

  return {
    async of(snapshot, { patienceMs, signal }) {
      const found = await findReady(snapshot);
      if (found !== undefined) return found;
      const waiting = new AbortController();
      const both = signal === undefined ? waiting.signal : AbortSignal.any([signal, waiting.signal]);
      if (isBusy()) urgencies.get(keyOf(snapshot))?.abort();
      const { whole, begun } = start(snapshot, both);
      const waitFor = (ms: number) => sleep(ms, undefined, { signal: both }).catch(() => undefined);
      const patience = waitFor(patienceMs).then(() => Promise.race([begun, waitFor(emptyPatienceMs)]));
      const indexed = await Promise.race([whole, patience]);
      signal?.throwIfAborted();
      if (indexed !== undefined) {
        waiting.abort();
        return indexed;
      }
      const partial = openPartial(snapshot, running.get(keyOf(snapshot)), store);
      waiting.abort();
      await whole.catch(() => {});
      return partial;
    },
    async now(snapshot) {
      const plan = running.get(keyOf(snapshot));
      return (await findReady(snapshot)) ?? (plan && openPartial(snapshot, plan, store));
    },
    prepare(snapshot, { onProgress, isBackground = false } = {}) {
      const leaving = new AbortController();
      const { signal } = leaving;
      const inTurn = async () => {
        // Rejects where nothing can be written: only a question makes an index that goes with this process.
        await using _ = await store.lock(nameOf(snapshot), { signal });
        await complete(snapshot, { signal, onProgress, isBackground });
      };
      // The search reports the failure.
      const done = (isBackground ? inTurn() : complete(snapshot, { signal, onProgress })).catch(() => {});
      return {
        done,
        async [Symbol.asyncDispose]() {
          leaving.abort();
          await done;
        },
      };
    },
    pause,
    filesOf: (snapshot) => store.filesOf(nameOf(snapshot)),
    async mend(snapshot) {
      ready.delete(keyOf(snapshot));
      await store.forget(nameOf(snapshot));
    },
  };
}

const noPause: Disposable = { [Symbol.dispose]() {} };

/** Whether others have work for all processors, so that a process of low priority gets little of them. */
function isBusy(): boolean {
  return (os.loadavg()[0] ?? 0) > os.availableParallelism();
}

function filesDigest(files: Snapshot["files"]): string {
  return listHash(files, ({ path, sizeBytes }) => `${path}\0${sizeBytes}\n`).slice(0, 32);
}

/** Undefined where part of it is gone or damaged. */
function openStored(snapshot: Snapshot, stored: StoredIndex, store: IndexStore): IndexedSnapshot | undefined {
  return unlessDamaged(() => {
    const segments = stored.segments.map((id) => store.open(id));
    const { places, facts, skipped } = stored;
    return {
      index: createSnapshotIndex(snapshot.files, { segments, places, facts, skipped }),
      skipped: [...snapshot.skipped, ...skipped],
      pending: new Set(),
    };
  });
}

function openPartial(snapshot: Snapshot, plan: IndexPlan | undefined, store: IndexStore): IndexedSnapshot {
  const segments = plan && unlessDamaged(() => plan.segments.map((id) => store.open(id)));
  const places = snapshot.files.map(({ path }) => (segments === undefined ? undefined : plan?.places.get(path)));
  const placed = snapshot.files.filter((_, index) => places[index] !== undefined);
  const facts = describePaths(placed.map(({ path }) => path));
  const skipped = plan?.skipped ?? [];
  const unranked = new Set(skipped.map(({ path }) => path));
  const isPending = ({ path }: FileEntry) => plan?.places.has(path) !== true && !unranked.has(path);
  return {
    index: createSnapshotIndex(snapshot.files, { segments: segments ?? [], places, facts, skipped }),
    skipped: [...snapshot.skipped, ...skipped],
    pending: new Set(snapshot.files.filter(isPending).map(({ path }) => path)),
  };
}
