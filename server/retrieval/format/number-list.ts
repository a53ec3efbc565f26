import { packNumbers } from "./bytes.ts";
import type { Sections } from "./deflated-sections.ts";

/** A list of small non-negative numbers in a typed array: a million take four megabytes, where an array takes more. */
export interface NumberList {
  readonly length: number;
  /** Zero where there is none. */
  at(index: number): number;
  push(value: number): void;
  clear(): void;
  /** The numbers so far: a view, as long as no more are added. */
  values(): Uint32Array;
}

export function createNumberList(): NumberList {
  let numbers: Uint32Array = new Uint32Array(1024);
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

/** Sections of these names. */
export function packColumns(columns: Readonly<Record<string, NumberList>>): Sections {
  return Object.fromEntries(Object.entries(columns).map(([name, list]) => [name, packNumbers(list.values())]));
}

/** Sums by small number, and those that are not zero; reused, because a chunk touches few of many terms. */
export interface SumTable {
  add(key: number, amount: number): void;
  /** Passes on every sum, and sets it to zero. */
  drain(visit: (key: number, sum: number) => void): void;
}

export function createSumTable(): SumTable {
  let sums: Uint32Array = new Uint32Array(4096);
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
