import { createTimeSlices } from "../../lib/time-slices.ts";
import type { FileEntry, Snapshot } from "../../resources/snapshot.ts";
import { classOf, classOrder } from "../file-class.ts";
import { unlessDamaged } from "../format/index-file.ts";
import type { IndexStore } from "../index/index-store.ts";
import { readAhead } from "../read-ahead.ts";
import { isSmallTree } from "../small-tree.ts";
import type { TextStore } from "../text-store.ts";
import { noStructure, structureOf } from "./file-structure.ts";
import { type IndexPlan, segmentNumber } from "./index-plan.ts";
import type { IndexableFile, NewSegment, SegmentMaker } from "./segment-maker.ts";
import { createHash } from "node:crypto";
import { languageOf } from "../../source/languages.ts";
import { hashBytes } from "../index/segment.ts";

/** Brings the files of a snapshot into its plan that are not in it yet. */
export type IndexFiles = (snapshot: Snapshot, plan: IndexPlan, options: IndexFilesOptions) => Promise<void>;

export interface IndexFilesOptions {
  /** Segments whose texts are not indexed again; where one has the text of another, the first is used. */
  known: readonly string[];
  /** Until it aborts, no search waits for the index, and other work goes first. */
  urgent: AbortSignal;
  /** Called after each segment. */
  onSegment: () => void;
  signal: AbortSignal;
}

export interface FileIndexerOptions {
  store: Pick<IndexStore, "addSegment" | "hashes" | "discard">;
  texts: TextStore;
  maker: SegmentMaker;
  /** Awaited before each file. */
  untilResumed?: () => Promise<void> | undefined;
}

/** Text that makes a segment: enough to make lists of terms short, little enough to hold several in memory. */
const segmentLength = 4 * 1024 * 1024;
/**
 * Of a large tree the first one is small, and each is twice the one before, so that a search finds something soon. A
 * small tree is waited for as a whole, and its index is smaller and made faster with few of them.
 */
const firstSegmentLength = 256 * 1024;
/** Larger files are data or generated, and few. */
const rankedFileLimitBytes = 1024 * 1024;
const rankedTreeLimitBytes = 500 * 1024 * 1024;

/** Takes over what is known of equal texts, and makes segments of the rest. What people read comes first. */
export function createFileIndexer({ store, texts, maker, untilResumed }: FileIndexerOptions): IndexFiles {
  return async (snapshot, plan, { known: ids, onSegment, signal }) => {
    const known = await readKnown(ids, store);
    // Equal texts go in once, whichever segments they would come into.
    const originals = new Map<string, string>();
    const copies: { path: string; original: string }[] = [];
    const slices = createTimeSlices();
    const isSmall = isSmallTree(snapshot.files);
    await using added = createAddedSegments(plan, { maker, store, isSmall, onSegment });
    const chosen = chooseFiles(snapshot.files, plan);
    for await (const { item, text, fault } of readAhead(snapshot, chosen, { texts, signal })) {
      await untilResumed?.();
      const { path } = item;
      if (fault !== undefined) {
        plan.skipped.push({ path, reason: fault });
        plan.places.set(path, undefined);
        continue;
      }
      const reason = item.reason ?? (isMinified(text) ? "minified" : undefined);
      if (reason !== undefined) plan.skipped.push({ path, reason: `${reason}: found by grep only` });
      const isRanked = reason === undefined;
      const hash = fileHash({ path, text, isRanked });
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
      const structure = await slices.run(() => (isRanked ? structureOf(path, text) : noStructure));
      await added.add(path, { hash, text, structure });
    }
    await added.end();
    for (const { path, original } of copies) plan.places.set(path, plan.places.get(original));
  };
}

/** Puts files into new segments of a plan. One is packed and stored while files are added to the next. */
function createAddedSegments(
  plan: IndexPlan,
  {
    maker,
    store,
    isSmall,
    onSegment,
  }: Pick<FileIndexerOptions, "maker" | "store"> & Pick<IndexFilesOptions, "onSegment"> & { isSmall: boolean },
) {
  let segment: NewSegment | undefined;
  let paths: string[] = [];
  let length = 0;
  let wanted = isSmall ? segmentLength : firstSegmentLength;
  let storing = Promise.resolve();

  async function storeSegment(finished: Promise<Uint8Array>, files: readonly string[]): Promise<void> {
    const id = await store.addSegment(await finished);
    const number = segmentNumber(plan, id);
    for (const [file, path] of files.entries()) plan.places.set(path, { segment: number, file });
    onSegment();
  }

  async function endSegment(): Promise<void> {
    await storing;
    if (segment === undefined) return;
    storing = storeSegment(segment.finish(), paths);
    // The waiting caller gets the error.
    storing.catch(() => {});
    segment = undefined;
    paths = [];
    length = 0;
    wanted = Math.min(2 * wanted, segmentLength);
  }

  return {
    async add(path: string, file: IndexableFile): Promise<void> {
      segment ??= await maker.begin();
      await segment.add(file);
      paths.push(path);
      length += file.text.length;
      if (length >= wanted) await endSegment();
    },
    async end(): Promise<void> {
      await endSegment();
      await storing;
    },
    /** Leaves what is not finished. */
    async [Symbol.asyncDispose](): Promise<void> {
      segment?.[Symbol.dispose]();
      await storing.catch(() => {});
    },
  };
}

/** Texts that segments hold, by hash. */
async function readKnown(
  ids: readonly string[],
  store: FileIndexerOptions["store"],
): Promise<Map<string, { id: string; file: number }>> {
  const known = new Map<string, { id: string; file: number }>();
  for (const id of ids) {
    const hashes = unlessDamaged(() => store.hashes(id));
    if (hashes === undefined) await store.discard(id);
    for (const [file, hash] of hashes?.entries() ?? []) if (!known.has(hash)) known.set(hash, { id, file });
  }
  return known;
}

interface ChosenFile {
  path: string;
  /** Why it is not ranked. */
  reason: string | undefined;
}

/**
 * To tell what each file of a large tree is takes a third of a second; meanwhile, sources from all over it are indexed.
 */
const sampleSize = 500;

/** Those that are not in the plan yet: what people read first, and of too large a tree or file no ranking. */
function* chooseFiles(files: readonly FileEntry[], plan: IndexPlan): Generator<ChosenFile> {
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

/** Lines of minified files are longer on average; of a small file an average says little. */
const minifiedLineLength = 400;
const minifiedFileLength = 4000;

function isMinified(text: string): boolean {
  if (text.length < minifiedFileLength) return false;
  let lines = 1;
  for (let index = text.indexOf("\n"); index !== -1; index = text.indexOf("\n", index + 1)) lines++;
  return text.length / lines > minifiedLineLength;
}

/** Files of equal hash have the same entry in an index: all of it comes from the text and the way it is read. */
function fileHash({ path, text, isRanked }: { path: string; text: string; isRanked: boolean }): string {
  const kind = isRanked ? languageOf(path).family : "exact";
  return createHash("sha256")
    .update(`${kind}\n`)
    .update(text)
    .digest("hex")
    .slice(0, 2 * hashBytes);
}
