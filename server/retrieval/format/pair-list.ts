import { createNumberList } from "./number-list.ts";

/** Pairs of small numbers in insertion order. */
export interface PairList {
  push(key: number, value: number): void;
  clear(): void;
  keys(): Uint32Array;
  values(): Uint32Array;
  /** Sorts the pairs by key, stably; keys must fit into 24 bits. */
  sort(): void;
}

/** Creates an empty list. */
export function createPairList(): PairList {
  const keys = createNumberList();
  const values = createNumberList();
  /** Scratch memory for sorting, reused. */
  let spare = { keys: new Uint32Array(0), values: new Uint32Array(0) };
  return {
    push(key, value) {
      keys.push(key);
      values.push(value);
    },
    clear() {
      keys.clear();
      values.clear();
    },
    keys: () => keys.values(),
    values: () => values.values(),
    sort() {
      const own = { keys: keys.values(), values: values.values() };
      const { length } = own.keys;
      if (spare.keys.length < length) spare = { keys: new Uint32Array(length), values: new Uint32Array(length) };
      const between = { keys: spare.keys.subarray(0, length), values: spare.values.subarray(0, length) };
      sortByDigit({ from: own, to: between, shift: 0 });
      sortByDigit({ from: between, to: own, shift: digitBits });
    },
  };
}

/** Pairs grouped by key. */
export interface GroupedPairs {
  /** The values of key `k` are at `starts[k]` up to, but not including, `starts[k + 1]`, in insertion order. */
  starts: Uint32Array;
  values: Uint32Array;
  /** The index of the pair of each value. */
  order: Uint32Array;
}

/** Groups the values by key with a counting sort. */
export function groupPairs(pairs: PairList, keyCount: number): GroupedPairs {
  const keys = pairs.keys();
  const unsorted = pairs.values();
  const starts = new Uint32Array(keyCount + 1);
  for (const key of keys) starts[key + 1] = (starts[key + 1] ?? 0) + 1;
  for (let key = 0; key < keyCount; key++) starts[key + 1] = (starts[key + 1] ?? 0) + (starts[key] ?? 0);
  const next = starts.slice();
  const values = new Uint32Array(keys.length);
  const order = new Uint32Array(keys.length);
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] ?? 0;
    const position = next[key] ?? 0;
    next[key] = position + 1;
    values[position] = unsorted[index] ?? 0;
    order[position] = index;
  }
  return { starts, values, order };
}

interface Pairs {
  keys: Uint32Array;
  values: Uint32Array;
}

/** A radix sort in two passes: the lower half of the key, then the upper half. */
const digitBits = 12;
const digitCount = 1 << digitBits;

function sortByDigit({ from, to, shift }: { from: Pairs; to: Pairs; shift: number }): void {
  const next = new Uint32Array(digitCount + 1);
  const digitOf = (key: number) => (key >>> shift) & (digitCount - 1);
  for (const key of from.keys) next[digitOf(key) + 1] = (next[digitOf(key) + 1] ?? 0) + 1;
  for (let digit = 0; digit < digitCount; digit++) next[digit + 1] = (next[digit + 1] ?? 0) + (next[digit] ?? 0);
  for (let index = 0; index < from.keys.length; index++) {
    const key = from.keys[index] ?? 0;
    const position = next[digitOf(key)] ?? 0;
    next[digitOf(key)] = position + 1;
    to.keys[position] = key;
    to.values[position] = from.values[index] ?? 0;
  }
}
