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
 * A file of named sections that is read and checked block by block: an index of any size opens at once, and a damaged
 * byte is detected before it is used. Each block is deflated by itself, which halves the size of an index. Each part of a
 * file begins with a new block, so that parts can be deflated in different threads.
 *
 *   magic · version · length of the names · blocks · names and lengths of the sections of each part (JSON) · end and
 *   checksum of each block · checksum of the preceding bytes · blocks
 */
export interface IndexFile extends Disposable {
  /** A whole section. The blocks that only it occupies are not cached: the caller keeps the section. @throws DamagedIndex */
  section(name: string): Uint8Array;
  /** The length of a section, without reading it. @throws DamagedIndex */
  lengthOf(name: string): number;
  /** Part of a section. @throws DamagedIndex */
  slice(name: string, start: number, end: number): Uint8Array;
  sizeBytes: number;
  /** A hash of its table, which contains the checksums of all blocks: files with different content have different hashes. */
  identity: string;
}

/** An index file that is damaged or gone; callers rebuild it. */
export class DamagedIndex extends Error {}

/** The result of `read`, or undefined if it throws `DamagedIndex`. */
export function unlessDamaged<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedIndex) return undefined;
    throw error;
  }
}

/** Increment it with every change of the content or encoding of an index, and of how paths are classified. */
const formatVersion = 23;
const magic = 0x58495743;
const headerBytes = 16;
/** The inflated lengths of the sections of each part, in order. The first section of a part starts at a block. */
const PartLengths = z.array(z.record(z.string(), z.number()));

/** Builds the bytes of a file from its parts. */
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

/** The `identity` that the file will have when it is open. */
export function identityOf(bytes: Uint8Array): string {
  return readTable(inMemory(bytes)).identity;
}

/** Opens a file; blocks are read on demand. @throws DamagedIndex, and what `fs` throws */
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

/** The file is gone, not accessible, or something else is in its place. Running out of file descriptors is not among them. */
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

/** Opens an index in memory. Without `blocks`, no block is cached. @throws DamagedIndex */
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
  /** Valid until the next call. @throws DamagedIndex if the file is too short */
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
  /** Their positions in the inflated content of all blocks. */
  sections: ReadonlyMap<string, { start: number; length: number }>;
  blockCount: number;
  /** The end offset of a block, relative to the start of the first one. */
  endOf(block: number): number;
  checksumOf(block: number): number;
  /** The offset of the first block in the file. */
  bodyStart: number;
}

/** The number of hexadecimal digits: 80 bits. */
const identityLength = 20;

/** The first read. It covers the table of most files. */
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
    // One byte more, because zlib allocates a second chunk when a block fills the first one exactly.
    return inflateRawSync(deflated, { chunkSize: blockBytes + 1 });
  };
  const keptBlock = (number: number) => kept?.get(number, () => readBlock(number)) ?? readBlock(number);
  return (start, length, { isKept }) => {
    const first = Math.floor(start / blockBytes);
    const offset = start - first * blockBytes;
    // Copied into one array, because loops over an array are faster than reads through the file.
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

/** One buffer for all files, because each read is inflated or parsed before the next one. */
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
