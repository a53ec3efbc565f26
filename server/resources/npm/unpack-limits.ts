import { isAbsolutePath } from "../../protocol/resource-fields.ts";

/** Several times the unpacked size of the largest packages in use. */
export const unpackedLimits = { entries: 200_000, bytes: 2 * 1024 * 1024 * 1024 };

/** Whether an archive's entry points out of the folder on any platform: on Windows, a backslash is a separator. */
export function leavesFolder(entryPath: string): boolean {
  return isAbsolutePath(entryPath) || entryPath.split(/[/\\]/).includes("..");
}

/** Why a path must not be unpacked because of the folder `reserved`; undefined if it may be. */
export function reservedReason(path: string, reserved: string): string | undefined {
  // Some file systems ignore case.
  const isReserved = path.split("/")[0]?.toLowerCase() === reserved.toLowerCase();
  return isReserved ? "its folder is reserved for the package's pages" : undefined;
}
