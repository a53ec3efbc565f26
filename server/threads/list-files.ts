import { readdir, stat } from "node:fs/promises";
import path from "node:path";

/** A file in a folder. */
export interface ListedFile {
  name: string;
  sizeBytes: number;
  /** Milliseconds since the epoch. */
  changedAt: number;
}

/** Lists the files of a folder, oldest first. A missing folder is empty; files removed meanwhile are skipped. */
export async function listFiles(directory: string): Promise<ListedFile[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const listed = entries
    .filter((entry) => entry.isFile())
    .map(async ({ name }) => {
      const stats = await stat(path.join(directory, name)).catch(() => undefined);
      return stats === undefined ? [] : [{ name, sizeBytes: stats.size, changedAt: stats.mtimeMs }];
    });
  return (await Promise.all(listed)).flat().toSorted((a, b) => a.changedAt - b.changedAt);
}
