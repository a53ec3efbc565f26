import { renameSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Error codes on Windows while a virus scanner, an indexer or another reader has the file open. */
const busyCodes = new Set(["EBUSY", "EPERM", "EACCES"]);

/** Retry delays, 1.3 s in total: scanners hold a new file for about 100 ms. */
const delaysMs = [10, 20, 40, 80, 160, 320, 640];

/** Platform and parts to replace in tests. */
export interface RenameOptions {
  /** On platforms other than Windows these errors are permanent and not retried. */
  isWindows?: boolean;
  rename?: (from: string, to: string) => void;
}

/**
 * Renames a file or folder; on Windows it retries while the file is in use.
 * @throws errors of `fs`
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
