import { lstat, readdir, readlink } from "node:fs/promises";
import path from "node:path";
import { CitewellError } from "../errors.ts";
import { plainPathFault } from "../lib/plain-path.ts";

/**
 * Validates search paths as starting points of a walk: plain, existing, none below another; `[""]` if there are none.
 * @throws SearchPathNotFound
 */
export async function resolveSearchPaths(root: string, searchPaths: readonly string[]): Promise<string[]> {
  if (searchPaths.length === 0) return [""];
  const below = outermost(searchPaths);
  for (const searchPath of below) {
    const fault = await searchPathFault(root, searchPath);
    if (fault !== undefined) throw fault;
  }
  return below;
}

/** The error for a missing search path, with the nearest existing folder; `folders` are its sub-folders. */
export function searchPathNotFound(
  searchPath: string,
  nearest: { folder: string; folders: readonly string[] },
): CitewellError {
  const where = nearest.folder === "" ? "the root" : nearest.folder;
  const shown = nearest.folders.slice(0, shownFolders).map((name) => `${name}/`);
  const more = nearest.folders.length > shownFolders ? ", …" : "";
  return new CitewellError("SearchPathNotFound", `no search path ${JSON.stringify(searchPath)} at this revision`, {
    hint: shown.length === 0 ? `${where} has no folders` : `folders in ${where}: ${shown.join(", ")}${more}`,
  });
}

const shownFolders = 12;

function outermost(searchPaths: readonly string[]): string[] {
  const unique = [...new Set(searchPaths)];
  return unique.filter((own) => !unique.some((other) => other !== own && own.startsWith(`${other}/`)));
}

/** Checks each part, so that no link is followed on the way. */
async function searchPathFault(root: string, searchPath: string): Promise<CitewellError | undefined> {
  const fault = plainPathFault(searchPath);
  if (fault !== undefined) return new CitewellError("InvalidPath", `${fault}: ${JSON.stringify(searchPath)}`);
  const parts = searchPath.split("/");
  for (const [index, part] of parts.entries()) {
    const folder = parts.slice(0, index).join("/");
    const absolute = path.join(root, folder, part);
    const stats = await lstat(absolute).catch(() => undefined);
    if (stats === undefined)
      return searchPathNotFound(searchPath, { folder, folders: await foldersIn(path.join(root, folder)) });
    if (stats.isSymbolicLink()) {
      const target = await readlink(absolute);
      return new CitewellError(
        "SearchPathNotFound",
        `the search path ${JSON.stringify(searchPath)} goes through a link`,
        {
          hint: `${parts.slice(0, index + 1).join("/")} is a link to ${target}: name that folder instead`,
        },
      );
    }
  }
  return undefined;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== ".git")
    .map((entry) => entry.name)
    .sort();
}
