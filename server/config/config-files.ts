import { access } from "node:fs/promises";
import type { ConfigFiles } from "../protocol/config.ts";
import type { ConfigLocation } from "./config.ts";
import { configPaths } from "./paths.ts";

/** The paths of the configuration files, including broken and missing ones, so that the user can open them. */
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
