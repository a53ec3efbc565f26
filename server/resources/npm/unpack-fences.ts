import { isAbsolutePath } from "../../protocol/resource-fields.ts";

/** Several times what the largest packages in use unpack to. */
export const unpackedLimits = { entries: 200_000, bytes: 2 * 1024 * 1024 * 1024 };

/** Whether an archive's entry points out of the folder, on any platform: Windows takes a backslash for a separator, too. */
export function leavesFolder(entryPath: string): boolean {
  return isAbsolutePath(entryPath) || entryPath.split(/[/\\]/).includes("..");
}

/** Why a path must not be unpacked where the folder `reserved` is ours, or undefined. */
export function reservedReason(path: string, reserved: string): string | undefined {
  // Disks that do not tell case apart would take both for one.
  const isReserved = path.split("/")[0]?.toLowerCase() === reserved.toLowerCase();
  return isReserved ? "its folder is kept for the package's pages" : undefined;
}
