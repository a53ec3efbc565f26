import type { FileEntry, Snapshot } from "../../resources/snapshot.ts";
import { classOf, classOrder } from "../file-class.ts";
import type { Segment } from "../index/segment.ts";
import type { SnapshotIndex } from "../index/snapshot-index.ts";
import { trigramsOf } from "../index/trigrams.ts";
import { literalLimit, type PartRange, rangesOf } from "../text-parts.ts";
import type { RequiredText } from "./required-text.ts";

/**
 * The files to search for a pattern, in reading order: source before docs before tests, then by path. Skips files that
 * an index proves to have no match or no text; files it does not cover are searched. Lazy, so that a first page costs as
 * much as it shows.
 */
export function findCandidates(
  { files }: Snapshot,
  accepted: readonly FileEntry[],
  { index, required }: { index: SnapshotIndex | undefined; required: RequiredText },
): Iterable<Candidate> {
  if (index === undefined) return inReadingOrder(accepted);
  const acceptedPaths = accepted.length === files.length ? undefined : new Set(accepted.map(({ path }) => path));
  const isAccepted = ({ path }: { path: string }) => acceptedPaths?.has(path) ?? true;
  const indexed = indexedCandidates(index, required, isAccepted);
  const unindexed = index.unindexed.filter(isAccepted);
  return unindexed.length === 0 ? indexed : merge(indexed, inReadingOrder(unindexed));
}

export interface Candidate {
  path: string;
  order: number;
  /** The parts of a long text that may match; undefined for all of it. */
  ranges?: readonly PartRange[] | undefined;
}

function inReadingOrder(files: readonly FileEntry[]): Candidate[] {
  return files.map(({ path }) => ({ path, order: classOrder(classOf(path)) })).sort(compare);
}

function compare(a: Candidate, b: Candidate): number {
  return a.order - b.order || (a.path < b.path ? -1 : 1);
}

function* merge(some: Iterable<Candidate>, others: readonly Candidate[]): Generator<Candidate> {
  let at = 0;
  for (const candidate of some) {
    for (let other = others[at]; other !== undefined && compare(other, candidate) < 0; other = others[at]) {
      at++;
      yield other;
    }
    yield candidate;
  }
  yield* others.slice(at);
}

function* indexedCandidates(
  { files, places, segments, readingOrder }: SnapshotIndex,
  required: RequiredText,
  isAccepted: (file: { path: string }) => boolean,
): Generator<Candidate> {
  const partsHolding = compileRequired(required);
  const found: (SegmentMatches | undefined)[] = [];
  for (const number of readingOrder) {
    const inSegment = places.segments[number] ?? 0;
    const segment = segments[inSegment]?.segment;
    if (segment === undefined) continue;
    const matches = (found[inSegment] ??= matchesIn(segment, partsHolding(segment)));
    if (matches.files[places.files[number] ?? 0] !== 1) continue;
    const file = files[number];
    if (file === undefined || !isAccepted(file)) continue;
    const { path, fileClass, place } = file;
    yield { path, order: classOrder(fileClass), ranges: rangesIn(place.file, segment, matches.parts) };
  }
}

/** For each file of a segment, and each part if indexed: 1 if it may match. */
interface SegmentMatches {
  files: Uint8Array;
  parts: Uint8Array | undefined;
}

function matchesIn(segment: Segment, found: Uint32Array | undefined): SegmentMatches {
  const files = new Uint8Array(segment.fileCount);
  if (found === undefined) return { files: files.fill(1), parts: undefined };
  // The list of its parts is read from disk.
  if (found.length === 0) return { files, parts: undefined };
  const { partFiles } = segment;
  const parts = new Uint8Array(partFiles.length);
  for (const part of found) {
    parts[part] = 1;
    files[partFiles[part] ?? 0] = 1;
  }
  return { files, parts };
}

function rangesIn(
  file: number,
  { firstParts, partBytes, partLineEnds }: Segment,
  parts: Uint8Array | undefined,
): readonly PartRange[] | undefined {
  const first = firstParts[file] ?? 0;
  const last = (firstParts[file + 1] ?? 0) - 1;
  if (first === last || parts === undefined) return undefined;
  return rangesOf({ first, last, bytes: partBytes, lineEnds: partLineEnds }, (part) => parts[part] === 1);
}

/** The parts of a segment's texts that contain the required literals, in ascending order; undefined if unknown. */
type PartsHolding = (segment: Segment) => Uint32Array | undefined;

function compileRequired(required: RequiredText): PartsHolding {
  switch (required.type) {
    case "anything":
      return () => undefined;
    case "literal":
      return compileLiteral(required.text);
    case "all": {
      const literals = required.of.map(compileRequired);
      return (segment) => {
        const known = literals.map((partsHolding) => partsHolding(segment)).filter((parts) => parts !== undefined);
        return known.length === 0 ? undefined : known.reduce((some, others) => inBothFiles(some, others, segment));
      };
    }
    case "any": {
      const literals = required.of.map(compileRequired);
      return (segment) => {
        const each = literals.map((partsHolding) => partsHolding(segment));
        return each.every((parts) => parts !== undefined) ? inAny(each) : undefined;
      };
    }
  }
}

/** The rarity of trigrams is taken from the first segment: reading all list lengths of each would take as long as the lists. */
const segmentsMeasured = 3;
/** Further lists are of common trigrams, which exclude hardly any file. */
const listsRead = 6;

/** Intersects the rarest lists first, until no part is left. */
function compileLiteral(text: string): PartsHolding {
  const lists = [...new Set(trigramsOf(text.slice(0, literalLimit)))].map((trigram) => ({ trigram, length: 0 }));
  let measured = 0;
  return (segment) => {
    if (measured++ < segmentsMeasured) {
      for (const list of lists) list.length += segment.listLength(list.trigram);
      lists.sort((a, b) => a.length - b.length);
    }
    let parts: Uint32Array | undefined;
    for (const { trigram } of lists.slice(0, listsRead)) {
      parts = segment.partsWith(trigram, parts);
      if (parts.length === 0) break;
    }
    return parts;
  };
}

/** The parts of files that are in both lists: a long line may hold one literal here and another one there. */
function inBothFiles(some: Uint32Array, others: Uint32Array, { partFiles }: Segment): Uint32Array {
  const fileOf = (part: number) => partFiles[part] ?? 0;
  const [ofSome, ofOthers] = [new Set(Array.from(some, fileOf)), new Set(Array.from(others, fileOf))];
  return inAny([some, others]).filter((part) => ofSome.has(fileOf(part)) && ofOthers.has(fileOf(part)));
}

function inAny(lists: readonly Uint32Array[]): Uint32Array {
  return Uint32Array.from(new Set(lists.flatMap((parts) => [...parts]))).sort();
}
