import { copyFile, mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { codeOf } from "../../errors.ts";
import { ownedName } from "../../lib/owner.ts";

/** Files that all nodes share, each written once and never changed. */
export interface BlobStore {
  has(name: string): Promise<boolean>;
  /** Copies a blob to a new file; false if there is none. */
  get(name: string, file: string, options: { signal: AbortSignal }): Promise<boolean>;
  /** Stores a file as a blob, whole or not at all. Nodes may store the same one at once. */
  put(name: string, file: string, options: { signal: AbortSignal }): Promise<void>;
  remove(name: string): Promise<void>;
  /** Removes what was not used for a month, if the store does not do so itself. */
  sweep(): Promise<void>;
}

const unusedMs = 30 * 24 * 3600 * 1000;
/** A larger age than any upload takes. */
const incompleteMs = 24 * 3600 * 1000;

/** Blobs in a directory that all nodes mount. */
export function createDirectoryBlobs(directory: string): BlobStore {
  const fileOf = (name: string) => path.join(directory, name);
  return {
    has: async (name) => (await ageMs(fileOf(name))) !== undefined,
    async get(name, file) {
      try {
        await copyFile(fileOf(name), file);
      } catch (error) {
        if (codeOf(error) === "ENOENT") return false;
        throw error;
      }
      // Another node may have removed it meanwhile.
      await utimes(fileOf(name), new Date(), new Date()).catch(() => {});
      return true;
    },
    async put(name, file) {
      await mkdir(directory, { recursive: true });
      const incomplete = fileOf(ownedName(`${name}${incompleteMark}`));
      try {
        await copyFile(file, incomplete);
        await rename(incomplete, fileOf(name));
      } catch (error) {
        await rm(incomplete, { force: true });
        throw error;
      }
    },
    remove: (name) => rm(fileOf(name), { force: true }),
    async sweep() {
      for (const name of (await readdir(directory).catch(() => [])).filter((name) => blobPattern.test(name))) {
        const age = (await ageMs(fileOf(name))) ?? 0;
        if (age > (name.includes(incompleteMark) ? incompleteMs : unusedMs)) await rm(fileOf(name), { force: true });
      }
    },
  };
}

const incompleteMark = ".incomplete";
/** Packs of snapshots, of any format. The folder may also have files that are not ours. */
const blobPattern = /^[\da-f]{20}-[\da-f]{20}\.\d+\.tgz(?:\.incomplete\..+)?$/;

async function ageMs(file: string): Promise<number | undefined> {
  const stats = await stat(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  });
  return stats && Date.now() - stats.mtimeMs;
}
