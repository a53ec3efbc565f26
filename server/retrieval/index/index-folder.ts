import { mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../../lib/replace-file.ts";
import type { BlockCache } from "../format/block-cache.ts";
import { openStoredIndex, type StoredIndex } from "./stored-index.ts";

export function segmentFileIn(directory: string, id: string): string {
  return path.join(directory, `${id}.segment`);
}

export async function namesIn(directory: string, ending: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith(ending));
}

/** Undefined if there is no such file. */
export async function lookAt(file: string): Promise<{ sizeBytes: number; usedAt: number } | undefined> {
  const stats = await stat(file).catch(() => undefined);
  return stats && { sizeBytes: stats.size, usedAt: stats.mtimeMs };
}

export async function markUsed(file: string, at: number): Promise<void> {
  await utimes(file, new Date(at), new Date(at)).catch(() => {});
}

/** Undefined if there is none that can be read. */
export async function readIndex(file: string, options: { blocks?: BlockCache } = {}): Promise<StoredIndex | undefined> {
  try {
    return openStoredIndex(await readFile(file), options);
  } catch {
    return undefined;
  }
}

/** Does not wait for the disk (no fsync): a file half written in a crash is detected as damaged. */
export async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, bytes, { isPrecious: false });
}

/** On Windows another process may hold it open; then the next collection removes it. */
export async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => {});
}

/** Holds `<file>.lock` until it is disposed of, once no other process does. @throws the signal's reason, or what `fs` throws */
export async function lockFile(
  file: string,
  { signal }: { signal: AbortSignal },
): Promise<AsyncDisposable | undefined> {
  await mkdir(path.dirname(file), { recursive: true });
  // Not loaded by processes that only write segments.
  const { acquireLock } = await import("../../lib/lock.ts");
  return acquireLock(`${file}.lock`, { waitMs: Infinity, signal });
}
