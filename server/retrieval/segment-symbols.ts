import { splitIdentifier } from "../lib/words.ts";
import {
  type ByteWriter,
  createByteWriter,
  packNumbers,
  readVarints,
  startsOfLengths,
  unpackNumbers,
} from "./bytes.ts";
import type { Sections } from "./deflated-sections.ts";
import type { IndexFile } from "./index-file.ts";
import { once } from "./once.ts";
import { createSortedTableWriter, keyOf, openSortedTable, sortedByKey, textOfKey } from "./sorted-table.ts";

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

/** By file its definitions, and by joined name where those are. `places` come in the order of the files. */
export function packSymbols(places: readonly NamedPlace[], fileCount: number): Sections {
  const named = places.filter(({ name }) => joinedName(name).length > 1);
  const byFile = Array.from({ length: fileCount }, (): NamedPlace[] => []);
  const byName = new Map<string, number[]>();
  for (const place of named) {
    const own = byFile[place.file] ?? [];
    const joined = joinedName(place.name);
    const found = byName.get(joined) ?? [];
    if (found.length === 0) byName.set(joined, found);
    found.push(place.file, own.push(place) - 1);
  }
  const names = sortedByKey(byName);
  const table = createSortedTableWriter("symbolNames");
  for (const [joined, found] of names) table.add(joined, packNumbers(found));
  const symbols = createByteWriter();
  const lengths = byFile.map((own) => {
    const start = symbols.length;
    for (const place of own) writePlace(symbols, place);
    return symbols.length - start;
  });
  return {
    symbols: symbols.finish(),
    symbolLengths: packNumbers(lengths),
    symbolLetters: packNumbers(names.map(([joined]) => lettersOf(joined))),
    ...table.finish(),
  };
}

export function openSymbols(file: IndexFile): SegmentSymbols {
  const starts = once(() => startsOfLengths(unpackNumbers(file.section("symbolLengths"))));
  const letters = once(() => unpackNumbers(file.section("symbolLetters")));
  const names = openSortedTable(file, "symbolNames");
  const placesOf = (number: number, isWanted: (startLine: number, index: number) => boolean) =>
    readPlaces(file.slice("symbols", starts()[number] ?? 0, starts()[number + 1] ?? 0), { file: number, isWanted });

  return {
    named(joined) {
      const found = unpackNumbers(names.get(keyOf(joined)) ?? new Uint8Array(0));
      const places: NamedPlace[] = [];
      for (let at = 0; at < found.length; at += 2)
        places.push(...placesOf(found[at] ?? 0, (_, index) => index === found[at + 1]));
      return places;
    },
    within: (wanted, first, last) => placesOf(wanted, (startLine) => startLine >= first && startLine <= last),
    similar(joined) {
      const wanted = keyOf(joined);
      const wantedLetters = lettersOf(wanted);
      const ofNames = letters();
      const mayBe = (number: number) => {
        const own = ofNames[number] ?? 0;
        return (own & wantedLetters) >>> 0 === wantedLetters || bitCount(own ^ wantedLetters) <= changedBits;
      };
      return names
        .keys(mayBe)
        .filter((name) => Math.abs(name.length - wanted.length) <= 2 || name.includes(wanted))
        .map(textOfKey);
    },
  };
}

/** How long its name is, the name, where it begins, and on how many more lines it stands. */
function writePlace(writer: ByteWriter, { name, startLine, endLine }: NamedPlace): void {
  const bytes = Buffer.from(name);
  writer.varint(bytes.length);
  writer.bytes(bytes);
  writer.varint(startLine);
  writer.varint(endLine - startLine);
}

/** Names are made of those only that are wanted. */
function readPlaces(
  bytes: Uint8Array,
  { file, isWanted }: { file: number; isWanted: (startLine: number, index: number) => boolean },
): NamedPlace[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const reader = readVarints(bytes);
  const places: NamedPlace[] = [];
  for (let index = 0; !reader.isAtEnd; index++) {
    const nameEnd = reader.next() + reader.position;
    const nameStart = reader.position;
    reader.skip(nameEnd - nameStart);
    const startLine = reader.next();
    const endLine = startLine + reader.next();
    if (isWanted(startLine, index))
      places.push({ name: text.toString("utf8", nameStart, nameEnd), file, startLine, endLine });
  }
  return places;
}

/** Without case and separators. */
function joinedName(name: string): string {
  return splitIdentifier(name).join("");
}

/** A change of one letter sets one bit and clears another; there may be two. */
const changedBits = 4;

/** Which letters a name has, a bit each: names that differ in more than a few bits differ in more than a few letters. */
function lettersOf(key: string): number {
  let letters = 0;
  for (let at = 0; at < key.length; at++) {
    const code = key.charCodeAt(at);
    letters |= 1 << (code >= 97 && code <= 122 ? code - 97 : 26 + (code % 6));
  }
  return letters >>> 0;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits >>> 0; rest !== 0; rest &= rest - 1) count++;
  return count;
}
