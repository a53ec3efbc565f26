import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { type TransformCallback, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { ReadEntry } from "tar";
import { CitewellError, codeOf } from "../../errors.ts";
import type { SkippedFile } from "../snapshot.ts";
import {
  createUnpackCount,
  leavesFolder,
  overLimitFault,
  pathReason,
  refusedNameReason,
  unpackedLimits,
} from "./unpack-limits.ts";

interface UnpackOptions {
  /** The package, for messages. */
  label: string;
  /** What a user does about a file that is no tarball. Default: ask the author. */
  advice?: string;
  signal: AbortSignal;
}

const fileTypes = ["File", "OldFile", "ContiguousFile"];
/** Each entry has a header of 512 bytes, often with extensions, and is padded to 512 bytes. */
const tarLimitBytes = unpackedLimits.bytes + unpackedLimits.entries * 4096;

/**
 * Unpacks an npm tarball into an empty folder, without its top folder. Links and devices are skipped, as in npm, and so
 * are files in the folder `reserved` and those whose names the disk refuses; they are returned. An entry that points out of
 * the folder is an attack, so the whole tarball is refused.
 * @throws PackageUnreadable (no tarball, too large, or such an entry; then nothing was written), errors of the disk
 */
export async function unpackTarball(
  file: string,
  directory: string,
  { reserved, ...options }: UnpackOptions & { reserved: string },
): Promise<SkippedFile[]> {
  await checkTarball(file, options);
  const tar = await import("tar");
  const { label, signal } = options;
  const skipped: SkippedFile[] = [];
  let fault: unknown;
  const unpack = new tar.Unpack({
    cwd: directory,
    strip: 1,
    maxDepth: Infinity,
    preserveOwner: false,
    noMtime: true,
    // After a fault the rest is only read, so that pending writes finish and can be removed.
    filter: (entryPath, entry) => {
      if (fault !== undefined || signal.aborted || !("header" in entry)) return false;
      const path = withoutTop(entryPath);
      const reason = skipReason(path, entry, reserved);
      if (reason !== undefined) skipped.push({ path, reason });
      // Makes it readable, whatever the publisher's file mode.
      entry.mode = entry.type === "Directory" ? 0o755 : 0o644;
      return reason === undefined;
    },
    // tar continues after an entry that could not be written.
    onwarn: (code, message, data) => {
      if (code !== "TAR_ENTRY_ERROR") return;
      const reason = refusedNameReason(data);
      if (reason !== undefined && "entry" in data && data.entry instanceof tar.ReadEntry)
        skipped.push({ path: data.entry.path, reason });
      else fault ??= data instanceof Error ? data : refused(label, message);
    },
  });
  await readTar(file, unpack, options).catch((error: unknown) => {
    fault ??= error;
  });
  signal.throwIfAborted();
  if (fault !== undefined) throw fault;
  return skipped;
}

/**
 * Reads all entries before the first one is written: to write 200,000 files takes minutes, to count them a second.
 * @throws PackageUnreadable
 */
async function checkTarball(file: string, options: UnpackOptions): Promise<void> {
  const { Parser } = await import("tar");
  const isOverLimits = createUnpackCount();
  const refusal = new AbortController();
  const refuse = (fault: string) => refusal.abort(refused(options.label, fault));
  const parser = new Parser({
    filter: (entryPath, entry) => {
      if (refusal.signal.aborted) return false;
      if (leavesFolder(entryPath)) refuse(`has an entry that leaves its folder: ${JSON.stringify(entryPath)}`);
      else if (pathReason(entryPath, "") === undefined && isOverLimits(entryPath, entry.size)) refuse(overLimitFault);
      return false;
    },
  });
  const signal = AbortSignal.any([options.signal, refusal.signal]);
  await readTar(file, parser, { ...options, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

/** Passes the bytes of a tarball to a parser. @throws PackageUnreadable, errors of the disk */
async function readTar(
  file: string,
  parser: NodeJS.WritableStream,
  { label, advice, signal }: UnpackOptions,
): Promise<void> {
  let sizeBytes = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      sizeBytes += chunk.length;
      // A few kilobytes can decompress to gigabytes, of headers alone too.
      if (sizeBytes > tarLimitBytes) done(refused(label, overLimitFault));
      else done(null, chunk);
    },
  });
  const decompress = (await isGzip(file)) ? [createGunzip()] : [];
  try {
    await pipeline([createReadStream(file), ...decompress, count, parser], { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CitewellError || /^E[A-Z]+$/.test(codeOf(error) ?? "")) throw error;
    throw refused(label, "is not a tarball that can be unpacked", { hint: advice, cause: error });
  }
}

async function isGzip(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return buffer.readUInt16BE() === 0x1f8b;
}

function withoutTop(entryPath: string): string {
  return entryPath.split("/").slice(1).join("/");
}

function skipReason(path: string, entry: ReadEntry, reserved: string): string | undefined {
  const reason = pathReason(path, reserved);
  if (reason !== undefined || fileTypes.includes(entry.type) || entry.type === "Directory") return reason;
  return entry.type.endsWith("Link") ? "a link, which npm does not unpack either" : "not a regular file";
}

function refused(
  label: string,
  fault: string,
  {
    hint = "nothing was stored; report it to the package's author",
    cause,
  }: { hint?: string | undefined; cause?: unknown } = {},
): CitewellError {
  return new CitewellError("PackageUnreadable", `the tarball of ${label} ${fault}`, { hint, cause });
}
