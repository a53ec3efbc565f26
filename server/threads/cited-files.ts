import { mkdir, readFile, rm, utimes } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../errors.ts";
import { contentHash } from "../lib/content-hash.ts";
import { replaceFile } from "../lib/replace-file.ts";
import { listFiles } from "./list-files.ts";

/** A cited file, identified by the hash of its text. */
export interface CitedFile {
  hash: string;
  text: string;
}

/** Deduplicated texts of cited files, so that citations open after an update or removal of the resource. */
export interface CitedFiles {
  /** Stores all files up to `fileBytes`. `isFull`: they exceed `totalBytes`. */
  keep(files: readonly CitedFile[]): Promise<{ isFull: boolean }>;
  /** Undefined if the file is not stored or was damaged. */
  read(hash: string): Promise<string | undefined>;
  /** Removes files that no thread cites, then the oldest while the limit is exceeded. */
  collect(cited: ReadonlySet<string>): Promise<void>;
}

/** `fileBytes`: the maximum size of one file; `totalBytes`: of all files. */
export interface CitedLimits {
  fileBytes: number;
  totalBytes: number;
}

/** Creates the store of cited files in `directory`. */
export function createCitedFiles(directory: string, limits: CitedLimits): CitedFiles {
  const fileOf = (hash: string) => path.join(directory, hash);
  return {
    async keep(files) {
      const kept = files.filter(({ text }) => Buffer.byteLength(text) <= limits.fileBytes);
      if (kept.length === 0) return { isFull: false };
      await mkdir(directory, { recursive: true, mode: 0o700 });
      for (const { hash, text } of kept) {
        if (await renew(fileOf(hash))) continue;
        await replaceFile(fileOf(hash), text, { mode: 0o600, isPrecious: false });
      }
      const sizes = (await listFiles(directory)).map(({ sizeBytes }) => sizeBytes);
      return { isFull: sum(sizes) > limits.totalBytes };
    },
    async read(hash) {
      const text = await readFile(fileOf(hash), "utf8").catch(() => undefined);
      return text !== undefined && contentHash(text) === hash ? text : undefined;
    },
    async collect(cited) {
      const files = await listFiles(directory);
      const remove = ({ name }: { name: string }) => rm(path.join(directory, name), { force: true });
      const kept = files.filter(({ name }) => cited.has(name));
      await Promise.all(files.filter(({ name }) => !cited.has(name)).map(remove));
      let bytes = sum(kept.map(({ sizeBytes }) => sizeBytes));
      for (const file of kept) {
        if (bytes <= limits.totalBytes * afterCollection) break;
        bytes -= file.sizeBytes;
        await remove(file);
      }
    },
  };
}

/** The share of the limit that a collection leaves, so that the next question does not trigger another. */
export const afterCollection = 0.9;

/** Updates the modification time. Returns whether the file exists. */
async function renew(file: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(file, now, now);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false;
    throw error;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
