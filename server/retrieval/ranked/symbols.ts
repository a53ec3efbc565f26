import { nearest } from "../../lib/nearest.ts";
import { editDistance } from "../../protocol/edit-distance.ts";
import { splitIdentifier, stem } from "../../source/words.ts";
import type { NamedPlace } from "../index/segment-symbols.ts";
import type { IndexedSegment, SnapshotIndex } from "../index/snapshot-index.ts";
import { termsOf } from "../index/vocabulary.ts";
import type { QueryPostings, SegmentPostings } from "./query-postings.ts";
import type { Query, QueryName } from "./query.ts";

/** A definition whose name a question may mean. Lines are 1-based, inclusive. */
export interface SymbolMatch {
  name: string;
  startLine: number;
  endLine: number;
  /** A number from 0 to 1: the name itself, but for case and separators, most of its words, nearly its letters. */
  strength: number;
}

/** What the names of a question may mean, by file of the index, best first. */
export function matchSymbols(postings: QueryPostings, { names }: Query): Map<number, SymbolMatch[]> {
  const best = new Map<string, { file: number; match: SymbolMatch }>();
  for (const name of names) {
    for (const { used, place, strength } of placesOf(postings, name)) {
      const own = name.weight * strength * (place.name === name.exact ? 1 : 0.95);
      const { name: written, startLine, endLine } = place;
      for (const file of used.used.get(place.file) ?? []) {
        const key = `${file}\n${startLine}\n${written}`;
        if (own > (best.get(key)?.match.strength ?? 0)) {
          best.set(key, { file, match: { name: written, startLine, endLine, strength: own } });
        }
      }
    }
  }
  const byFile = new Map<number, SymbolMatch[]>();
  for (const { file, match } of best.values()) byFile.set(file, [...(byFile.get(file) ?? []), match]);
  for (const matches of byFile.values()) {
    matches.sort((a, b) => b.strength - a.strength || a.startLine - b.startLine || (a.name < b.name ? -1 : 1));
  }
  return byFile;
}

interface PlaceMatch {
  used: IndexedSegment;
  place: NamedPlace;
  strength: number;
}

const overlapLimit = 0.6;
const nearestLimit = 5;
/** Shorter names come close to many. */
const shortestMisspelt = 4;
const shortestMisspeltWords = 6;
/** One letter off is what a person means; with two, or as a part of another name, it may be chance. */
const oneEditStrength = 0.85;
const nearStrength = 0.5;

/**
 * The name itself, and names that share most of its words. If there are none, or none is spelled like it
 * (`parse_haeders`), also names that differ in a letter or two.
 */
function placesOf(postings: QueryPostings, name: QueryName): PlaceMatch[] {
  const { index } = postings;
  const exact = placesNamed(index, name.joined, 1);
  if (name.isPlain) return exact;
  const found = [...exact, ...(name.stems.length > 1 ? placesOverlapping(postings, name) : [])];
  const isMisspelt =
    found.length === 0 ? name.joined.length >= shortestMisspelt : exact.length === 0 && isUnwritten(index, name);
  if (!isMisspelt) return found;
  // The order is that of their letters: what comes first must not depend on how the index was built.
  const similar = new Set(index.segments.flatMap(({ segment }) => segment.symbols.similar(name.joined)).sort());
  const strengthOf = (joined: string) => (editDistance(joined, name.joined) === 1 ? oneEditStrength : nearStrength);
  const close: PlaceMatch[][] = [];
  for (const joined of nearest(name.joined, similar, { limit: Infinity })) {
    const places = placesNamed(index, joined, strengthOf(joined));
    if (places.length > 0) close.push(places);
    if (close.length === nearestLimit) break;
  }
  return [...found, ...close.flat()];
}

/** Whether several words are nowhere written as one. */
function isUnwritten({ segments }: SnapshotIndex, { joined }: QueryName): boolean {
  return (
    joined.length >= shortestMisspeltWords && segments.every(({ segment }) => segment.postings(joined) === undefined)
  );
}

function placesNamed({ segments }: SnapshotIndex, joined: string, strength: number): PlaceMatch[] {
  return segments.flatMap((used) =>
    used.segment.symbols
      .named(joined)
      .filter(({ file }) => used.used.has(file))
      .map((place) => ({ used, place, strength })),
  );
}

/** Names that share words with the one that is looked for: chunks that define such words are few. */
function placesOverlapping({ bySegment }: QueryPostings, name: QueryName): PlaceMatch[] {
  const terms = [...new Set(name.stems.flatMap(termsOf))];
  return bySegment.flatMap((postings) => {
    const { used } = postings;
    return placesNaming(postings, terms, fewestShared(name.stems.length)).flatMap((place): PlaceMatch[] => {
      const parts = splitIdentifier(place.name);
      const overlap = parts.join("") === name.joined ? 0 : overlapOf(name.stems, parts.map(stem));
      return overlap < overlapLimit ? [] : [{ used, place, strength: 0.85 * overlap * overlap }];
    });
  });
}

/** How many words two names must share: twice as many, of all words of both, reach the limit. */
function fewestShared(words: number): number {
  return Math.max(1, Math.ceil((overlapLimit * words) / (2 - overlapLimit)));
}

/** Definitions in chunks whose defined names contain at least so many of the terms. */
function placesNaming({ used, naming }: SegmentPostings, terms: readonly string[], least: number): NamedPlace[] {
  const { symbols, chunkFiles, chunkLines, firstChunks } = used.segment;
  const counts = new Uint8Array(chunkLines.length);
  const files = new Set<number>();
  for (const term of terms) {
    for (const chunk of naming(term)) {
      const count = (counts[chunk] ?? 0) + 1;
      counts[chunk] = count;
      if (count === least) files.add(chunkFiles[chunk] ?? 0);
    }
  }
  return [...files].flatMap((file) => {
    const chunks = { first: firstChunks[file] ?? 0, end: firstChunks[file + 1] ?? 0 };
    return symbols.within(file, (line) => (counts[chunkAt(line, chunkLines, chunks)] ?? 0) >= least);
  });
}

/** Of the chunks of a file, the one in which a line is. */
function chunkAt(line: number, chunkLines: Uint32Array, { first, end }: { first: number; end: number }): number {
  let low = first;
  let high = end;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((chunkLines[middle] ?? 0) <= line) low = middle;
    else high = middle;
  }
  return low;
}

/** The Dice coefficient of two small sets; a word that is there twice cannot make it more than one. */
function overlapOf(a: readonly string[], b: readonly string[]): number {
  const common = a.filter((item) => b.includes(item)).length;
  return Math.min(1, (2 * common) / (a.length + b.length));
}
