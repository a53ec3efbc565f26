import { lstat, rm } from "node:fs/promises";
import { codeOf, messageOf } from "../errors.ts";
import type { ConfigLocation } from "./config.ts";
import { configPaths } from "./paths.ts";

/** The result for each configuration file. */
export interface Wiped {
  removed: string[];
  missing: string[];
  failed: { path: string; error: string }[];
}

/** The configuration files, and whether they exist. They are not read, because they may be broken. */
export async function findConfigFiles(location: ConfigLocation): Promise<Pick<Wiped, "missing"> & { there: string[] }> {
  const { projectFile, globalFile } = configPaths(location);
  const files = [...new Set([projectFile, globalFile])];
  const found = await Promise.all(files.map(exists));
  return {
    there: files.filter((_, index) => found[index]),
    missing: files.filter((_, index) => !found[index]),
  };
}

/** Deletes the project's and the global configuration file. Targets of links are kept. */
export async function wipeConfig(location: ConfigLocation): Promise<Wiped> {
  const { there, missing } = await findConfigFiles(location);
  const wiped: Wiped = { removed: [], missing, failed: [] };
  for (const file of there) {
    try {
      await rm(file);
      wiped.removed.push(file);
    } catch (error) {
      if (codeOf(error) === "ENOENT") wiped.missing.push(file);
      else wiped.failed.push({ path: file, error: messageOf(error) });
    }
  }
  return wiped;
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error: unknown) => codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR",
  );
}
