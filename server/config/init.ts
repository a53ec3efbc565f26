import { writeFile } from "node:fs/promises";
import { CitewellError, codeOf, messageOf } from "../errors.ts";
import type { ConfigLocation } from "./config.ts";
import { configPaths, legacyDataFolder } from "./paths.ts";
import { replaceFile } from "../lib/replace-file.ts";

/** Where to store what a project fetches: in the project's own folder, or in the user's data directory. */
export type StorageMode = "local" | "global";

/**
 * Creates the project's configuration file. An existing one is replaced only on request.
 * @throws AlreadyExists, InvalidUsage (in the folder of the global file), StorageFailed
 */
export async function initProject(
  location: ConfigLocation,
  { storage, replaces }: { storage: StorageMode; replaces: boolean },
): Promise<{ path: string; dataDirectory: string }> {
  const { projectFile, globalFile, legacyDataDirectory, dataDirectory } = configPaths(location);
  if (projectFile === globalFile) {
    throw new CitewellError("InvalidUsage", `${globalFile} is the global configuration: this folder is not a project`, {
      hint: "run it in your project's folder",
    });
  }
  try {
    if (replaces) await replaceFile(projectFile, texts[storage]);
    else await writeFile(projectFile, texts[storage], { flag: "wx" });
  } catch (cause) {
    if (codeOf(cause) === "EEXIST") {
      throw new CitewellError("AlreadyExists", `${projectFile} already exists`, {
        hint: "citewell init --force replaces it",
        cause,
      });
    }
    throw new CitewellError("StorageFailed", `cannot write ${projectFile}: ${messageOf(cause)}`, { cause });
  }
  return { path: projectFile, dataDirectory: storage === "local" ? legacyDataDirectory : dataDirectory };
}

const head = `  // The settings in this file override the global configuration in this folder.
  // "provider" and "model" can be set as well; never put keys here, use: citewell connect
`;

const resources = `  // Resources in addition to the global ones: citewell add <url, folder or npm:package>
  "resources": [],
`;

const texts: Record<StorageMode, string> = {
  local: `{
${head}
${resources}
  // The folder for fetched resources and conversations of this project.
  "dataDirectory": "${legacyDataFolder}",
}
`,
  global: `{
${head}
${resources}}
`,
};
