import type { FileEntry, SkippedFile } from "../../resources/snapshot.ts";
import { binaryReason } from "../../resources/tree-reader.ts";
import { classAt, type FileClass } from "../file-class.ts";
import { once } from "../once.ts";
import type { PathFacts, PathTerms } from "./path-facts.ts";
import type { Segment } from "./segment.ts";

/** The location of a file's text in an index. */
export interface TextPlace {
  segment: number;
  /** The file's number in the segment. Files with equal text share one. */
  file: number;
}

export interface IndexedFile {
  path: string;
  fileClass: FileClass;
  /** The path of the same module in a more readable form. */
  twinOf: string | undefined;
  place: TextPlace;
}

/** The data that search needs of a snapshot; contains no text. */
export interface SnapshotIndex {
  files: readonly IndexedFile[];
  /** What holds no text. */
  binary: readonly FileEntry[];
  /** Other files that are in no segment. */
  unindexed: readonly FileEntry[];
  segments: readonly IndexedSegment[];
  /** Numbers of files: source before docs before tests; then by path. */
  readonly readingOrder: Uint32Array;
  /** The `place` of each file, packed: a scan over all of them is many times as fast. */
  readonly places: { segments: Uint32Array; files: Uint32Array };
  /** By term of a path: the files, and how much the term counts in each. */
  paths: PathTerms;
}

/** A segment as one snapshot uses it; it may contain other files. */
export interface IndexedSegment {
  segment: Segment;
  /** The files of the snapshot with the text of each file of the segment. */
  used: ReadonlyMap<number, readonly number[]>;
  chunkCount: number;
  wordCount: number;
}

export interface SnapshotPlaces {
  segments: readonly Segment[];
  /** The place of each file of the snapshot; undefined if it is in no segment. */
  places: readonly (TextPlace | undefined)[];
  /** The facts of the files that have a place. */
  facts: PathFacts;
  /** The files without a place, and those that only exact search covers, with the reasons. */
  skipped: readonly SkippedFile[];
}

/** `entries`: the files of the snapshot. */
export function createSnapshotIndex(
  entries: readonly FileEntry[],
  { segments, places, facts, skipped }: SnapshotPlaces,
): SnapshotIndex {
  const { classOrders, terms } = facts;
  const files = placeFiles(entries, places, facts);
  const readingOrder = once(() => inReadingOrder(classOrders));
  const compactPlaces = once(() => packPlaces(files));
  return {
    files,
    ...sortUnplaced(entries, places, skipped),
    segments: useSegments(segments, files),
    get readingOrder() {
      return readingOrder();
    },
    get places() {
      return compactPlaces();
    },
    paths: terms,
  };
}

/** A separate function, so that closures of the index do not retain its temporary data. */
function placeFiles(
  entries: readonly FileEntry[],
  places: SnapshotPlaces["places"],
  { classOrders, twins }: PathFacts,
): IndexedFile[] {
  const placed = entries.filter((_, index) => places[index] !== undefined);
  return places
    .filter((place) => place !== undefined)
    .map((place, number): IndexedFile => {
      const twin = twins[number] ?? 0;
      return {
        path: placed[number]?.path ?? "",
        fileClass: classAt(classOrders[number] ?? 0),
        twinOf: twin === 0 ? undefined : placed[twin - 1]?.path,
        place,
      };
    });
}

function sortUnplaced(
  entries: readonly FileEntry[],
  places: SnapshotPlaces["places"],
  skipped: readonly SkippedFile[],
): Pick<SnapshotIndex, "binary" | "unindexed"> {
  const known = new Set(skipped.filter(({ reason }) => reason === binaryReason).map(({ path }) => path));
  const binary: FileEntry[] = [];
  const unindexed: FileEntry[] = [];
  for (const [index, entry] of entries.entries()) {
    if (places[index] === undefined) (known.has(entry.path) ? binary : unindexed).push(entry);
  }
  return { binary, unindexed };
}

function packPlaces(files: readonly IndexedFile[]): SnapshotIndex["places"] {
  const packed = { segments: new Uint32Array(files.length), files: new Uint32Array(files.length) };
  for (const [number, { place }] of files.entries()) {
    packed.segments[number] = place.segment;
    packed.files[number] = place.file;
  }
  return packed;
}

/** Files come in the order of their paths, and keep it within their class. */
function inReadingOrder(classOrders: Uint8Array): Uint32Array {
  const ordered = new Uint32Array(classOrders.length);
  let count = 0;
  for (const order of [...new Set(classOrders)].sort((a, b) => a - b))
    for (let file = 0; file < classOrders.length; file++) if (classOrders[file] === order) ordered[count++] = file;
  return ordered;
}

/** Only ranked search needs the files of each segment. */
function useSegments(segments: readonly Segment[], files: readonly IndexedFile[]): IndexedSegment[] {
  const usedBySegment = once(() => {
    const used = segments.map(() => new Map<number, number[]>());
    for (const [index, { place }] of files.entries()) {
      const ofSegment = used[place.segment];
      const others = ofSegment?.get(place.file);
      if (others === undefined) ofSegment?.set(place.file, [index]);
      else others.push(index);
    }
    return used;
  });
  return segments.map((segment, number) => useSegment(segment, () => usedBySegment()[number] ?? new Map()));
}

function useSegment(segment: Segment, used: () => IndexedSegment["used"]): IndexedSegment {
  const count = once(() => {
    const { firstChunks, words } = segment;
    let chunkCount = 0;
    let wordCount = 0;
    for (const file of used().keys()) {
      chunkCount += (firstChunks[file + 1] ?? 0) - (firstChunks[file] ?? 0);
      wordCount += words[file] ?? 0;
    }
    return { chunkCount, wordCount };
  });
  return {
    segment,
    get used() {
      return used();
    },
    get chunkCount() {
      return count().chunkCount;
    },
    get wordCount() {
      return count().wordCount;
    },
  };
}
