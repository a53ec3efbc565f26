import { mkdir, readFile, rm, utimes } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../errors.ts";
import { contentHash } from "../lib/content-hash.ts";
import { replaceFile } from "../lib/replace-file.ts";
import { listFiles } from "./list-files.ts";

/** A file that an answer cites, by the hash of its text. */
export interface CitedFile {
  hash: string;
  text: string;
}

/** The texts of cited files, each kept once, so that they open after the clone moved on or the one-off was removed. */
export interface CitedFiles {
  /** Keeps those that are not too large. Whether there are too many now. */
  keep(files: readonly CitedFile[]): Promise<{ isFull: boolean }>;
  /** Undefined where it is not kept, or no longer what it was. */
  read(hash: string): Promise<string | undefined>;
  /** Removes what no thread cites, and then, while there are too many, the oldest. */
  collect(cited: ReadonlySet<string>): Promise<void>;
}

/** `fileBytes` is the largest file that is kept, `totalBytes` what all of them may take. */
export interface CitedLimits {
  fileBytes: number;
  totalBytes: number;
}

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

/** How full a collection leaves the folder, so that not each question that follows makes another. */
export const afterCollection = 0.9;

/** Whether the file is there; then it counts as new. */
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
