import type { FileEntry } from "../resources/snapshot.ts";
import { classOf, classOrder, type FileClass } from "./file-class.ts";
import type { Segment } from "./segment.ts";
import { findTwins } from "./twins.ts";
import { forEachWord, termsOf } from "./vocabulary.ts";

/** Where the text of a file is in an index. */
export interface TextPlace {
  segment: number;
  /** Its number there. Files of equal text share one. */
  file: number;
}

export interface IndexedFile {
  path: string;
  fileClass: FileClass;
  /** The path of the same module in a form that reads better. */
  twinOf: string | undefined;
  place: TextPlace;
}

/** What search needs to know of a snapshot; holds no text. */
export interface SnapshotIndex {
  files: readonly IndexedFile[];
  segments: readonly IndexedSegment[];
  /** Numbers of files: source before docs before tests; then by path. */
  readonly readingOrder: readonly number[];
  /** By term of a path: the files, and how much the term counts in each. */
  paths: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** A segment as one snapshot uses it: other files may be in it, too. */
export interface IndexedSegment {
  segment: Segment;
  /** By number in the segment: the files of the snapshot that have its text. */
  used: ReadonlyMap<number, readonly number[]>;
  chunkCount: number;
  wordCount: number;
}

/** How often a term of the path counts: each time as a whole match of the file. Measured (bench/retrieval). */
const baseNameWeight = 3;
const folderWeight = 1;

/** `places`: of each file, in their order; undefined where a file is in no segment. */
export function createSnapshotIndex(
  entries: readonly FileEntry[],
  { segments, places }: { segments: readonly Segment[]; places: readonly (TextPlace | undefined)[] },
): SnapshotIndex {
  const twins = findTwins(entries.map(({ path }) => path));
  const files = entries.flatMap(({ path }, index): IndexedFile[] => {
    const place = places[index];
    return place === undefined ? [] : [{ path, fileClass: classOf(path), twinOf: twins.get(path), place }];
  });
  return {
    files,
    segments: segments.map((segment, number) => useSegment(segment, number, files)),
    readingOrder: inReadingOrder(files),
    paths: indexPaths(files),
  };
}

/** Files come in the order of their paths, and sorting keeps it. */
function inReadingOrder(files: readonly IndexedFile[]): number[] {
  const orders = files.map(({ fileClass }) => classOrder(fileClass));
  return files.map((_, index) => index).sort((a, b) => (orders[a] ?? 0) - (orders[b] ?? 0));
}

function useSegment(segment: Segment, number: number, files: readonly IndexedFile[]): IndexedSegment {
  const used = new Map<number, number[]>();
  let chunkCount = 0;
  let wordCount = 0;
  for (const [index, { place }] of files.entries()) {
    if (place.segment !== number) continue;
    const others = used.get(place.file);
    if (others !== undefined) {
      others.push(index);
      continue;
    }
    used.set(place.file, [index]);
    chunkCount += (segment.firstChunks[place.file + 1] ?? 0) - (segment.firstChunks[place.file] ?? 0);
    wordCount += segment.words[place.file] ?? 0;
  }
  return { segment, used, chunkCount, wordCount };
}

function indexPaths(files: readonly IndexedFile[]): Map<string, Map<number, number>> {
  const paths = new Map<string, Map<number, number>>();
  const termsOfText = createTermCache();
  for (const [index, { path }] of files.entries()) {
    const nameStart = path.lastIndexOf("/") + 1;
    const add = (term: string, weight: number) => {
      const found = paths.get(term) ?? new Map<number, number>();
      paths.set(term, found.set(index, (found.get(index) ?? 0) + weight));
    };
    for (const term of termsOfText(path.slice(0, nameStart))) add(term, folderWeight);
    for (const term of termsOfText(path.slice(nameStart))) add(term, baseNameWeight);
  }
  return paths;
}

/** Folders come back with each of their files. */
function createTermCache(): (text: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const terms: string[] = [];
    forEachWord(text, (word) => terms.push(...termsOf(word)));
    known.set(text, terms);
    return terms;
  };
}
