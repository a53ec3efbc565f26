import type { TermPostings } from "../index/segment.ts";
import type { IndexedSegment, SnapshotIndex } from "../index/snapshot-index.ts";

/** One index as a question reads it. */
export interface QueryPostings {
  index: SnapshotIndex;
  bySegment: readonly SegmentPostings[];
}

/** Caches postings, because names of a question share their words. */
export interface SegmentPostings {
  used: IndexedSegment;
  /** Without the chunks of files that the snapshot has not, or has no more. */
  of(term: string): TermPostings | undefined;
  /** The chunks that define a name with the term. */
  naming(term: string): readonly number[];
}

export function openPostings(index: SnapshotIndex): QueryPostings {
  return { index, bySegment: index.segments.map(openSegmentPostings) };
}

function openSegmentPostings(used: IndexedSegment): SegmentPostings {
  const of = remembered((term) => usedPostings(used, term));
  const naming = remembered((term) => {
    const { chunks = [], inNames = [] } = of(term) ?? {};
    const found: number[] = [];
    for (let at = 0; at < chunks.length; at++) if ((inNames[at] ?? 0) > 0) found.push(chunks[at] ?? 0);
    return found;
  });
  return { used, of, naming };
}

function usedPostings({ segment, used }: IndexedSegment, term: string): TermPostings | undefined {
  const postings = segment.postings(term);
  if (postings === undefined || used.size === segment.fileCount) return postings;
  const isUsed = (_: number, at: number) => used.has(segment.chunkFiles[postings.chunks[at] ?? 0] ?? -1);
  return {
    chunks: postings.chunks.filter(isUsed),
    inText: postings.inText.filter(isUsed),
    inNames: postings.inNames.filter(isUsed),
  };
}

function remembered<Result>(find: (term: string) => Result): (term: string) => Result {
  const known = new Map<string, { result: Result }>();
  return (term) => {
    const before = known.get(term) ?? { result: find(term) };
    known.set(term, before);
    return before.result;
  };
}
