import { access } from "node:fs/promises";
import type { ConfigFiles } from "../protocol/config.ts";
import type { ConfigLocation } from "./config.ts";
import { configPaths } from "./paths.ts";

/** Where the files are, so that a person can open one that cannot be read, too, or that is still to be written. */
export async function findConfigFiles(location: ConfigLocation): Promise<ConfigFiles> {
  const { projectFile, globalFile } = configPaths(location);
  const global = { path: globalFile, exists: await exists(globalFile) };
  if (projectFile === globalFile) return { project: null, global };
  return { project: { path: projectFile, exists: await exists(projectFile) }, global };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
