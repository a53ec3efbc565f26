/** Writes the numbers and texts of index files as bytes. All numbers are little-endian. */
export interface ByteWriter {
  readonly length: number;
  /** Writes unsigned LEB128: seven bits per byte, the lowest first. */
  varint(value: number): void;
  bytes(bytes: Uint8Array): void;
  /** Writes a text whose characters are bytes (code units below 256). */
  byteText(text: string): void;
  /** Starts over. Views that `finish` returned are overwritten. */
  clear(): void;
  /** The bytes written so far: a view that the next write invalidates. */
  finish(): Uint8Array;
}

/** Creates a writer with a buffer that grows. */
export function createByteWriter(): ByteWriter {
  let buffer = new Uint8Array(64);
  let length = 0;
  const reserve = (count: number) => {
    if (length + count <= buffer.length) return;
    const larger = new Uint8Array(Math.max(length + count, buffer.length * 2));
    larger.set(buffer.subarray(0, length));
    buffer = larger;
  };
  return {
    get length() {
      return length;
    },
    varint(value) {
      reserve(5);
      let rest = value;
      while (rest > 127) {
        buffer[length++] = (rest & 127) | 128;
        rest >>>= 7;
      }
      buffer[length++] = rest;
    },
    bytes(bytes) {
      reserve(bytes.length);
      // Most arrays are a few bytes long; for those, a loop is several times as fast as `set`.
      if (bytes.length > 64) buffer.set(bytes, length);
      else for (let at = 0; at < bytes.length; at++) buffer[length + at] = bytes[at] ?? 0;
      length += bytes.length;
    },
    byteText(text) {
      reserve(text.length);
      for (let at = 0; at < text.length; at++) buffer[length++] = text.charCodeAt(at);
    },
    clear() {
      length = 0;
    },
    finish: () => buffer.subarray(0, length),
  };
}

/** Reads varints one after the other. */
export interface VarintReader {
  readonly isAtEnd: boolean;
  /** The number of bytes read so far. */
  readonly position: number;
  next(): number;
  skip(count: number): void;
}

/** Reads from the start of `bytes`. */
export function readVarints(bytes: Uint8Array): VarintReader {
  let at = 0;
  return {
    get isAtEnd() {
      return at >= bytes.length;
    },
    get position() {
      return at;
    },
    skip(count) {
      at += count;
    },
    next() {
      let value = 0;
      for (let shift = 0; ; shift += 7) {
        const byte = bytes[at++] ?? 0;
        value |= (byte & 127) << shift;
        if (byte < 128) return value >>> 0;
      }
    },
  };
}

/** Encodes numbers as varints, so that small ones take one byte each. */
export function packNumbers(numbers: Iterable<number>): Uint8Array {
  const writer = createByteWriter();
  for (const number of numbers) writer.varint(number);
  return writer.finish();
}

/** Decodes what `packNumbers` has encoded. */
export function unpackNumbers(bytes: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(countVarints(bytes));
  const reader = readVarints(bytes);
  for (let index = 0; index < numbers.length; index++) numbers[index] = reader.next();
  return numbers;
}

/** The start offset of each of several consecutive items, given their lengths, followed by the end of the last one. */
export function startsOfLengths(lengths: Uint32Array): Uint32Array {
  const starts = new Uint32Array(lengths.length + 1);
  for (let index = 0; index < lengths.length; index++) starts[index + 1] = (starts[index] ?? 0) + (lengths[index] ?? 0);
  return starts;
}

function countVarints(bytes: Uint8Array): number {
  let count = 0;
  for (const byte of bytes) if (byte < 128) count++;
  return count;
}
