import { createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { mkdir, readdir, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { crc32 } from "node:zlib";
import { replaceFile } from "../lib/replace-file.ts";
import type { Stamp } from "./walk.ts";

/** The SHA-256 of a file in base64, and the stamp that shows whether the file has changed. */
export interface HashedFile {
  stamp: Stamp;
  hash: string;
}

/** Hashes of folders' files, stored for the next process: checking stamps takes less than half the time of reading. */
export interface FolderHashes {
  /** The files of a place by path; empty if nothing is stored. Never rejects. */
  read(place: string): Promise<Map<string, HashedFile>>;
  /** Never rejects: files whose hash cannot be stored are read again next time. */
  write(place: string, hashes: ReadonlyMap<string, HashedFile>): Promise<void>;
}

/**
 * The format of a folder's file: magic · version · checksum of the rest · count · stamps (size, time, inode) · hashes ·
 * paths, each terminated by NUL.
 */
const magic = 0x48495743;
const formatVersion = 1;
const checkedFrom = 12;
const headerBytes = 16;
const stampBytes = 24;
const hashBytes = 32;

const dayMs = 24 * 3600 * 1000;
const keptMs = 30 * dayMs;

/** Stores the hashes in `directory`, one file for each folder. */
export function createFolderHashes(directory: string, { now = Date.now }: { now?: () => number } = {}): FolderHashes {
  const fileOf = (place: string) =>
    path.join(directory, `${createHash("sha256").update(place).digest("hex").slice(0, 40)}.hashes`);
  let collectedAt = -Infinity;

  async function collectDaily(): Promise<void> {
    if (now() - collectedAt < dayMs) return;
    collectedAt = now();
    await removeUnused(directory, now() - keptMs);
  }

  return {
    async read(place) {
      try {
        const { bytes, usedAt } = readWhole(fileOf(place));
        const hashes = unpackHashes(bytes);
        if (now() - usedAt > dayMs) await utimes(fileOf(place), new Date(now()), new Date(now()));
        return hashes;
      } catch {
        return new Map();
      }
    },
    async write(place, hashes) {
      try {
        await mkdir(directory, { recursive: true });
        await replaceFile(fileOf(place), packHashes(hashes), { isPrecious: false });
        await collectDaily();
      } catch {
        return;
      }
    },
  };
}

function readWhole(file: string): { bytes: Buffer; usedAt: number } {
  const descriptor = openSync(file, "r");
  try {
    const { size, mtimeMs } = fstatSync(descriptor);
    const bytes = Buffer.allocUnsafeSlow(size);
    return { bytes: bytes.subarray(0, readSync(descriptor, bytes, 0, size, 0)), usedAt: mtimeMs };
  } finally {
    closeSync(descriptor);
  }
}

function packHashes(hashes: ReadonlyMap<string, HashedFile>): Buffer {
  const hashesStart = headerBytes + stampBytes * hashes.size;
  const pathsStart = hashesStart + hashBytes * hashes.size;
  let pathsBytes = 0;
  for (const file of hashes.keys()) pathsBytes += Buffer.byteLength(file) + 1;
  const bytes = Buffer.alloc(pathsStart + pathsBytes);
  const stamps = stampsIn(bytes, hashes.size);
  let number = 0;
  let pathStart = pathsStart;
  for (const [file, { stamp, hash }] of hashes) {
    stamps.set([stamp.sizeBytes, stamp.changedMs, stamp.ino], 3 * number);
    bytes.write(hash, hashesStart + hashBytes * number++, "base64");
    pathStart += bytes.write(file, pathStart) + 1;
  }
  bytes.writeUInt32LE(hashes.size, checkedFrom);
  for (const [index, value] of [magic, formatVersion, crc32(bytes.subarray(checkedFrom))].entries())
    bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

/** Empty if the file is damaged. */
function unpackHashes(bytes: Buffer): Map<string, HashedFile> {
  const hashes = new Map<string, HashedFile>();
  if (bytes.length < headerBytes || bytes.readUInt32LE(0) !== magic || bytes.readUInt32LE(4) !== formatVersion)
    return hashes;
  if (bytes.readUInt32LE(8) !== crc32(bytes.subarray(checkedFrom))) return hashes;
  const count = bytes.readUInt32LE(checkedFrom);
  const hashesStart = headerBytes + stampBytes * count;
  const pathsStart = hashesStart + hashBytes * count;
  const paths = bytes.toString("utf8", pathsStart).split("\0").slice(0, -1);
  const stamps = stampsIn(bytes, count);
  for (const [number, file] of paths.entries()) {
    const [sizeBytes = 0, changedMs = 0, ino = 0] = stamps.subarray(3 * number, 3 * number + 3);
    const start = hashesStart + hashBytes * number;
    hashes.set(file, {
      stamp: { sizeBytes, changedMs, ino },
      hash: bytes.toString("base64", start, start + hashBytes),
    });
  }
  return hashes;
}

/** The stamps are in the machine's byte order: the files never leave it. */
function stampsIn({ buffer, byteOffset }: Buffer, count: number): Float64Array {
  return new Float64Array(buffer, byteOffset + headerBytes, 3 * count);
}

/** Also removes the temporary files of killed processes. */
async function removeUnused(directory: string, before: number): Promise<void> {
  for (const name of await readdir(directory)) {
    const file = path.join(directory, name);
    const stats = await stat(file).catch(() => undefined);
    if (stats !== undefined && stats.mtimeMs < before) await rm(file, { force: true });
  }
}
