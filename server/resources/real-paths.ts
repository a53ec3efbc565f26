import { realpath, stat } from "node:fs/promises";

/** A path without links; undefined if it does not exist or is not accessible. */
export async function realPath(file: string): Promise<string | undefined> {
  return realpath(file).catch(() => undefined);
}

/** As `realPath`, for regular files only. */
export async function realFile(file: string): Promise<string | undefined> {
  try {
    const real = await realpath(file);
    return (await stat(real)).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
