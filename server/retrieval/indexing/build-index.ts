import type { Snapshot } from "../../resources/snapshot.ts";
import { unlessDamaged } from "../format/index-file.ts";
import type { IndexStore } from "../index/index-store.ts";
import type { StoredIndex } from "../index/stored-index.ts";
import type { IndexFiles } from "./index-files.ts";
import { emptyPlan, type IndexPlan, takeOver, toStored } from "./index-plan.ts";

export interface BuildOptions {
  /** The last index of the same name: what has not changed since is not read. */
  before: StoredIndex | undefined;
  store: IndexStore;
  indexFiles: IndexFiles;
  onPlan: (plan: IndexPlan) => void;
  /** After each segment but the last, how much of the files is done, as a part of 1. */
  onProgress: (fraction: number) => void;
  signal: AbortSignal;
}

/** Of a segment in which a snapshot uses a smaller part, that part is indexed again: what is unused costs each search. */
const leastShare = 0.25;
/** So few are indexed sooner than their texts are found among those of segments that the index does not use. */
const fewChanges = 64;

/** Indexes a snapshot: takes over what is known of equal texts, those in use already first, and indexes the rest. */
export async function buildIndex(snapshot: Snapshot, options: BuildOptions): Promise<Omit<StoredIndex, "key">> {
  const { before, store, indexFiles, onPlan, onProgress, signal } = options;
  const { files } = snapshot;
  // Not kept while the rest is indexed: of half a million files they are 90 MB.
  const stampedFiles = () => files.map(({ path }) => ({ path, stamp: snapshot.stampOf(path) }));
  const plan = before === undefined ? emptyPlan() : takeOver(stampedFiles(), before);
  onPlan(plan);
  const onSegment = () => {
    const { size } = plan.places;
    if (size < files.length) onProgress(size / files.length);
  };
  const isUpdate = plan.places.size > 0 && files.length - plan.places.size <= fewChanges;
  const known = isUpdate ? plan.segments : [...new Set([...plan.segments, ...(await store.segmentIds())])];
  await indexFiles(snapshot, plan, { known, onSegment, signal });
  const wasteful = wastefulSegments(plan, store);
  if (wasteful.size > 0) {
    for (const [path, place] of plan.places) if (place && wasteful.has(place.segment)) plan.places.delete(path);
    await indexFiles(snapshot, plan, { known: [], onSegment, signal });
  }
  return toStored(stampedFiles(), plan, before);
}

/** Segments that were made for a few edits each become one where an index has more of them than this. */
const fewSegments = 8;
const fewFiles = 16;

function wastefulSegments({ segments, places }: IndexPlan, store: IndexStore): Set<number> {
  const used = segments.map(() => new Set<number>());
  for (const place of places.values()) if (place !== undefined) used[place.segment]?.add(place.file);
  const inUse = segments
    .map((id, number) => ({ number, usedFiles: used[number]?.size ?? 0, id }))
    .filter(({ usedFiles }) => usedFiles > 0);
  const small = inUse.filter(({ usedFiles }) => usedFiles <= fewFiles);
  // One that is gone, because another process found it damaged, is made again as well.
  const fileCountOf = (id: string) => unlessDamaged(() => store.open(id))?.fileCount ?? Infinity;
  const unused = inUse.filter(({ id, usedFiles }) => usedFiles < leastShare * fileCountOf(id));
  return new Set([...unused, ...(small.length > fewSegments ? small : [])].map(({ number }) => number));
}
