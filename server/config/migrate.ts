import { stat } from "node:fs/promises";
import { messageOf } from "../errors.ts";
import { setValue } from "./edit.ts";
import { absentFile, type ConfigDocument, editConfigFile, readConfigFile } from "./file.ts";
import { type ConfigPaths, legacyDataFolder } from "./paths.ts";

/**
 * The project's file. One that does not say where data is kept, beside a `.citewell` folder from the time before it
 * could, gets that folder written into it; where it cannot be written, or is only looked at, the folder counts all the
 * same.
 * @throws ConfigInvalid
 */
export async function readMigratedProject(
  paths: ConfigPaths,
  { isReadOnly }: ReadOptions = {},
): Promise<ConfigDocument> {
  const { globalFile, projectFile, legacyDataDirectory } = paths;
  // In the global file's own folder there is no project.
  if (projectFile === globalFile) return absentFile(projectFile);
  const document = await readConfigFile(projectFile);
  if (!document.exists || document.value.dataDirectory !== undefined) return document;
  if (!(await isFolder(legacyDataDirectory))) return document;
  const migrated = { ...document, value: { ...document.value, dataDirectory: legacyDataFolder } };
  if (isReadOnly === true) return migrated;
  try {
    await editConfigFile(projectFile, ({ text, value }) =>
      value.dataDirectory === undefined ? setValue(text, ["dataDirectory"], legacyDataFolder) : text,
    );
    return await readConfigFile(projectFile);
  } catch (error) {
    const warning = `"dataDirectory": "${legacyDataFolder}" belongs into it: ${messageOf(error)}`;
    return { ...migrated, warnings: [...document.warnings, `${projectFile}: ${warning}`] };
  }
}

export interface ReadOptions {
  /** For commands that only show what there is: then nothing is written. */
  isReadOnly?: boolean;
}

async function isFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
