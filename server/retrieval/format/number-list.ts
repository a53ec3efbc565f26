import { packNumbers } from "./bytes.ts";
import type { Sections } from "./deflated-sections.ts";

/** A growable list of 32-bit unsigned numbers: four bytes each, less than in a plain array. */
export interface NumberList {
  readonly length: number;
  /** The number at an index, or zero beyond the end. */
  at(index: number): number;
  push(value: number): void;
  clear(): void;
  /** A view of the numbers so far; valid until the next `push`. */
  values(): Uint32Array;
}

/** Creates an empty list. */
export function createNumberList(): NumberList {
  // Twenty lists are made for the index of a small tree, most of them for a few numbers.
  let numbers: Uint32Array = new Uint32Array(16);
  let length = 0;
  return {
    get length() {
      return length;
    },
    at: (index) => numbers[index] ?? 0,
    push(value) {
      if (length === numbers.length) numbers = enlarged(numbers, length * 2);
      numbers[length++] = value;
    },
    clear() {
      length = 0;
    },
    values: () => numbers.subarray(0, length),
  };
}

/** Encodes each list as a section of its name. */
export function packColumns(columns: Readonly<Record<string, NumberList>>): Sections {
  return Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, packNumbers(list.values())]));
}

/** Sums by small key. One table is reused for all chunks, because a chunk touches few of many terms. */
export interface SumTable {
  add(key: number, amount: number): void;
  /** Calls `visit` with every non-zero sum, and resets them to zero. */
  drain(visit: (key: number, sum: number) => void): void;
}

/** Creates a table of zeros. */
export function createSumTable(): SumTable {
  let sums: Uint32Array = new Uint32Array(256);
  const touched: number[] = [];
  return {
    add(key, amount) {
      if (key >= sums.length) sums = enlarged(sums, Math.max(key + 1, sums.length * 2));
      const sum = sums[key] ?? 0;
      if (sum === 0) touched.push(key);
      sums[key] = sum + amount;
    },
    drain(visit) {
      for (const key of touched) {
        visit(key, sums[key] ?? 0);
        sums[key] = 0;
      }
      touched.length = 0;
    },
  };
}

function enlarged(numbers: Uint32Array, length: number): Uint32Array {
  const larger = new Uint32Array(length);
  larger.set(numbers);
  return larger;
}
