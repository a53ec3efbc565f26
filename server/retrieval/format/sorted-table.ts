import { once } from "../once.ts";
import { createByteWriter, readVarints, startsOfLengths } from "./bytes.ts";
import type { Sections } from "./deflated-sections.ts";
import type { IndexFile } from "./index-file.ts";
import { createNumberList } from "./number-list.ts";

/**
 * A read-only map from keys to values. A lookup reads a few hundred bytes, so a table of any size opens at once. Keys are
 * bytes, represented as strings with one character per byte.
 */
export interface SortedTable {
  /** @throws DamagedIndex */
  get(key: string): Uint8Array | undefined;
  /** The keys whose position in the sorted order `isWanted` accepts. @throws DamagedIndex */
  keys(isWanted: (number: number) => boolean): string[];
}

/** A text as a key: its UTF-8 bytes. */
export function keyOf(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString("latin1");
}

/** The inverse of `keyOf`. */
export function textOfKey(key: string): string {
  return Buffer.from(key, "latin1").toString();
}

/** The entries of a map from texts to values, with their keys, in key order. */
export function sortedByKey<Value>(values: ReadonlyMap<string, Value>): [key: string, value: Value][] {
  const byKey = new Map([...values].map(([text, value]) => [keyOf(text), value]));
  // The default order of strings is much faster than any comparator.
  return [...byKey.keys()].sort().flatMap((key) => {
    const value = byKey.get(key);
    return value === undefined ? [] : [[key, value]];
  });
}

/** Builds a sorted table. */
export interface SortedTableWriter {
  /** Keys must be added in ascending order, each once. */
  add(key: string, value: Uint8Array): void;
  /** Two sections: `<name>` and `<name>Groups`. */
  finish(): Sections;
}

/** The approximate size of a group of consecutive entries. A lookup reads one group from its start. */
const groupBytes = 512;

/**
 * Writes entries with prefix compression. An entry: length of the prefix shared with the previous key, length and bytes
 * of the rest of the key, length and bytes of the value. A group: length and bytes of its first key, number of entries,
 * size in bytes.
 */
export function createSortedTableWriter(name: string): SortedTableWriter {
  const entries = createByteWriter();
  const groups = createByteWriter();
  let before = "";
  let first = "";
  let groupStart = 0;
  let count = 0;
  const endGroup = () => {
    if (count === 0) return;
    groups.varint(first.length);
    groups.byteText(first);
    groups.varint(count);
    groups.varint(entries.length - groupStart);
    groupStart = entries.length;
    count = 0;
  };
  return {
    add(key, value) {
      if (entries.length - groupStart >= groupBytes) endGroup();
      if (count === 0) first = key;
      const shared = count === 0 ? 0 : sharedLength(before, key);
      entries.varint(shared);
      entries.varint(key.length - shared);
      entries.byteText(key.slice(shared));
      entries.varint(value.length);
      entries.bytes(value);
      before = key;
      count++;
    },
    finish() {
      endGroup();
      return { [name]: entries.finish(), [`${name}Groups`]: groups.finish() };
    },
  };
}

/** Opens the table that a writer with this name has written. */
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
      const found: string[] = [];
      let number = 0;
      for (const [group, count] of counts.entries()) {
        const first = number;
        number += count;
        let wanted = first;
        while (wanted < number && !isWanted(wanted)) wanted++;
        if (wanted === number) continue;
        found.push(...keysInGroup(readGroup(group)).filter((_, index) => isWanted(first + index)));
      }
      return found;
    },
  };
}

interface Groups {
  /** The section; `keyStarts` and `keyEnds` are the offsets of the groups' first keys in it. */
  bytes: Buffer;
  keyStarts: Uint32Array;
  keyEnds: Uint32Array;
  counts: Uint32Array;
  /** The start of each group, then the end of the last. */
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

function lastNotAfter(key: string, { bytes, keyStarts, keyEnds }: Groups): number {
  let low = 0;
  let high = keyStarts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isNotAfter(bytes, { start: keyStarts[middle] ?? 0, end: keyEnds[middle] ?? 0 }, key)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function isNotAfter(bytes: Uint8Array, { start, end }: { start: number; end: number }, key: string): boolean {
  for (let at = start; at < end; at++) {
    if (at - start === key.length) return false;
    const difference = (bytes[at] ?? 0) - key.charCodeAt(at - start);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/** An entry that shares a longer prefix with its predecessor than the predecessor shares with `key` sorts before `key`. */
function findInGroup(key: string, bytes: Uint8Array): Uint8Array | undefined {
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
    while (same < keyEnd && bytes[keyStart + same - kept] === key.charCodeAt(same)) same++;
    if (same === keyEnd && same === key.length) return bytes.subarray(valueStart, valueStart + valueLength);
    if (same === key.length || (same < keyEnd && (bytes[keyStart + same - kept] ?? 0) > key.charCodeAt(same)))
      return undefined;
  }
  return undefined;
}

function keysInGroup(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const reader = readVarints(bytes);
  const keys: string[] = [];
  let before = "";
  while (!reader.isAtEnd) {
    const kept = before.slice(0, reader.next());
    const end = reader.next() + reader.position;
    before = kept + text.toString("latin1", reader.position, end);
    keys.push(before);
    reader.skip(end - reader.position);
    reader.skip(reader.next());
  }
  return keys;
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}
