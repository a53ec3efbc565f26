import { createHash } from "node:crypto";
import { fstatSync, readSync } from "node:fs";
import { crc32, inflateRawSync } from "node:zlib";
import * as z from "zod";
import { codeOf } from "../../errors.ts";
import { createReusableBuffer } from "../../lib/reusable-buffer.ts";
import type { BlockCache } from "./block-cache.ts";
import { blockBytes, type DeflatedSections, joinBytes } from "./deflated-sections.ts";
import type { Descriptors } from "./descriptors.ts";

/**
 * A file of named sections that is read a block at a time, each of which is checked when it is read: an index of any
 * size opens at once, and a damaged byte is noticed before anything is made of it. Blocks are deflated one by one,
 * which halves an index. Parts of a file begin with a block each, and are deflated wherever they are made.
 *
 *   magic · version · length of the names · blocks · names and lengths of the sections of each part (JSON) · end and
 *   checksum of each block · checksum of all that · blocks
 */
export interface IndexFile extends Disposable {
  /** For who keeps it: blocks that it fills are not. @throws DamagedIndex */
  section(name: string): Uint8Array;
  /** Of a section, which is not read for that. @throws DamagedIndex */
  lengthOf(name: string): number;
  /** Part of a section. @throws DamagedIndex */
  slice(name: string, start: number, end: number): Uint8Array;
  sizeBytes: number;
  /** A hash of its table, which has the checksums of all blocks: of a file with anything else in it, another one. */
  identity: string;
}

/** Whatever does not read as it was written, or is gone: it is built anew. */
export class DamagedIndex extends Error {}

/** What `read` gives, or undefined where that is damaged. */
export function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedIndex) return undefined;
    throw error;
  }
}

/** Changes with every change of what is in an index or how it is written, and of what paths are said to be. */
const formatVersion = 11;
const magic = 0x58495743;
const headerBytes = 16;
/** Of the sections of each part, inflated, in their order: the first one begins with a block. */
const PartLengths = z.array(z.record(z.string(), z.number()));

export function packIndexFile(...parts: readonly DeflatedSections[]): Uint8Array {
  const names = Buffer.from(JSON.stringify(parts.map(({ lengths }) => lengths)));
  const blockCount = parts.reduce((sum, { ends }) => sum + ends.length, 0);
  const head = Buffer.alloc(headerBytes + names.length + 8 * blockCount + 4);
  for (const [index, value] of [magic, formatVersion, names.length, blockCount].entries())
    head.writeUInt32LE(value, 4 * index);
  names.copy(head, headerBytes);
  let before = 0;
  let at = headerBytes + names.length;
  for (const { blocks, ends } of parts) {
    for (const [index, end] of ends.entries()) {
      at = head.writeUInt32LE(before + end, at);
      at = head.writeUInt32LE(crc32(blocks.subarray(ends[index - 1] ?? 0, end)), at);
    }
    before += blocks.length;
  }
  head.writeUInt32LE(crc32(head.subarray(0, at)), at);
  return joinBytes([head, ...parts.map(({ blocks }) => blocks)]);
}

/** As of the file, once it is open. */
export function identityOf(bytes: Uint8Array): string {
  return readTable(inMemory(bytes)).identity;
}

/** @throws DamagedIndex, and what `fs` throws */
export function openIndexFile(
  path: string,
  { blocks, descriptors }: { blocks: BlockCache; descriptors: Descriptors },
): IndexFile {
  const descriptor = () => existing(() => descriptors.of(path));
  const close = () => descriptors.close(path);
  try {
    const sizeBytes = fstatSync(descriptor()).size;
    const read = (position: number, length: number) => readFully(descriptor(), position, allocate(length));
    return readIndex({ sizeBytes, read, close }, blocks);
  } catch (error) {
    close();
    throw error;
  }
}

/** Gone, not for us, or something else in its place; not that a process has too many files open. */
const unreadableCodes: ReadonlySet<string> = new Set(["ENOENT", "EACCES", "EPERM", "ELOOP", "ENOTDIR", "ENXIO"]);

function existing(open: () => number): number {
  try {
    return open();
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (unreadableCodes.has(code)) fail(`it cannot be opened (${code})`);
    throw error;
  }
}

/** The same in memory; without `blocks`, none is kept. @throws DamagedIndex */
export function openIndexBytes(bytes: Uint8Array, { blocks }: { blocks?: BlockCache | undefined } = {}): IndexFile {
  return readIndex(inMemory(bytes), blocks);
}

function inMemory(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = (position: number, length: number) => buffer.subarray(position, position + length);
  return { sizeBytes: bytes.length, read, close: () => {} };
}

interface ByteSource {
  sizeBytes: number;
  /** Until the next is read. @throws DamagedIndex where there are fewer bytes */
  read(position: number, length: number): Buffer;
  close(): void;
}

function readIndex(source: ByteSource, blocks: BlockCache | undefined): IndexFile {
  const table = readTable(source);
  const read = createBlockReader(source, { table, blocks });
  const placeOf = (name: string) => table.sections.get(name) ?? fail(`no section ${name}`);
  return {
    sizeBytes: source.sizeBytes,
    identity: table.identity,
    lengthOf: (name) => placeOf(name).length,
    slice(name, start, end) {
      const section = placeOf(name);
      if (start < 0 || end < start || end > section.length) fail(`${name} has no bytes ${start} to ${end}`);
      return read(section.start + start, end - start, { isKept: true });
    },
    section(name) {
      const { start, length } = placeOf(name);
      return read(start, length, { isKept: false });
    },
    [Symbol.dispose]: () => source.close(),
  };
}

interface Table {
  identity: string;
  /** Within all blocks, inflated. */
  sections: ReadonlyMap<string, { start: number; length: number }>;
  blockCount: number;
  /** Of a block, from the start of the first one: where it ends, and its checksum. */
  endOf(block: number): number;
  checksumOf(block: number): number;
  /** Where the first block starts in the file. */
  bodyStart: number;
}

/** In hexadecimal digits: 80 bits. */
const identityLength = 20;

/** Read at first, and enough for the table of most files. */
const firstReadBytes = 4096;

function readTable({ sizeBytes, read }: ByteSource): Table {
  if (sizeBytes < headerBytes) fail("cut off");
  const first = read(0, Math.min(sizeBytes, firstReadBytes));
  if (first.readUInt32LE(0) !== magic || first.readUInt32LE(4) !== formatVersion) fail("another format");
  const namesLength = first.readUInt32LE(8);
  const blockCount = first.readUInt32LE(12);
  const checkedLength = headerBytes + namesLength + 8 * blockCount;
  const bodyStart = checkedLength + 4;
  if (bodyStart > sizeBytes) fail("cut off");
  const head = bodyStart <= first.length ? first : read(0, bodyStart);
  if (crc32(head.subarray(0, checkedLength)) !== head.readUInt32LE(checkedLength)) fail("its table is damaged");
  const identity = createHash("sha256").update(head.subarray(0, checkedLength)).digest("hex").slice(0, identityLength);
  const sections = new Map<string, { start: number; length: number }>();
  let start = 0;
  const names = head.toString("utf8", headerBytes, headerBytes + namesLength);
  for (const lengths of PartLengths.parse(JSON.parse(names))) {
    start = Math.ceil(start / blockBytes) * blockBytes;
    for (const [name, length] of Object.entries(lengths)) {
      sections.set(name, { start, length });
      start += length;
    }
  }
  const blocks = Buffer.from(head.subarray(headerBytes + namesLength, checkedLength));
  const endOf = (block: number) => (block < 0 ? 0 : blocks.readUInt32LE(8 * block));
  if (bodyStart + endOf(blockCount - 1) !== sizeBytes) fail("cut off");
  return {
    identity,
    sections,
    blockCount,
    endOf,
    checksumOf: (block) => blocks.readUInt32LE(8 * block + 4),
    bodyStart,
  };
}

function createBlockReader(
  source: ByteSource,
  { table, blocks }: { table: Table; blocks: BlockCache | undefined },
): (start: number, length: number, options: { isKept: boolean }) => Uint8Array {
  const kept = blocks?.forFile(source.sizeBytes);
  const readBlock = (number: number): Buffer => {
    if (number >= table.blockCount) fail(`no block ${number}`);
    const start = table.endOf(number - 1);
    const deflated = source.read(table.bodyStart + start, table.endOf(number) - start);
    if (crc32(deflated) !== table.checksumOf(number)) fail(`block ${number} is damaged`);
    // One more, or it would look for the rest of a full block in another piece of memory.
    return inflateRawSync(deflated, { chunkSize: blockBytes + 1 });
  };
  const keptBlock = (number: number) => kept?.get(number, () => readBlock(number)) ?? readBlock(number);
  return (start, length, { isKept }) => {
    const first = Math.floor(start / blockBytes);
    const offset = start - first * blockBytes;
    // Loops over bytes are faster in memory than through the file.
    const bytes = new Uint8Array(length);
    for (let done = 0, index = first; done < length; index++) {
      const from = index === first ? offset : 0;
      const isFilled = from === 0 && length - done >= blockBytes;
      const block = isKept || !isFilled ? keptBlock(index) : readBlock(index);
      const part = block.subarray(from, from + length - done);
      bytes.set(part, done);
      done += part.length;
    }
    return bytes;
  };
}

/** One for all files: whatever is read is inflated or looked at before the next is. */
const allocate = createReusableBuffer();

function readFully(descriptor: number, position: number, buffer: Buffer): Buffer {
  for (let done = 0; done < buffer.length;) {
    const count = readSync(descriptor, buffer, done, buffer.length - done, position + done);
    if (count === 0) fail("cut off");
    done += count;
  }
  return buffer;
}

function fail(reason: string): never {
  throw new DamagedIndex(`the index does not read as it was written: ${reason}`);
}
