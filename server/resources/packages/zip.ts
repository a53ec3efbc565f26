import { type FileHandle, open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { crc32 } from "node:zlib";
import type { Entry, ZipFile } from "yauzl";
import { messageOf } from "../../errors.ts";

/** A file, folder or link in a zip. */
export interface ZipEntry {
  /** The target as written in the zip: it may point anywhere. */
  path: string;
  type: "file" | "folder" | "link" | "other";
  /** Size after decompression, according to the zip; `read` enforces it. */
  sizeBytes: number;
  compressedSizeBytes: number;
  /** @throws Error (unreadable, or not of the size and checksum in the zip) */
  read(): Promise<Uint8Array>;
  /** Its content, without a check of its checksum. */
  stream(): Promise<Readable>;
}

/** An open zip. */
export interface Zip extends AsyncDisposable {
  handle: FileHandle;
  entries: readonly ZipEntry[];
}

/** @throws Error (no readable zip, or more than `entryLimit` entries; any error of the disk) */
export async function openZip(file: string, { entryLimit }: { entryLimit: number }): Promise<Zip> {
  // A bundle of a CommonJS module has only a default export.
  const { default: yauzl } = await import("yauzl");
  const handle = await open(file);
  try {
    // Without `decodeStrings`, backslashes are not replaced and the caller sees each path as written.
    const zip = await yauzl.fromFdPromise(handle.fd, { lazyEntries: true, decodeStrings: false });
    if (zip.entryCount > entryLimit) throw new Error(`it has ${zip.entryCount} entries, the limit is ${entryLimit}`);
    const entries: ZipEntry[] = [];
    for await (const entry of zip.eachEntry()) entries.push(toZipEntry(zip, entry));
    return { handle, entries, [Symbol.asyncDispose]: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function toZipEntry(zip: ZipFile, entry: Entry): ZipEntry {
  const path = entry.fileNameRaw.toString("utf8");
  return {
    path,
    type: typeOf(path, entry.externalFileAttributes >>> 16),
    sizeBytes: entry.uncompressedSize,
    compressedSizeBytes: entry.compressedSize,
    stream: () => zip.openReadStreamPromise(entry),
    async read() {
      try {
        const bytes = await buffer(await zip.openReadStreamPromise(entry));
        if (crc32(bytes) !== entry.crc32) throw new Error("the checksum does not match");
        return bytes;
      } catch (error) {
        throw new Error(`${JSON.stringify(path)}: ${messageOf(error)}`, { cause: error });
      }
    },
  };
}

/** Reads the file type from the Unix mode, which is 0 in zips made on other systems. */
function typeOf(path: string, mode: number): ZipEntry["type"] {
  if (path.endsWith("/")) return "folder";
  const types: Readonly<Record<number, ZipEntry["type"]>> = { 0: "file", 4: "folder", 8: "file", 10: "link" };
  return types[mode >>> 12] ?? "other";
}
