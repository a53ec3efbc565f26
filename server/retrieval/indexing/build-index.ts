import type { Snapshot } from "../../resources/snapshot.ts";
import { unlessDamaged } from "../format/index-file.ts";
import type { IndexStore } from "../index/index-store.ts";
import type { StoredIndex } from "../index/stored-index.ts";
import type { IndexFiles } from "./index-files.ts";
import { emptyPlan, type IndexPlan, takeOver, toStored } from "./index-plan.ts";

export interface BuildOptions {
  /** The last index of the same name: unchanged files are not read. */
  before: StoredIndex | undefined;
  store: IndexStore;
  indexFiles: IndexFiles;
  onPlan: (plan: IndexPlan) => void;
  /** Called after each segment but the last with the share of finished files, 0 to 1. */
  onProgress: (fraction: number) => void;
  /** See `IndexFilesOptions`. */
  urgent: AbortSignal;
  signal: AbortSignal;
}

/** If a snapshot uses less than this share of a segment, its part is indexed again: unused files slow each search. */
const leastShare = 0.25;
/** So few files are indexed faster than they are found in other segments. */
const fewChanges = 64;

/** Indexes a snapshot: reuses segments with equal texts, those in use first, and indexes the rest. */
export async function buildIndex(snapshot: Snapshot, options: BuildOptions): Promise<Omit<StoredIndex, "key">> {
  const { before, store, indexFiles, onPlan, onProgress, urgent, signal } = options;
  const { files } = snapshot;
  // Dropped before the rest is indexed: for half a million files they take 90 MB.
  const stampedFiles = () => files.map(({ path }) => ({ path, stamp: snapshot.stampOf(path) }));
  const plan = before === undefined ? emptyPlan() : takeOver(stampedFiles(), before);
  onPlan(plan);
  const onSegment = () => {
    const { size } = plan.places;
    if (size < files.length) onProgress(size / files.length);
  };
  const isUpdate = plan.places.size > 0 && files.length - plan.places.size <= fewChanges;
  const known = isUpdate ? plan.segments : [...new Set([...plan.segments, ...(await store.segmentIds())])];
  await indexFiles(snapshot, plan, { known, urgent, onSegment, signal });
  const wasteful = wastefulSegments(plan, store);
  if (wasteful.size > 0) {
    for (const [path, place] of plan.places) if (place && wasteful.has(place.segment)) plan.places.delete(path);
    await indexFiles(snapshot, plan, { known: [], urgent, onSegment, signal });
  }
  return toStored(stampedFiles(), plan, before);
}

/** An index with more small segments than this merges them. */
const fewSegments = 8;
const fewFiles = 16;

function wastefulSegments({ segments, places }: IndexPlan, store: IndexStore): Set<number> {
  const used = segments.map(() => new Set<number>());
  for (const place of places.values()) if (place !== undefined) used[place.segment]?.add(place.file);
  const inUse = segments
    .map((id, number) => ({ number, usedFiles: used[number]?.size ?? 0, id }))
    .filter(({ usedFiles }) => usedFiles > 0);
  const small = inUse.filter(({ usedFiles }) => usedFiles <= fewFiles);
  // Also rebuilds a segment that another process removed as damaged.
  const fileCountOf = (id: string) => unlessDamaged(() => store.open(id))?.fileCount ?? Infinity;
  const unused = inUse.filter(({ id, usedFiles }) => usedFiles < leastShare * fileCountOf(id));
  return new Set([...unused, ...(small.length > fewSegments ? small : [])].map(({ number }) => number));
}
