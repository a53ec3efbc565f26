import { CitewellError, codeOf } from "../errors.ts";

interface Reason {
  reason: string;
  hint: string;
}

const reasons: Record<string, Reason> = {
  ENOSPC: { reason: "no space is left on the disk", hint: "free some space, or run: citewell clear" },
  EDQUOT: { reason: "the disk quota is used up", hint: "free some space, or run: citewell clear" },
  EROFS: { reason: "the file system is read-only", hint: "set dataDirectory to a folder that can be written" },
  EACCES: { reason: "permission denied", hint: "give yourself access to it, or set dataDirectory to another folder" },
  EPERM: { reason: "permission denied", hint: "give yourself access to it, or set dataDirectory to another folder" },
  ENOTDIR: { reason: "a part of the path is a file", hint: "set dataDirectory to a folder" },
  EEXIST: { reason: "a file is in the way", hint: "set dataDirectory to a folder" },
  EIO: { reason: "the disk reports an error", hint: "check the disk, or set dataDirectory to a folder on another one" },
  EMFILE: { reason: "too many files are open", hint: "raise the limit of open files (ulimit -n)" },
};

const creationFailure: Reason = {
  reason: "no folder can be made there",
  hint: "check for a read-only file system or a broken link, or set dataDirectory to another folder",
};

/** Converts a file system's error to StorageFailed with path and hint; returns other errors unchanged. */
export function toStorageError(error: unknown, path: string): unknown {
  const known = isCreationFailure(error) ? creationFailure : reasons[codeOf(error) ?? ""];
  if (known === undefined) return error;
  const { reason, hint } = known;
  return new CitewellError("StorageFailed", `cannot write to ${path}: ${reason}`, { hint, cause: error });
}

/**
 * Runs an action that writes below `path`.
 * @throws StorageFailed
 */
export async function storing<Result>(path: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    throw toStorageError(error, path);
  }
}

/** Node's recursive mkdir fails with ENOENT if the system's error was EROFS or EDQUOT. */
function isCreationFailure(error: unknown): boolean {
  return codeOf(error) === "ENOENT" && error instanceof Error && "syscall" in error && error.syscall === "mkdir";
}
