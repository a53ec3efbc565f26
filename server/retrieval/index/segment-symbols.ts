import { splitIdentifier } from "../../source/words.ts";
import {
  type ByteWriter,
  createByteWriter,
  packNumbers,
  readVarints,
  startsOfLengths,
  unpackNumbers,
} from "../format/bytes.ts";
import type { Sections } from "../format/deflated-sections.ts";
import type { IndexFile } from "../format/index-file.ts";
import { createSortedTableWriter, keyOf, openSortedTable, sortedByKey, textOfKey } from "../format/sorted-table.ts";
import { once } from "../once.ts";

/** A definition of a file of the segment. Lines are 1-based, inclusive. */
export interface NamedPlace {
  name: string;
  file: number;
  startLine: number;
  endLine: number;
}

/** The definitions of a segment, by their names without case and separators ("joined"). */
export interface SegmentSymbols {
  /** The definitions of one joined name. */
  named(joined: string): NamedPlace[];
  /** The definitions of a file that begin in a range of lines. */
  within(file: number, isWanted: (startLine: number) => boolean): NamedPlace[];
  /** Joined names that contain the text or are within two edits of it; may include others. */
  similar(joined: string): string[];
}

/** The definitions by file, and the places of each joined name among them. `places` come in the order of the files. */
export function packSymbols(places: readonly NamedPlace[], fileCount: number): Sections {
  const symbols = createByteWriter();
  const lengths = new Uint32Array(fileCount);
  const byName = new Map<string, FoundPlaces>();
  let file = -1;
  let fileStart = 0;
  for (const place of places) {
    const joined = joinedName(place.name);
    if (joined.length < 2) continue;
    if (place.file !== file) fileStart = symbols.length;
    ({ file } = place);
    const found = byName.get(joined) ?? { lastFile: 0, steps: [] };
    byName.set(joined, found);
    found.steps.push(file - found.lastFile, symbols.length - fileStart);
    found.lastFile = file;
    writePlace(symbols, place);
    lengths[file] = symbols.length - fileStart;
  }
  const names = sortedByKey(byName);
  const table = createSortedTableWriter("symbolNames");
  const list = createByteWriter();
  for (const [joined, { steps }] of names) {
    list.clear();
    for (const step of steps) list.varint(step);
    table.add(joined, list.finish());
  }
  return {
    symbols: symbols.finish(),
    symbolLengths: packNumbers(lengths),
    symbolLetters: packNumbers(names.map(([joined]) => lettersOf(joined))),
    ...table.finish(),
  };
}

interface FoundPlaces {
  lastFile: number;
  /** The file of each place, as a difference, and the offset in the file's definitions. */
  steps: number[];
}

export function openSymbols(file: IndexFile): SegmentSymbols {
  const starts = once(() => startsOfLengths(unpackNumbers(file.section("symbolLengths"))));
  const letters = once(() => unpackNumbers(file.section("symbolLetters")));
  const names = openSortedTable(file, "symbolNames");
  const placesIn = (number: number) =>
    readPlaces(file.slice("symbols", starts()[number] ?? 0, starts()[number + 1] ?? 0), number);

  return {
    named(joined) {
      const steps = readVarints(names.get(keyOf(joined)) ?? new Uint8Array(0));
      const found: NamedPlace[] = [];
      let places: PlaceReader | undefined;
      for (let number = 0; !steps.isAtEnd;) {
        const step = steps.next();
        number += step;
        if (places === undefined || step > 0) places = placesIn(number);
        places.goTo(steps.next());
        places.readInto(found);
      }
      return found;
    },
    within(number, isWanted) {
      const found: NamedPlace[] = [];
      for (const places = placesIn(number); !places.isAtEnd;) places.readInto(found, isWanted);
      return found;
    },
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

/** The length of the name, the name, its first line, and the number of further lines. */
function writePlace(writer: ByteWriter, { name, startLine, endLine }: NamedPlace): void {
  const bytes = Buffer.from(name);
  writer.varint(bytes.length);
  writer.bytes(bytes);
  writer.varint(startLine);
  writer.varint(endLine - startLine);
}

/** Reads the definitions of a file one after the other. */
interface PlaceReader {
  readonly isAtEnd: boolean;
  /** The byte at which a definition begins. */
  goTo(position: number): void;
  /** Adds the definition if it is wanted; other names are not decoded. */
  readInto(places: NamedPlace[], isWanted?: (startLine: number) => boolean): void;
}

function readPlaces(bytes: Uint8Array, file: number): PlaceReader {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const reader = readVarints(bytes);
  return {
    get isAtEnd() {
      return reader.isAtEnd;
    },
    goTo: (position) => reader.skip(position - reader.position),
    readInto(places, isWanted) {
      const nameEnd = reader.next() + reader.position;
      const nameStart = reader.position;
      reader.skip(nameEnd - nameStart);
      const startLine = reader.next();
      const endLine = startLine + reader.next();
      if (isWanted?.(startLine) === false) return;
      places.push({ name: text.toString("utf8", nameStart, nameEnd), file, startLine, endLine });
    },
  };
}

/** A name without case and separators. */
export function joinedName(name: string): string {
  return splitIdentifier(name).join("");
}

/** A change of one letter sets one bit and clears another; there may be two. */
const changedBits = 4;

/** A bit for each letter of a name: names that differ in more than a few bits differ in more than a few letters. */
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
