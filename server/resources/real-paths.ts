import { realpath, stat } from "node:fs/promises";

/** A path without links; undefined where nothing is there, or nothing that may be read. */
export async function realPath(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined);
}

/** The same of a regular file, and of nothing else. */
export async function realFile(file: string): Promise<string | undefined> {
  try {
    const real = await realpath(file);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
