import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Windows reports these while a virus scanner, an indexer or another reader has the file open. */
const busyCodes = new Set(["EBUSY", "EPERM", "EACCES"]);

/** 1.3 s in all: scanners hold a new file for some 100 ms. */
const delaysMs = [10, 20, 40, 80, 160, 320, 640];

export interface RenameOptions {
  /** Elsewhere these errors do not pass by themselves, and are thrown at once. */
  isWindows?: boolean;
  rename?: (from: string, to: string) => void;
}

/**
 * Renames a file or folder, on Windows again and again while it is in use.
 * @throws what `fs` throws
 */
export async function renameWhenFree(
  from: string,
  to: string,
  { isWindows = process.platform === "win32", rename = renameSync }: RenameOptions = {},
): Promise<void> {
  for (const delayMs of isWindows ? delaysMs : []) {
    try {
      return rename(from, to);
    } catch (error) {
      if (!isBusy(error)) throw error;
      await sleep(delayMs);
    }
  }
  rename(from, to);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && busyCodes.has(String(error.code));
}
