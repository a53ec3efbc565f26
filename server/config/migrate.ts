import { stat } from "node:fs/promises";
import { messageOf } from "../errors.ts";
import { setValue } from "./edit.ts";
import { absentFile, type ConfigDocument, editConfigFile, readConfigFile } from "./file.ts";
import { type ConfigPaths, legacyDataFolder } from "./paths.ts";

/**
 * Reads the project's file. If it has no data directory but is beside a `.citewell` folder of an old version, that
 * folder is written into it. If it cannot be written, or is only read, the folder is used without writing.
 * @throws ConfigInvalid
 */
export async function readMigratedProject(
  paths: ConfigPaths,
  { isReadOnly }: ReadOptions = {},
): Promise<ConfigDocument> {
  const { globalFile, projectFile, legacyDataDirectory } = paths;
  // The folder of the global file is not a project.
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

/** How configuration files may be read. */
export interface ReadOptions {
  /** Set by commands that only show things: nothing is written. */
  isReadOnly?: boolean;
}

async function isFolder(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  return found?.isDirectory() ?? false;
}
