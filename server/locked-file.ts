import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { CitewellError, codeOf, messageOf } from "./errors.ts";
import { acquireLock } from "./lib/lock.ts";

/**
 * Acquires the lock under which processes change a file; its folder is created. A link and its target share a lock.
 * @throws LockTimeout, StorageFailed
 */
export async function lockForWriting(
  file: string,
  options: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<AsyncDisposable> {
  await writing(file, () => mkdir(path.dirname(file), { recursive: true, mode: 0o700 }));
  const target = await realpath(file).catch(() => file);
  const lock = await writing(file, () => acquireLock(`${target}.lock`, options));
  if (lock !== undefined) return lock;
  const message = `another process has been writing ${file} for ${options.waitMs / 1000} seconds`;
  throw new CitewellError("LockTimeout", message, {
    hint: `try again when it is done; if there is none, remove ${target}.lock`,
  });
}

/** Runs a step that writes a file. @throws StorageFailed (the file system refuses), and other errors of the step */
export async function writing<Result>(file: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step();
  } catch (cause) {
    if (codeOf(cause) === undefined || codeOf(cause) === "ABORT_ERR") throw cause;
    throw new CitewellError("StorageFailed", `cannot write ${file}: ${messageOf(cause)}`, {
      hint: "check the folder's permissions and the free space on the disk",
      cause,
    });
  }
}
