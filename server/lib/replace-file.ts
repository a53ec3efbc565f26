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

export interface ReplaceOptions {
  /** Of a file that is to have these rights; without it, those of the one before stay. */
  mode?: number;
  /** Whether to wait for the disk: for what cannot be made again. */
  isPrecious?: boolean;
}

/**
 * Writes beside a file, then puts it in its place: whoever reads it finds the one or the other, whole, and where the disk
 * is full the one before stays. Of a link, the file behind it is replaced. Not by `write-file-atomic`, which takes a file
 * for whole of which only the beginning fitted on the disk.
 * @throws what `fs` throws
 */
export async function replaceFile(
  file: string,
  data: string | Uint8Array,
  { mode, isPrecious = true }: ReplaceOptions = {},
): Promise<void> {
  // Without a turn of the event loop (but where Windows makes the rename wait): what ends the process between two turns
  // leaves nothing behind, and files are a few megabytes at most.
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

/** Only the superuser may give files away, and not every file system knows of owners. */
function keepOwner(descriptor: number, { uid, gid }: Stats): void {
  const own = fstatSync(descriptor);
  if (own.uid === uid && own.gid === gid) return;
  try {
    fchownSync(descriptor, uid, gid);
  } catch {
    return;
  }
}
