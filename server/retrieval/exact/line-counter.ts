const lineEnd = 10;
const fourLineEnds = 0x0a0a0a0a;
const lowBits = 0x7f7f7f7f;
/** A byte of the sums holds no more. */
const wordsAtOnce = 255;

/** Counts the lines of a text, four bytes at a time. */
export interface LineCounter {
  /** The 1-based number of the line that begins there; asked in ascending order. */
  numberOf(start: number): number;
  /** So many lines end before a place; they need not be counted. */
  skipTo(place: number, lineEnds: number): void;
}

export function createLineCounter(bytes: Uint8Array): LineCounter {
  // Words begin at every fourth byte of the memory, wherever the text does.
  const before = bytes.byteOffset % 4;
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset - before, (before + bytes.length) >>> 2);
  let counted = 0;
  let number = 1;

  function countBytes(end: number): void {
    for (; counted < end; counted++) if (bytes[counted] === lineEnd) number++;
  }

  function countWords(end: number): void {
    let word = (counted + before) >>> 2;
    const last = (end + before) >>> 2;
    while (word < last) {
      let sums = 0;
      for (const until = Math.min(last, word + wordsAtOnce); word < until; word++) {
        // Zero where a line ends; what is not zero sets the highest bit of its byte.
        const rest = (words[word] ?? 0) ^ fourLineEnds;
        sums += ~(((rest & lowBits) + lowBits) | rest | lowBits) >>> 7;
      }
      number += (sums & 255) + ((sums >>> 8) & 255) + ((sums >>> 16) & 255) + (sums >>> 24);
    }
    counted = last * 4 - before;
  }

  return {
    numberOf(start) {
      countBytes(Math.min(start, counted + ((4 - ((counted + before) % 4)) % 4)));
      if (start - counted >= 4) countWords(start);
      countBytes(start);
      return number;
    },
    skipTo(place, lineEnds) {
      if (place <= counted) return;
      counted = place;
      number = 1 + lineEnds;
    },
  };
}
