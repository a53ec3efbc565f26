import type { FileEntry } from "../resources/snapshot.ts";

const limitBytes = 16 * 1024 * 1024;

/** Whether the index of a tree is whole in a moment: what searches it waits for that. */
export function isSmallTree(files: readonly FileEntry[]): boolean {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) < limitBytes;
}
