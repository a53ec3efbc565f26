import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { renameWhenFree } from "./rename.ts";

/** Mode and durability of the new file. */
export interface ReplaceOptions {
  /** The mode of the new file; default: the mode of the old one. */
  mode?: number;
  /** Whether to flush to disk, for data that cannot be recreated. */
  isPrecious?: boolean;
}

/**
 * Replaces a file atomically with a temporary file and a rename: readers see the old or the new content, and the old file
 * survives a full disk. Follows symbolic links. `write-file-atomic` is not used because it accepts a partial write on a
 * full disk.
 * @throws errors of `fs`
 */
export async function replaceFile(
  file: string,
  data: string | Uint8Array,
  { mode, isPrecious = true }: ReplaceOptions = {},
): Promise<void> {
  // Synchronous (except for retries of the rename on Windows), so that a process that exits between two turns of the event
  // loop leaves no temporary file. Files have a few megabytes at most.
  const before = statSync(file, { throwIfNoEntry: false });
  const target = before === undefined ? file : realpathSync(file);
  const part = `${target}.${randomBytes(8).toString("hex")}`;
  try {
    const descriptor = openSync(part, "wx", mode ?? before?.mode);
    try {
      if (before !== undefined) keepOwner(descriptor, before);
      if (mode === undefined && before !== undefined) fchmodSync(descriptor, before.mode);
      writeFileSync(descriptor, data);
      if (isPrecious) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    await renameWhenFree(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Ignores errors: only root may change owners, and some file systems have none. */
function keepOwner(descriptor: number, { uid, gid }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid === uid && own.gid === gid) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    return;
  }
}
