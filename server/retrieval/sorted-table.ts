import { type ByteWriter, createByteWriter, readVarints, startsOfLengths } from "./bytes.ts";
import type { IndexFile } from "./index-file.ts";
import { createNumberList } from "./number-list.ts";
import { once } from "./once.ts";

/** Values by key, of which a look-up reads a few hundred bytes: a dictionary of any size opens at once. */
export interface SortedTable {
  /** @throws DamagedIndex */
  get(key: Uint8Array): Uint8Array | undefined;
  /** The keys whose numbers, in their order, are wanted. @throws DamagedIndex */
  keys(isWanted: (number: number) => boolean): Buffer[];
}

export interface SortedTableWriter {
  /** Keys come in the order of their bytes, each once. */
  add(key: Uint8Array, value: Uint8Array): void;
  /** Two sections: `<name>` and `<name>Groups`. */
  finish(): Record<string, Uint8Array>;
}

/** Entries follow one another in groups of about so many bytes, and a look-up reads one group from its start. */
const groupBytes = 512;

/**
 * Entries: how much of the key before is kept, length and rest of the key, length and bytes of the value. Groups: length
 * and bytes of the first key, number of entries, bytes.
 */
export function createSortedTableWriter(name: string): SortedTableWriter {
  const entries = createByteWriter();
  const groups = createByteWriter();
  let before = Buffer.alloc(0);
  let first = before;
  let groupStart = 0;
  let count = 0;
  const endGroup = () => {
    if (count === 0) return;
    writeBytes(groups, first);
    groups.varint(count);
    groups.varint(entries.length - groupStart);
    groupStart = entries.length;
    count = 0;
  };
  return {
    add(key, value) {
      if (entries.length - groupStart >= groupBytes) endGroup();
      const own = Buffer.from(key);
      if (count === 0) first = own;
      const shared = count === 0 ? 0 : sharedLength(before, own);
      entries.varint(shared);
      writeBytes(entries, own.subarray(shared));
      writeBytes(entries, value);
      before = own;
      count++;
    },
    finish() {
      endGroup();
      return { [name]: entries.finish(), [`${name}Groups`]: groups.finish() };
    },
  };
}

export function openSortedTable(file: IndexFile, name: string): SortedTable {
  const groups = once(() => readGroups(file.section(`${name}Groups`)));
  const readGroup = (group: number) => {
    const { starts } = groups();
    return file.slice(name, starts[group] ?? 0, starts[group + 1] ?? 0);
  };
  return {
    get(key) {
      const group = lastNotAfter(key, groups());
      return group === -1 ? undefined : findInGroup(key, readGroup(group));
    },
    keys(isWanted) {
      const { counts } = groups();
      const found: Buffer[] = [];
      let number = 0;
      for (const [group, count] of counts.entries()) {
        const wanted = Array.from({ length: count }, (_, index) => isWanted(number + index));
        if (wanted.includes(true)) found.push(...keysInGroup(readGroup(group)).filter((_, index) => wanted[index]));
        number += count;
      }
      return found;
    },
  };
}

interface Groups {
  /** Their first keys, at these places of the bytes. */
  bytes: Buffer;
  keyStarts: Uint32Array;
  keyEnds: Uint32Array;
  counts: Uint32Array;
  /** Where each group starts, and where the last one ends. */
  starts: Uint32Array;
}

function readGroups(section: Uint8Array): Groups {
  const bytes = Buffer.from(section);
  const reader = readVarints(bytes);
  const [keyStarts, keyEnds, counts, lengths] = [
    createNumberList(),
    createNumberList(),
    createNumberList(),
    createNumberList(),
  ];
  while (!reader.isAtEnd) {
    const length = reader.next();
    keyStarts.push(reader.position);
    reader.skip(length);
    keyEnds.push(reader.position);
    counts.push(reader.next());
    lengths.push(reader.next());
  }
  return {
    bytes,
    keyStarts: keyStarts.values(),
    keyEnds: keyEnds.values(),
    counts: counts.values(),
    starts: startsOfLengths(lengths.values()),
  };
}

function lastNotAfter(key: Uint8Array, { bytes, keyStarts, keyEnds }: Groups): number {
  let low = 0;
  let high = keyStarts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isNotAfter(bytes, { start: keyStarts[middle] ?? 0, end: keyEnds[middle] ?? 0 }, key)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** For so few bytes this is faster than `Buffer.compare`. */
function isNotAfter(bytes: Uint8Array, { start, end }: { start: number; end: number }, key: Uint8Array): boolean {
  for (let at = start; at < end; at++) {
    const difference = (bytes[at] ?? 0) - (key[at - start] ?? -1);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/** An entry that keeps more of the one before than that one has in common with the key comes before the key, too. */
function findInGroup(key: Uint8Array, bytes: Uint8Array): Uint8Array | undefined {
  const reader = readVarints(bytes);
  let same = 0;
  while (!reader.isAtEnd) {
    const kept = reader.next();
    const keyEnd = kept + reader.next();
    const keyStart = reader.position;
    reader.skip(keyEnd - kept);
    const valueLength = reader.next();
    const valueStart = reader.position;
    reader.skip(valueLength);
    if (kept > same) continue;
    if (kept < same) return undefined;
    while (same < keyEnd && same < key.length && bytes[keyStart + same - kept] === key[same]) same++;
    if (same === keyEnd && same === key.length) return bytes.subarray(valueStart, valueStart + valueLength);
    if (same === key.length || (same < keyEnd && (bytes[keyStart + same - kept] ?? 0) > (key[same] ?? 0)))
      return undefined;
  }
  return undefined;
}

function keysInGroup(bytes: Uint8Array): Buffer[] {
  const reader = readVarints(bytes);
  const keys: Buffer[] = [];
  let before = Buffer.alloc(0);
  while (!reader.isAtEnd) {
    const kept = before.subarray(0, reader.next());
    const length = reader.next();
    before = Buffer.concat([kept, bytes.subarray(reader.position, reader.position + length)]);
    keys.push(before);
    reader.skip(length);
    reader.skip(reader.next());
  }
  return keys;
}

function writeBytes(writer: ByteWriter, bytes: Uint8Array): void {
  writer.varint(bytes.length);
  writer.bytes(bytes);
}

function sharedLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}
