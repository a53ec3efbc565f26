import type { FileEntry, Snapshot } from "../resources/snapshot.ts";
import { classOf, classOrder } from "./file-class.ts";
import type { RequiredText } from "./required-text.ts";
import type { Segment } from "./segment.ts";
import type { SnapshotIndex } from "./snapshot-index.ts";
import { trigramsOf } from "./trigrams.ts";

/**
 * The files to search for a pattern, in reading order: source before docs before tests, then by path. Left out are those
 * that an index knows to hold no match; what it does not know is searched as it is. Looked for as they are asked for,
 * so that a first page costs as much as it shows.
 */
export function findCandidates(
  { files }: Snapshot,
  accepted: readonly FileEntry[],
  { index, required }: { index: SnapshotIndex | undefined; required: RequiredText },
): Iterable<Candidate> {
  if (index === undefined) return inReadingOrder(accepted);
  const acceptedPaths = accepted.length === files.length ? undefined : new Set(accepted.map(({ path }) => path));
  const indexed = indexedCandidates(index, required, (path) => acceptedPaths?.has(path) ?? true);
  if (index.files.length === files.length) return indexed;
  return merge(indexed, inReadingOrder(withoutIndexed(accepted, index)));
}

export interface Candidate {
  path: string;
  order: number;
}

function inReadingOrder(files: readonly FileEntry[]): Candidate[] {
  return files.map(({ path }) => ({ path, order: classOrder(classOf(path)) })).sort(compare);
}

function compare(a: Candidate, b: Candidate): number {
  return a.order - b.order || (a.path < b.path ? -1 : 1);
}

/** Both lists are in the order of their paths. */
function withoutIndexed(accepted: readonly FileEntry[], { files }: SnapshotIndex): FileEntry[] {
  let at = 0;
  return accepted.filter(({ path }) => {
    while (at < files.length && (files[at]?.path ?? "") < path) at++;
    return files[at]?.path !== path;
  });
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
  { files, segments, readingOrder }: SnapshotIndex,
  required: RequiredText,
  isAccepted: (path: string) => boolean,
): Generator<Candidate> {
  const filesHolding = compileRequired(required);
  const found: (Uint8Array | undefined)[] = [];
  for (const number of readingOrder) {
    const file = files[number];
    if (file === undefined) continue;
    const { path, fileClass, place } = file;
    const segment = segments[place.segment]?.segment;
    if (segment === undefined) continue;
    const holders = (found[place.segment] ??= markFiles(filesHolding(segment), segment));
    if (holders[place.file] === 1 && isAccepted(path)) yield { path, order: classOrder(fileClass) };
  }
}

/** By number of the file in the segment: 1 where it may hold what is required. */
function markFiles(files: Uint32Array | undefined, { fileCount }: Segment): Uint8Array {
  const marks = new Uint8Array(fileCount);
  if (files === undefined) return marks.fill(1);
  for (const file of files) marks[file] = 1;
  return marks;
}

/** The files of a segment, in ascending order; undefined where nothing can be said. */
type FilesHolding = (segment: Segment) => Uint32Array | undefined;

function compileRequired(required: RequiredText): FilesHolding {
  switch (required.type) {
    case "anything":
      return () => undefined;
    case "literal":
      return compileLiteral(required.text);
    case "all": {
      const parts = required.of.map(compileRequired);
      return (segment) => {
        const known = parts.map((part) => part(segment)).filter((files) => files !== undefined);
        return known.length === 0 ? undefined : known.reduce(inBoth);
      };
    }
    case "any": {
      const parts = required.of.map(compileRequired);
      return (segment) => {
        const each = parts.map((part) => part(segment));
        return each.every((files) => files !== undefined) ? inAny(each) : undefined;
      };
    }
  }
}

/** To ask each segment how long all lists are takes as long as reading them: what is rare in the first is rare in the others. */
const segmentsMeasured = 3;
/** Lists beyond are of trigrams that hardly leave anything out; the rarest ones say nearly all. */
const listsRead = 6;
const fewFiles = 2;

/** The rarest lists first, until what they leave is no more than another list would cost. */
function compileLiteral(text: string): FilesHolding {
  const lists = [...new Set(trigramsOf(text))].map((trigram) => ({ trigram, length: 0 }));
  let measured = 0;
  return (segment) => {
    if (measured++ < segmentsMeasured) {
      for (const list of lists) list.length += segment.listLength(list.trigram);
      lists.sort((a, b) => a.length - b.length);
    }
    let files: Uint32Array | undefined;
    for (const { trigram } of lists.slice(0, listsRead)) {
      const holding = segment.filesWith(trigram);
      files = files === undefined ? holding : inBoth(files, holding);
      if (files.length <= fewFiles) break;
    }
    return files;
  };
}

/** Of two lists in ascending order. */
function inBoth(some: Uint32Array, others: Uint32Array): Uint32Array {
  let at = 0;
  return some.filter((number) => {
    while (at < others.length && (others[at] ?? 0) < number) at++;
    return others[at] === number;
  });
}

function inAny(lists: readonly Uint32Array[]): Uint32Array {
  return Uint32Array.from(new Set(lists.flatMap((files) => [...files]))).sort();
}
