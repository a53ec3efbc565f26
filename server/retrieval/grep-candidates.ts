import type { RequiredText } from "./required-text.ts";
import type { Segment } from "./segment.ts";
import type { IndexedFile, SnapshotIndex } from "./snapshot-index.ts";
import { trigramsOf } from "./trigrams.ts";

/** The indexed files that hold what a pattern needs, in reading order; undefined where it does not say what that is. */
export function findCandidates(
  { files, segments, readingOrder }: SnapshotIndex,
  required: RequiredText,
): IndexedFile[] | undefined {
  const found = segments.map(({ segment }) => filesHolding(segment, required));
  if (found.some((numbers) => numbers === undefined)) return undefined;
  return readingOrder.flatMap((number) => {
    const file = files[number];
    return file !== undefined && found[file.place.segment]?.has(file.place.file) ? [file] : [];
  });
}

/** Lists beyond are of trigrams that hardly leave anything out; the rarest ones say nearly all. */
const listsRead = 6;

function filesHolding(segment: Segment, required: RequiredText): Set<number> | undefined {
  switch (required.type) {
    case "anything":
      return undefined;
    case "literal": {
      const trigrams = [...new Set(trigramsOf(required.text))];
      if (trigrams.length === 0) return undefined;
      const rarest = trigrams.sort((a, b) => segment.listLength(a) - segment.listLength(b)).slice(0, listsRead);
      return intersect(rarest.map((trigram) => new Set(segment.filesWith(trigram))));
    }
    case "all": {
      const known = required.of.map((part) => filesHolding(segment, part)).filter((numbers) => numbers !== undefined);
      return known.length === 0 ? undefined : intersect(known);
    }
    case "any": {
      const all = required.of.map((part) => filesHolding(segment, part));
      return all.some((numbers) => numbers === undefined)
        ? undefined
        : new Set(all.flatMap((numbers) => [...(numbers ?? [])]));
    }
  }
}

function intersect(sets: readonly Set<number>[]): Set<number> {
  const [smallest, ...others] = [...sets].sort((a, b) => a.size - b.size);
  return new Set([...(smallest ?? [])].filter((number) => others.every((set) => set.has(number))));
}
