import { codeOf } from "../../errors.ts";
import { isAbsolutePath } from "../../protocol/resource-fields.ts";

/** Several times the unpacked size of the largest packages in use. */
export const unpackedLimits = { entries: 200_000, bytes: 2 * 1024 * 1024 * 1024 };
export const overLimitFault = "unpacks to more than any package needs";
/** Linux allows no longer path, and other systems hardly any: https://man7.org/linux/man-pages/man3/realpath.3.html */
const pathLimit = 4096;

/**
 * Counts the entries of an archive and their bytes. The returned function adds one, and returns whether they are over the
 * limits. Folders that only the path of an entry names are counted too, because unpacking creates them.
 */
export function createUnpackCount(): (entryPath: string, sizeBytes: number) => boolean {
  const folders = new Set<string>();
  let entries = 0;
  let bytes = 0;
  return (entryPath, sizeBytes) => {
    entries += 1;
    bytes += sizeBytes;
    let folder = parentOf(entryPath);
    while (folder !== "" && !folders.has(folder) && entries <= unpackedLimits.entries) {
      folders.add(folder);
      entries += 1;
      folder = parentOf(folder);
    }
    return entries > unpackedLimits.entries || bytes > unpackedLimits.bytes;
  };
}

function parentOf(entryPath: string): string {
  return entryPath.slice(0, Math.max(0, entryPath.lastIndexOf("/")));
}

/** Whether an archive's entry points out of the folder on any platform: on Windows, a backslash is a separator. */
export function leavesFolder(entryPath: string): boolean {
  return isAbsolutePath(entryPath) || entryPath.split(/[/\\]/).includes("..");
}

/** Why a path must not be unpacked: because of the folder `reserved`, or of its length; undefined if it may be. */
export function pathReason(path: string, reserved: string): string | undefined {
  if (path.length > pathLimit) return "its path is too long";
  // Some file systems ignore case.
  const isReserved = path.split("/")[0]?.toLowerCase() === reserved.toLowerCase();
  return isReserved ? "its folder is reserved for the package's pages" : undefined;
}

/** Errors of the disk that are about one entry's name, such as one that is also a folder's. */
const nameCodes: ReadonlySet<string> = new Set(["EEXIST", "EILSEQ", "EINVAL", "EISDIR", "ENAMETOOLONG", "ENOTDIR"]);

/** Why an entry was not written, if the disk refused its name; undefined for other errors. */
export function refusedNameReason(error: unknown): string | undefined {
  const code = codeOf(error) ?? "";
  return nameCodes.has(code) ? `the disk refuses its name (${code})` : undefined;
}
