import { splitIdentifier } from "../lib/words.ts";
import { packNumbers, startsOfLengths, unpackNumbers } from "./bytes.ts";
import type { IndexFile } from "./index-file.ts";
import { once } from "./once.ts";

/** A definition of a file of the segment. Lines are 1-based, inclusive. */
export interface NamedPlace {
  name: string;
  file: number;
  startLine: number;
  endLine: number;
}

/** The definitions of a segment, by their names without case and separators ("joined"). */
export interface SegmentSymbols {
  /** Those of one joined name. */
  named(joined: string): NamedPlace[];
  /** Those of a file that begin between two lines, both included. */
  within(file: number, startLine: number, endLine: number): NamedPlace[];
  /** Joined names that hold the text, or can become it with two changes of a letter; perhaps more. */
  similar(joined: string): string[];
}

/** Places in the order of their joined names, by bytes; those of one name in the order of files and lines. */
export function packSymbols(places: readonly NamedPlace[]): Record<string, Uint8Array> {
  const sorted = places
    .map((place) => ({ place, joined: joinedBytes(place.name) }))
    .filter(({ joined }) => joined.length > 1)
    .sort((a, b) => Buffer.compare(a.joined, b.joined));
  const groups = sorted.reduce<{ joined: Buffer; size: number }[]>((found, { joined }) => {
    const last = found.at(-1);
    if (last?.joined.equals(joined)) last.size++;
    else found.push({ joined, size: 1 });
    return found;
  }, []);
  const names = sorted.map(({ place }) => Buffer.from(place.name));
  return {
    symbolNames: Buffer.concat(names),
    symbolNameLengths: packNumbers(names.map(({ length }) => length)),
    symbolGroupSizes: packNumbers(groups.map(({ size }) => size)),
    symbolLetters: packNumbers(groups.map(({ joined }) => lettersOf(joined))),
    symbolFiles: packNumbers(sorted.map(({ place }) => place.file)),
    symbolLines: packNumbers(sorted.map(({ place }) => place.startLine)),
    symbolLineCounts: packNumbers(sorted.map(({ place }) => place.endLine - place.startLine)),
  };
}

export function readSymbols(file: IndexFile): SegmentSymbols {
  const numbers = (name: string) => unpackNumbers(file.section(name));
  const names = Buffer.from(file.section("symbolNames"));
  const nameStarts = startsOfLengths(numbers("symbolNameLengths"));
  const groupStarts = startsOfLengths(numbers("symbolGroupSizes"));
  const letters = numbers("symbolLetters");
  const files = numbers("symbolFiles");
  const lines = numbers("symbolLines");
  const lineCounts = numbers("symbolLineCounts");
  const nameAt = (index: number) => names.toString("utf8", nameStarts[index], nameStarts[index + 1]);
  const joinedAt = (group: number) => joinedBytes(nameAt(groupStarts[group] ?? 0));

  const placeAt = (index: number): NamedPlace => {
    const startLine = lines[index] ?? 1;
    return { name: nameAt(index), file: files[index] ?? 0, startLine, endLine: startLine + (lineCounts[index] ?? 0) };
  };

  const byFile = once(() => groupByFile(files));

  return {
    named(joined) {
      const group = findBytes(Buffer.from(joined), letters.length, joinedAt);
      if (group === undefined) return [];
      const start = groupStarts[group] ?? 0;
      return Array.from({ length: (groupStarts[group + 1] ?? 0) - start }, (_, index) => placeAt(start + index));
    },
    within(wanted, startLine, endLine) {
      const { order, starts } = byFile();
      const found: NamedPlace[] = [];
      for (let at = starts[wanted] ?? 0; at < (starts[wanted + 1] ?? 0); at++) {
        const index = order[at] ?? 0;
        const line = lines[index] ?? 0;
        if (line >= startLine && line <= endLine) found.push(placeAt(index));
      }
      return found;
    },
    similar(joined) {
      const wanted = Buffer.from(joined);
      const wantedLetters = lettersOf(wanted);
      const found: string[] = [];
      for (let group = 0; group < letters.length; group++) {
        const own = letters[group] ?? 0;
        const mayHold = (own & wantedLetters) >>> 0 === wantedLetters;
        if (!mayHold && bitCount(own ^ wantedLetters) > changedBits) continue;
        const candidate = joinedAt(group);
        if (Math.abs(candidate.length - wanted.length) <= 2 || candidate.includes(wanted))
          found.push(candidate.toString());
      }
      return found;
    },
  };
}

/** The numbers of the definitions of each file, one file after the other. */
function groupByFile(files: Uint32Array): { order: Uint32Array; starts: Uint32Array } {
  const counts = new Uint32Array(files.reduce((most, file) => Math.max(most, file + 1), 0));
  for (const file of files) counts[file] = (counts[file] ?? 0) + 1;
  const starts = startsOfLengths(counts);
  const next = starts.slice();
  const order = new Uint32Array(files.length);
  for (const [index, file] of files.entries()) {
    const at = next[file] ?? 0;
    order[at] = index;
    next[file] = at + 1;
  }
  return { order, starts };
}

/** Without case and separators. */
function joinedBytes(name: string): Buffer {
  return Buffer.from(splitIdentifier(name).join(""));
}

/** The place of a text among texts in the order of their bytes. */
export function findBytes(wanted: Buffer, count: number, textAt: (index: number) => Uint8Array): number | undefined {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = Buffer.compare(textAt(middle), wanted);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return undefined;
}

/** A change of one letter sets one bit and clears another; there may be two. */
const changedBits = 4;

/** Which letters a name has, a bit each: names that differ in more than a few bits differ in more than a few letters. */
function lettersOf(joined: Uint8Array): number {
  let letters = 0;
  for (const code of joined) letters |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 6));
  return letters >>> 0;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}
