import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import path from "node:path";
import { CitewellError, codeOf, messageOf } from "../errors.ts";
import { decodeSource, isBinary, type SourceText } from "../source/source-text.ts";
import { isSameStamp, stampOf, type WalkedFile } from "./walk.ts";

/**
 * The bytes of a file, if it is unchanged since the walk: no link on the way, the same file, size and times.
 * Synchronous, which is five times as fast for small files.
 * @throws FileNotReadable
 */
export type ReadWalkedFile = (file: Pick<WalkedFile, "path" | "target" | "stamp">) => Buffer;

/** How to read a tree. */
export interface TreeReaderOptions {
  /** Allocates a buffer of a size in bytes. */
  allocate: (sizeBytes: number) => Buffer;
}

/** A reader for one unit of work: it checks each folder for links only once. */
export function createTreeReader(root: string, { allocate }: TreeReaderOptions): ReadWalkedFile {
  const places = new Map<string, boolean>();
  const isReal = (place: string): boolean => {
    const known = places.get(place);
    if (known !== undefined) return known;
    const found =
      place.length <= root.length
        ? realpathSync.native(root) === root
        : isReal(path.dirname(place)) && !lstatSync(place).isSymbolicLink();
    places.set(place, found);
    return found;
  };
  return (file) => {
    try {
      const absolute = path.join(root, file.target);
      const bytes = allocate(file.stamp.sizeBytes);
      if (!readInPlace(absolute, file.stamp, bytes) || !isReal(hasNoFollow ? path.dirname(absolute) : absolute))
        throw changedOnDisk(file.path);
      return bytes;
    } catch (error) {
      const code = codeOf(error);
      if (error instanceof CitewellError || code === undefined) throw error;
      if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") throw changedOnDisk(file.path);
      throw new CitewellError("FileNotReadable", `${file.path} cannot be read (${code})`, { cause: error });
    }
  };
}

/** The reason for skipping a file without text; permanent for the same bytes. */
export const binaryReason = "binary";

/** Why a file was not read, without its name: `binary`, `changed on disk while the question ran`. */
export function unreadReason(error: unknown, filePath: string): string {
  const message = messageOf(error);
  const isNamed = message.startsWith(`${filePath} `);
  return isNamed ? message.slice(filePath.length + 1).replace(/^is /, "") : message;
}

/** @throws FileNotReadable (binary) */
export function decodeFile(filePath: string, bytes: Uint8Array): SourceText {
  return decodeSource(filePath, bytes) ?? refuseBinary(filePath);
}

/** Returns the bytes if they are text. @throws FileNotReadable (binary) */
export function textBytes(filePath: string, bytes: Buffer): Buffer {
  return isBinary(bytes) ? refuseBinary(filePath) : bytes;
}

function refuseBinary(filePath: string): never {
  throw new CitewellError("FileNotReadable", `${filePath} is ${binaryReason}`);
}

/** If the last part of a path may be a link, the whole path is resolved. */
const hasNoFollow = "O_NOFOLLOW" in constants;
/** A pipe that replaced the file must not block; Windows has neither flag. */
const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Whether it is the complete file that was found by the walk. */
function readInPlace(absolute: string, stamp: WalkedFile["stamp"], bytes: Buffer): boolean {
  const descriptor = openSync(absolute, flags);
  try {
    if (!isSameStamp(stampOf(fstatSync(descriptor)), stamp)) return false;
    return readSync(descriptor, bytes, 0, bytes.length, 0) === bytes.length;
  } finally {
    closeSync(descriptor);
  }
}

function changedOnDisk(filePath: string): CitewellError {
  return new CitewellError("FileNotReadable", `${filePath} changed on disk while the question ran`, {
    hint: "ask again to read the current file",
  });
}
