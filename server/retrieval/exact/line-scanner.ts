import type { PartRange } from "../text-parts.ts";
import { lineScannerCode } from "./line-scanner-code.ts";
import type { MatchingLines } from "./pattern.ts";
import { soughtLimit } from "./required-text.ts";

/** Finds lines in bytes, many at a time: the one part of exact search that is WebAssembly (line-scanner.wat). */
export interface LineScanner {
  /** Undefined for what does not fit: more literals than `soughtLimit`, or one that is empty or has over 1024 bytes. */
  linesWith(literals: readonly string[]): FindLines | undefined;
}

/** The lines of a text that hold one of the literals. The first `limit` of them are told; all are counted. */
export type FindLines = (
  bytes: Buffer,
  options: {
    limit: number;
    /** Where the literals may begin, in bytes. */
    ranges: readonly PartRange[];
  },
) => MatchingLines;

/** The memory of line-scanner.wat: numbers of 32 bits at its beginning, what is known of each literal, and so on. */
const recordsAt = 64;
const recordBytes = 48;
/** Room for seven: `soughtLimit` may not be more. */
const literalsAt = 1024;
const literalBytes = 1024;
const linesAt = 8192;
const lineNumbers = 3;
const textAt = 65_536;
const pageBytes = 65_536;
const textPages = 4;
const capacity = Math.floor((textAt - linesAt) / (4 * lineNumbers));
/** Of what follows a range: where a literal begins in it, that ends here, and mostly its line does. */
const slackBytes = literalBytes;

const lineEnd = 10;

/** Undefined where the engine or the processor does not run it. */
export function createLineScanner(): LineScanner | undefined {
  const program = startProgram();
  if (program === undefined) return undefined;
  const { memory, numbers, scan } = program;
  let loaded: readonly Buffer[] | undefined;

  return {
    linesWith(texts) {
      const literals = texts.map((text) => Buffer.from(text));
      if (literals.length > soughtLimit || literals.some(({ length }) => length === 0 || length > literalBytes)) {
        return undefined;
      }
      return (bytes, { limit, ranges }) => {
        if (loaded !== literals) load(literals);
        return findLines(bytes, { literalCount: literals.length, limit, ranges });
      };
    },
  };

  function load(literals: readonly Buffer[]): void {
    loaded = undefined;
    for (const [index, literal] of literals.entries()) {
      const record = recordsAt + index * recordBytes;
      const address = literalsAt + index * literalBytes;
      const [rare = 0, other = rare] = rarestFirst(literal);
      memory.set(literal, address);
      memory.fill(literal[rare] ?? 0, record, record + 16);
      memory.fill(literal[other] ?? 0, record + 16, record + 32);
      numbers.set([rare, other, address, literal.length], (record + 32) / 4);
    }
    loaded = literals;
  }

  function findLines(
    bytes: Buffer,
    { literalCount, limit, ranges }: { literalCount: number; limit: number; ranges: readonly PartRange[] },
  ): MatchingLines {
    const found: MatchingLines = { count: 0, numbers: [], starts: [], ends: [] };
    let at = 0;
    let number = 1;
    for (const range of ranges) {
      const until = Math.min(range.end, bytes.length);
      if (range.start > at) {
        at = range.start;
        number = 1 + range.lineEnds;
      }
      while (at < until) scanWindow(until);
    }
    return found;

    function scanWindow(until: number): void {
      const first = at;
      const end = Math.min(first + textPages * pageBytes, until + slackBytes, bytes.length);
      const last = Math.min(until, end === bytes.length ? end : end - slackBytes);
      memory.set(bytes.subarray(first, end), textAt);
      while (at < last) {
        const told = Math.min(capacity, limit - found.numbers.length);
        at = first + scan(at - first, last - first, end - first, literalCount, told, capacity);
        const goesOn = numbers[3] === 1;
        const endBehind = goesOn ? endOfLine(bytes, end) : -1;
        takeLines(first, endBehind);
        found.count += numbers[0] ?? 0;
        number += numbers[2] ?? 0;
        if (!goesOn) continue;
        at = endBehind + 1;
        number++;
      }
    }

    function takeLines(first: number, endBehind: number): void {
      const behind = linesAt / 4 + lineNumbers * (numbers[1] ?? 0);
      for (let line = linesAt / 4; line < behind; line += lineNumbers) {
        const start = numbers[line + 1] ?? 0;
        const end = numbers[line + 2] ?? 0;
        found.numbers.push(number + (numbers[line] ?? 0));
        found.starts.push(start === -1 ? startOfLine(bytes, first) : first + start);
        found.ends.push(end === -1 ? endBehind : first + end);
      }
    }
  }
}

function startOfLine(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(lineEnd, at - 1) + 1;
}

function endOfLine(bytes: Buffer, at: number): number {
  const end = bytes.indexOf(lineEnd, at);
  return end === -1 ? bytes.length : end;
}

/**
 * ASCII as often as it stands in sources, the most frequent first: the mean of the ten repositories of the retrieval
 * benchmark.
 */
const byFrequency = Buffer.from(
  ` etrsoanilcdu.p"hmf)(,g_-:/01yv'b=2xw{}TSE534;AkRqCI6*>89NOPL7[]\`MjDFBH<Uz#VGW|&J!+@\\KXYQ$^?Z%~`,
);

/** The places in a literal, those of its rarest bytes first: what seldom stands in a text is seldom taken for it. */
function rarestFirst(literal: Buffer): number[] {
  const ranks = Array.from(literal, (byte) => byFrequency.indexOf(byte));
  const rankOf = (place: number) => (ranks[place] === -1 ? byFrequency.length : (ranks[place] ?? 0));
  return [...literal.keys()].sort((a, b) => rankOf(b) - rankOf(a));
}

type Scan = (at: number, last: number, end: number, literalCount: number, limit: number, capacity: number) => number;

/** What is used of it: the types of Node do not have it. */
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer };
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object, imports: { scanner: { memory: object } }) => { exports: { scan: Scan } };
};

function startProgram(): { memory: Uint8Array; numbers: Int32Array; scan: Scan } | undefined {
  try {
    const memory = new WebAssembly.Memory({ initial: textAt / pageBytes + textPages + 1 });
    const module = new WebAssembly.Module(Buffer.from(lineScannerCode, "base64"));
    const { scan } = new WebAssembly.Instance(module, { scanner: { memory } }).exports;
    return { memory: new Uint8Array(memory.buffer), numbers: new Int32Array(memory.buffer), scan };
  } catch {
    return undefined;
  }
}
