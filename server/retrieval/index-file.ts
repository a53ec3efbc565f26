import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import * as z from "zod";

/**
 * A file of named sections that is read a block at a time, each of which is checked when it is read first: an index of
 * any size opens at once, and a damaged byte is noticed before anything is made of it. Blocks are deflated one by one,
 * which halves an index.
 *
 *   magic · version · length of the table · table (JSON: sections, blocks) · checksum of the table · blocks
 */
export interface IndexFile extends Disposable {
  /** @throws DamagedIndex */
  section(name: string): Uint8Array;
  /** Part of a section. @throws DamagedIndex */
  slice(name: string, start: number, end: number): Uint8Array;
  sizeBytes: number;
}

/** Whatever does not read as it was written: it is built anew. */
export class DamagedIndex extends Error {}

/** Changes with every change of what is in an index or how it is written. */
const formatVersion = 2;
const magic = 0x58495743;
const headerBytes = 12;
/** Before they are deflated. A list that is looked up stands in one or two; to inflate one takes 0.1 ms. */
const blockBytes = 16 * 1024;
/** The fast end: higher levels gain a hundredth and take twice as long. */
const deflateLevel = 2;

const Table = z.object({
  sections: z
    .record(z.string(), z.tuple([z.number(), z.number()]))
    .describe("Start and length within all blocks, inflated."),
  blocks: z.array(z.tuple([z.number(), z.number()])).describe("Start in the file after the table, and checksum."),
  bodyLength: z.number().describe("Of all blocks, as they are in the file."),
});
type Table = z.infer<typeof Table>;

export function packIndexFile(sections: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const table: Table = { sections: {}, blocks: [], bodyLength: 0 };
  let length = 0;
  for (const [name, bytes] of Object.entries(sections)) {
    table.sections[name] = [length, bytes.length];
    length += bytes.length;
  }
  const inflated = Buffer.concat(Object.values(sections), length);
  const body: Buffer[] = [];
  for (let at = 0; at < length; at += blockBytes) {
    const block = deflateRawSync(inflated.subarray(at, at + blockBytes), { level: deflateLevel });
    table.blocks.push([table.bodyLength, crc32(block)]);
    table.bodyLength += block.length;
    body.push(block);
  }
  const tableBytes = Buffer.from(JSON.stringify(table));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(magic, 0);
  header.writeUInt32LE(formatVersion, 4);
  header.writeUInt32LE(tableBytes.length, 8);
  const check = Buffer.alloc(4);
  check.writeUInt32LE(crc32(tableBytes, crc32(header)));
  return Buffer.concat([header, tableBytes, check, ...body]);
}

/** Blocks that are kept in memory for each file; what a question reads is a small part of an index. */
const keptBlocks = 128;

/** @throws DamagedIndex, and what `fs` throws where there is no such file */
export function openIndexFile(path: string): IndexFile {
  const descriptor = openSync(path, "r");
  const close = () => closeSync(descriptor);
  try {
    return readIndex({
      sizeBytes: fstatSync(descriptor).size,
      read: (position, length) => readFully(descriptor, position, length),
      close,
    });
  } catch (error) {
    close();
    throw error;
  }
}

/** The same in memory. @throws DamagedIndex */
export function openIndexBytes(bytes: Uint8Array): IndexFile {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const read = (position: number, length: number) => buffer.subarray(position, position + length);
  return readIndex({ sizeBytes: bytes.length, read, close: () => {} });
}

interface ByteSource {
  sizeBytes: number;
  /** @throws DamagedIndex where there are fewer bytes */
  read(position: number, length: number): Buffer;
  close(): void;
}

function readIndex(source: ByteSource): IndexFile {
  const { table, bodyStart } = readTable(source);
  const read = createBlockReader(source, { table, bodyStart });
  const slice = (name: string, start: number, end: number) => {
    const [sectionStart, length] = table.sections[name] ?? fail(`no section ${name}`);
    if (start < 0 || end < start || end > length) fail(`${name} has no bytes ${start} to ${end}`);
    return read(sectionStart + start, end - start);
  };
  return {
    sizeBytes: source.sizeBytes,
    slice,
    section: (name) => slice(name, 0, table.sections[name]?.[1] ?? fail(`no section ${name}`)),
    [Symbol.dispose]: () => source.close(),
  };
}

function readTable({ sizeBytes, read }: ByteSource): { table: Table; bodyStart: number } {
  if (sizeBytes < headerBytes) fail("cut off");
  const header = read(0, headerBytes);
  if (header.readUInt32LE(0) !== magic || header.readUInt32LE(4) !== formatVersion) fail("another format");
  const length = header.readUInt32LE(8);
  if (headerBytes + length + 4 > sizeBytes) fail("cut off");
  const bytes = read(headerBytes, length + 4);
  const tableBytes = bytes.subarray(0, length);
  if (crc32(tableBytes, crc32(header)) !== bytes.readUInt32LE(length)) fail("its table is damaged");
  const table = Table.parse(JSON.parse(tableBytes.toString()));
  const bodyStart = headerBytes + length + 4;
  if (bodyStart + table.bodyLength !== sizeBytes) fail("cut off");
  return { table, bodyStart };
}

function createBlockReader(
  source: ByteSource,
  { table, bodyStart }: { table: Table; bodyStart: number },
): (start: number, length: number) => Uint8Array {
  const blocks = new Map<number, Buffer>();
  const blockAt = (index: number): Buffer => {
    const kept = blocks.get(index);
    if (kept !== undefined) return kept;
    const [start, checksum] = table.blocks[index] ?? fail(`no block ${index}`);
    const end = table.blocks[index + 1]?.[0] ?? table.bodyLength;
    const deflated = source.read(bodyStart + start, end - start);
    if (crc32(deflated) !== checksum) fail(`block ${index} is damaged`);
    const block = inflateRawSync(deflated);
    blocks.set(index, block);
    const [oldest] = blocks.keys();
    if (blocks.size > keptBlocks && oldest !== undefined) blocks.delete(oldest);
    return block;
  };
  return (start, length) => {
    const first = Math.floor(start / blockBytes);
    const offset = start - first * blockBytes;
    if (offset + length <= blockBytes)
      return length === 0 ? new Uint8Array(0) : blockAt(first).subarray(offset, offset + length);
    const bytes = new Uint8Array(length);
    for (let done = 0, index = first; done < length; index++) {
      const from = index === first ? offset : 0;
      const part = blockAt(index).subarray(from, from + length - done);
      bytes.set(part, done);
      done += part.length;
    }
    return bytes;
  };
}

function readFully(descriptor: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  for (let done = 0; done < length;) {
    const count = readSync(descriptor, buffer, done, length - done, position + done);
    if (count === 0) fail("cut off");
    done += count;
  }
  return buffer;
}

function fail(reason: string): never {
  throw new DamagedIndex(`the index does not read as it was written: ${reason}`);
}
