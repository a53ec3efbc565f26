import { untilAborted } from "../lib/abort.ts";
import { createTimeSlices } from "../lib/time-slices.ts";
import type { SkippedFile, Snapshot } from "../resources/snapshot.ts";
import { classOf, classOrder } from "./file-class.ts";
import { readAhead } from "./read-ahead.ts";
import { createIndexBuilder, type SnapshotIndex } from "./snapshot-index.ts";
import type { TextStore } from "./text-store.ts";
import { findTwins } from "./twins.ts";

export interface IndexedSnapshot {
  index: SnapshotIndex;
  /** What the snapshot left out, and what is found by grep only. */
  skipped: readonly SkippedFile[];
}

/** Indexes of snapshots, built at the first search and kept while there is room. */
export interface Indexes {
  /** Two questions at once share the work; when the one that does it gives up, the other goes on from the beginning. */
  of(snapshot: Snapshot, options: { signal: AbortSignal | undefined }): Promise<IndexedSnapshot>;
}

/** `limitBytes` is the size of the files whose indexes are kept; the last one used is kept whatever its size. */
export function createIndexes({ texts, limitBytes }: { texts: TextStore; limitBytes: number }): Indexes {
  const indexes = new Map<string, { indexed: Promise<IndexedSnapshot>; bytes: number }>();
  return {
    async of(snapshot, { signal }) {
      const bytes = snapshot.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const key = [snapshot.resource, snapshot.revision, snapshot.files.length, bytes].join("\n");
      for (let kept = indexes.get(key); kept !== undefined; kept = indexes.get(key)) {
        touch(key, kept);
        try {
          return await untilAborted(kept.indexed, signal);
        } catch {
          signal?.throwIfAborted();
          if (indexes.get(key) === kept) indexes.delete(key);
        }
      }
      const built = { indexed: indexSnapshot(snapshot, { texts, signal }), bytes };
      touch(key, built);
      try {
        return await built.indexed;
      } catch (error) {
        if (indexes.get(key) === built) indexes.delete(key);
        throw error;
      }
    },
  };

  /** Makes one the last used, and drops those that were not used for longest until the rest fits. */
  function touch(key: string, entry: { indexed: Promise<IndexedSnapshot>; bytes: number }): void {
    indexes.delete(key);
    indexes.set(key, entry);
    let held = [...indexes.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    for (const [oldest, { bytes }] of indexes) {
      if (held <= limitBytes || oldest === key) return;
      indexes.delete(oldest);
      held -= bytes;
    }
  }
}

/** Larger files are data or generated, and few. */
const rankedFileLimitBytes = 1024 * 1024;
/** An index takes about half as much memory as the text. */
const rankedTreeLimitBytes = 200 * 1024 * 1024;
/** Lines of minified files are longer on average; of a small file an average says little. */
const minifiedLineLength = 400;
const minifiedFileLength = 4000;

async function indexSnapshot(
  snapshot: Snapshot,
  { texts, signal }: { texts: TextStore; signal: AbortSignal | undefined },
): Promise<IndexedSnapshot> {
  const { ranked, skipped } = chooseRanked(snapshot);
  const builder = createIndexBuilder({ twins: findTwins(snapshot.files.map(({ path }) => path)) });
  const slices = createTimeSlices();
  for await (const { item, text, fault } of readAhead(snapshot, ranked, { texts, signal })) {
    if (fault !== undefined) skipped.push({ path: item.path, reason: fault });
    else if (isMinified(text)) skipped.push({ path: item.path, reason: "minified: found by grep only" });
    else await slices.run(() => builder.add(item.path, text));
  }
  return { index: builder.finish(), skipped: [...snapshot.skipped, ...skipped] };
}

interface RankedFile {
  path: string;
  sizeBytes: number;
  order: number;
}

/** Leaves out what is too large, and of a tree that is too large what is least likely to hold an answer. */
function chooseRanked({ files }: Snapshot): { ranked: RankedFile[]; skipped: SkippedFile[] } {
  const ranked: RankedFile[] = [];
  const skipped: SkippedFile[] = [];
  let left = rankedTreeLimitBytes;
  const ordered = files.map((file) => ({ ...file, order: classOrder(classOf(file.path)) }));
  for (const file of ordered.sort((a, b) => a.order - b.order)) {
    const what = file.sizeBytes > rankedFileLimitBytes ? "larger than 1 MB" : "the tree has more than 200 MB";
    if (file.sizeBytes <= Math.min(rankedFileLimitBytes, left)) {
      ranked.push(file);
      left -= file.sizeBytes;
    } else skipped.push({ path: file.path, reason: `${what}: found by grep only` });
  }
  return { ranked, skipped };
}

function isMinified(text: string): boolean {
  if (text.length < minifiedFileLength) return false;
  let lines = 1;
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) lines++;
  return text.length / lines > minifiedLineLength;
}
