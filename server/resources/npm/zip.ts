import { type FileHandle, open } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, inflateRaw } from "node:zlib";
import { messageOf } from "../../errors.ts";

export interface ZipEntry {
  /** As it is written: it may lead anywhere. */
  path: string;
  type: "file" | "folder" | "link" | "other";
  /** What it unpacks to, as the zip says; `read` holds it to that. */
  sizeBytes: number;
  compressedSizeBytes: number;
  method: number;
  checksum: number;
  /** Of the header that stands before its bytes. */
  offset: number;
}

export interface Zip extends AsyncDisposable {
  handle: FileHandle;
  entries: readonly ZipEntry[];
}

/** Of its list of entries: several times that of the largest packages in use. */
const directoryLimitBytes = 64 * 1024 * 1024;
const methods = { stored: 0, deflated: 8 };
/** Where a number is this, the true one stands in the fields of zip64. */
const inZip64 = { short: 0xffff, long: 0xffffffff };

/**
 * Opens a zip of the kind that package managers write, by the list at its end, which counts for them, too. Numbers and
 * offsets are those of https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.
 * @throws Error (a sentence on what is wrong with it; or whatever the disk says)
 */
export async function openZip(file: string): Promise<Zip> {
  const handle = await open(file);
  try {
    return { handle, entries: await readDirectory(handle), [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * The bytes of a file in a zip, of the size and with the checksum that the zip says.
 * @throws Error (as openZip)
 */
export async function readEntry({ handle }: Zip, entry: ZipEntry): Promise<Uint8Array> {
  const header = await readAt(handle, entry.offset, 30);
  if (header.readUInt32LE(0) !== 0x04034b50) throw new Error(`it has no file where ${quote(entry)} should be`);
  const start = entry.offset + header.length + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = await readAt(handle, start, entry.compressedSizeBytes);
  const bytes = entry.method === methods.stored ? packed : await inflate(packed, entry);
  if (bytes.length !== entry.sizeBytes) throw new Error(`it has another size than it says for ${quote(entry)}`);
  if (crc32(bytes) !== entry.checksum) throw new Error(`it is not what its checksum says in ${quote(entry)}`);
  return bytes;
}

async function readDirectory(handle: FileHandle): Promise<ZipEntry[]> {
  const { size } = await handle.stat();
  // The end record has 22 bytes and a comment of 64 KB at most.
  const tailLength = Math.min(size, 22 + 0xffff);
  const tail = await readAt(handle, size - tailLength, tailLength);
  const at = tail.lastIndexOf(Buffer.from("PK\x05\x06"));
  const end = tail.subarray(Math.max(at, 0));
  if (at === -1 || end.length < 22 || end.length !== 22 + end.readUInt16LE(20))
    throw new Error("it is not a whole zip");
  const count = end.readUInt16LE(10);
  const length = end.readUInt32LE(12);
  const offset = end.readUInt32LE(16);
  if (count === inZip64.short || length === inZip64.long || offset === inZip64.long) throw new Error("it is a zip64");
  if (count !== end.readUInt16LE(8)) throw new Error("it is one of several parts");
  if (length > directoryLimitBytes) throw new Error("it has a longer list of files than any package needs");
  const directory = await readAt(handle, offset, length);
  const entries: ZipEntry[] = [];
  for (let position = 0; entries.length < count;) {
    const header = directory.subarray(position);
    if (header.length < 46 || header.readUInt32LE(0) !== 0x02014b50) throw new Error("it has a damaged list of files");
    const nameEnd = 46 + header.readUInt16LE(28);
    entries.push(readHeader(header, header.toString("utf8", 46, nameEnd)));
    position += nameEnd + header.readUInt16LE(30) + header.readUInt16LE(32);
  }
  return entries;
}

function readHeader(header: Buffer, path: string): ZipEntry {
  const entry = {
    path,
    type: typeOf(path, header.readUInt16LE(40)),
    method: header.readUInt16LE(10),
    checksum: header.readUInt32LE(16),
    compressedSizeBytes: header.readUInt32LE(20),
    sizeBytes: header.readUInt32LE(24),
    offset: header.readUInt32LE(42),
  };
  const isEncrypted = (header.readUInt16LE(8) & 1) === 1;
  if (isEncrypted) throw new Error(`it has an encrypted entry: ${quote(entry)}`);
  if ([entry.compressedSizeBytes, entry.sizeBytes, entry.offset].includes(inZip64.long))
    throw new Error("it is a zip64");
  if (!Object.values(methods).includes(entry.method)) {
    throw new Error(`it has an entry that is compressed in an unknown way: ${quote(entry)}`);
  }
  return entry;
}

/** By the file type in the mode of Unix; none is there where the zip was made on another system. */
function typeOf(path: string, mode: number): ZipEntry["type"] {
  if (path.endsWith("/")) return "folder";
  const types: Readonly<Record<number, ZipEntry["type"]>> = { 0: "file", 4: "folder", 8: "file", 10: "link" };
  return types[mode >>> 12] ?? "other";
}

async function inflate(packed: Uint8Array, entry: ZipEntry): Promise<Uint8Array> {
  try {
    return await promisify(inflateRaw)(packed, { maxOutputLength: Math.max(1, entry.sizeBytes) });
  } catch (error) {
    throw new Error(`it does not unpack at ${quote(entry)}: ${messageOf(error)}`, { cause: error });
  }
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error("it ends too early");
    filled += bytesRead;
  }
  return bytes;
}

function quote({ path }: Pick<ZipEntry, "path">): string {
  return JSON.stringify(path);
}
