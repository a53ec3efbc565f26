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
  const isFound = (number: number) => {
    const place = files[number]?.place;
    return place !== undefined && found[place.segment]?.has(place.file) === true;
  };
  return readingOrder.filter(isFound).flatMap((number) => files[number] ?? []);
}

/** Lists beyond are of trigrams that hardly leave anything out; the rarest ones say nearly all. */
const listsRead = 6;
const fewFiles = 2;

function filesHolding(segment: Segment, required: RequiredText): Set<number> | undefined {
  switch (required.type) {
    case "anything":
      return undefined;
    case "literal": {
      const trigrams = [...new Set(trigramsOf(required.text))];
      if (trigrams.length === 0) return undefined;
      return new Set(filesWithAll(segment, trigrams));
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

/** The rarest lists first, until what they leave is no more than another list would cost. */
function filesWithAll(segment: Segment, trigrams: readonly number[]): Uint32Array {
  const lists = trigrams.map((trigram) => ({ trigram, length: segment.listLength(trigram) }));
  const [rarest, ...others] = lists.sort((a, b) => a.length - b.length).slice(0, listsRead);
  let files = rarest === undefined ? new Uint32Array(0) : segment.filesWith(rarest.trigram);
  for (const { trigram } of others) {
    if (files.length <= fewFiles) break;
    files = inBoth(files, segment.filesWith(trigram));
  }
  return files;
}

/** Of two lists in ascending order. */
function inBoth(some: Uint32Array, others: Uint32Array): Uint32Array {
  let at = 0;
  return some.filter((number) => {
    while (at < others.length && (others[at] ?? 0) < number) at++;
    return others[at] === number;
  });
}

function intersect(sets: readonly Set<number>[]): Set<number> {
  const [smallest, ...others] = [...sets].sort((a, b) => a.size - b.size);
  return new Set([...(smallest ?? [])].filter((number) => others.every((set) => set.has(number))));
}
