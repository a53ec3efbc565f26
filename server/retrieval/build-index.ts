import type { FileEntry, Snapshot } from "../resources/snapshot.ts";
import type { BuildSegment } from "./build-segments.ts";
import { classOf, classOrder } from "./file-class.ts";
import { fileHash } from "./file-hash.ts";
import { unlessDamaged } from "./index-file.ts";
import { emptyPlan, type IndexPlan, takeOver, toStored } from "./index-plan.ts";
import type { IndexStore } from "./index-store.ts";
import { readAhead } from "./read-ahead.ts";
import type { IndexableFile } from "./segment-builder.ts";
import type { StoredIndex } from "./stored-index.ts";
import type { TextStore } from "./text-store.ts";

export interface BuildOptions {
  /** The last index of the same name: what has not changed since is not read. */
  before: StoredIndex | undefined;
  store: IndexStore;
  texts: TextStore;
  build: BuildSegment;
  onPlan: (plan: IndexPlan) => void;
  /** After each segment but the last, how much of the files is done, as a part of 1. */
  onProgress: (fraction: number) => void;
  signal: AbortSignal;
}

/** Text that makes a segment: enough to make lists of terms short, little enough to hold several in memory. */
const segmentLength = 4 * 1024 * 1024;
/** The first one is small, and each is twice the one before: in a large tree, too, a search finds something soon. */
const firstSegmentLength = 256 * 1024;
/** Segments that are made while the text of the next one is read. */
const buildsAtOnce = 1;
/** Of a segment in which a snapshot uses a smaller part, that part is indexed again: what is unused costs each search. */
const leastShare = 0.25;
/** Larger files are data or generated, and few. */
const rankedFileLimitBytes = 1024 * 1024;
const rankedTreeLimitBytes = 500 * 1024 * 1024;

/** Indexes a snapshot: takes over what is known of equal texts, and makes segments of the rest. What people read comes first. */
export async function buildIndex(snapshot: Snapshot, options: BuildOptions): Promise<Omit<StoredIndex, "key">> {
  const { before, store, onPlan } = options;
  const files = snapshot.files.map(({ path }) => ({ path, stamp: snapshot.stampOf(path) }));
  const plan = before === undefined ? emptyPlan() : takeOver(files, before);
  onPlan(plan);
  await indexRest(snapshot, plan, await readKnown(snapshot, plan, store), options);
  const wasteful = wastefulSegments(plan, store);
  if (wasteful.size > 0) {
    for (const [path, place] of plan.places) if (place && wasteful.has(place.segment)) plan.places.delete(path);
    await indexRest(snapshot, plan, new Map(), options);
  }
  return toStored(files, plan, before);
}

/** Of an index that changes in so few files, no other one is looked into. */
const fewChanges = 64;

/** Texts that segments hold, by hash. Those in use already come first. */
async function readKnown(
  { files }: Snapshot,
  { segments, places }: IndexPlan,
  store: IndexStore,
): Promise<Map<string, { id: string; file: number }>> {
  const known = new Map<string, { id: string; file: number }>();
  const isUpdate = places.size > 0 && files.length - places.size <= fewChanges;
  for (const id of new Set([...segments, ...(isUpdate ? [] : await store.segmentIds())])) {
    const hashes = unlessDamaged(() => store.hashes(id));
    if (hashes === undefined) await store.discard(id);
    for (const [file, hash] of hashes?.entries() ?? []) if (!known.has(hash)) known.set(hash, { id, file });
  }
  return known;
}

async function indexRest(
  snapshot: Snapshot,
  plan: IndexPlan,
  known: ReadonlyMap<string, { id: string; file: number }>,
  { store, texts, build, onProgress, signal }: BuildOptions,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const tellProgress = () => {
    const { size } = plan.places;
    if (size < snapshot.files.length) onProgress(size / snapshot.files.length);
  };
  // Equal texts go in once, whichever segments they would come into.
  const originals = new Map<string, string>();
  const copies: { path: string; original: string }[] = [];
  let batch: IndexableFile[] = [];
  let length = 0;
  let wanted = firstSegmentLength;
  const flush = async () => {
    if (batch.length === 0) return;
    while (running.size >= buildsAtOnce) await Promise.race(running);
    const task = addSegment(batch, plan, { store, build, signal })
      .then(tellProgress)
      .finally(() => running.delete(task));
    running.add(task);
    batch = [];
    length = 0;
    wanted = Math.min(2 * wanted, segmentLength);
  };
  try {
    for await (const { item, text, fault } of readAhead(snapshot, chooseFiles(snapshot, plan), { texts, signal })) {
      const { path } = item;
      if (fault !== undefined) {
        plan.skipped.push({ path, reason: fault });
        plan.places.set(path, undefined);
        continue;
      }
      const reason = item.reason ?? (isMinified(text) ? "minified" : undefined);
      if (reason !== undefined) plan.skipped.push({ path, reason: `${reason}: found by grep only` });
      const file = { path, text, isRanked: reason === undefined };
      const hash = fileHash(file);
      const place = known.get(hash);
      if (place !== undefined) {
        plan.places.set(path, { segment: segmentNumber(plan, place.id), file: place.file });
        continue;
      }
      const original = originals.get(hash);
      if (original !== undefined) {
        copies.push({ path, original });
        continue;
      }
      originals.set(hash, path);
      batch.push({ ...file, hash });
      length += text.length;
      if (length >= wanted) await flush();
    }
    await flush();
    await Promise.all(running);
    for (const { path, original } of copies) plan.places.set(path, plan.places.get(original));
  } finally {
    await Promise.allSettled(running);
  }
}

async function addSegment(
  files: readonly IndexableFile[],
  plan: IndexPlan,
  { store, build, signal }: Pick<BuildOptions, "store" | "build" | "signal">,
): Promise<void> {
  const id = await store.addSegment(await build(files, { signal }));
  const segment = segmentNumber(plan, id);
  for (const [file, { path }] of files.entries()) plan.places.set(path, { segment, file });
}

function segmentNumber(plan: IndexPlan, id: string): number {
  const at = plan.segments.indexOf(id);
  return at === -1 ? plan.segments.push(id) - 1 : at;
}

interface ChosenFile {
  path: string;
  /** Why it is not ranked. */
  reason: string | undefined;
}

/** To tell what each file of a large tree is takes a third of a second; meanwhile, sources from all over it are indexed. */
const sampleSize = 500;

/** Those that are not in the plan yet: what people read first, and of too large a tree or file no ranking. */
function* chooseFiles({ files }: Snapshot, plan: IndexPlan): Generator<ChosenFile> {
  let left = rankedTreeLimitBytes;
  const choose = ({ path, sizeBytes }: FileEntry): ChosenFile => {
    if (sizeBytes > rankedFileLimitBytes) return { path, reason: "larger than 1 MB" };
    if (sizeBytes > left) return { path, reason: "the tree has more than 500 MB" };
    left -= sizeBytes;
    return { path, reason: undefined };
  };
  const orderOf = ({ path }: FileEntry) => classOrder(classOf(path));
  const wanted = files.filter(({ path }) => !plan.places.has(path));
  const step = Math.ceil(wanted.length / sampleSize);
  const sample = new Set(step === 1 ? [] : wanted.filter((file, index) => index % step === 0 && orderOf(file) === 0));
  for (const file of sample) yield choose(file);
  const ordered = wanted.filter((file) => !sample.has(file)).map((file) => ({ file, order: orderOf(file) }));
  for (const { file } of ordered.sort((a, b) => a.order - b.order)) yield choose(file);
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

/** Lines of minified files are longer on average; of a small file an average says little. */
const minifiedLineLength = 400;
const minifiedFileLength = 4000;

function isMinified(text: string): boolean {
  if (text.length < minifiedFileLength) return false;
  let lines = 1;
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) lines++;
  return text.length / lines > minifiedLineLength;
}
