import { createHash } from "node:crypto";
import { readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { exists, foldersUpFrom, readTextFile } from "../files.ts";
import type { PackageLocation } from "../package-location.ts";
import { hasManifest } from "./declared.ts";

/** A virtual environment, or one of conda. */
export interface Environment {
  /** The name in answers: `.venv`. */
  label: string;
  /** The real paths of its folders with installed packages. */
  sitePackages: readonly string[];
  /** The folder with the interpreter that it is of. */
  home: string;
}

const usualNames = [".venv", "venv", "env"];

/**
 * The environments around a folder, nearest first: the active one, those beside the folder and above it in its project,
 * conda's, and those that Poetry and Pipenv keep for these folders.
 */
export async function findEnvironments({ cwd, env, homeDirectory, platform }: PackageLocation): Promise<Environment[]> {
  const above = await projectFolders(cwd);
  const active = [env["VIRTUAL_ENV"], env["CONDA_PREFIX"]].map((folder) => (folder ? [folder] : []));
  const [virtual = [], conda = []] = active;
  const beside = above.flatMap((folder) => usualNames.map((name) => path.join(folder, name)));
  const central = await centralEnvironments(above, { env, homeDirectory, platform });
  const found: Environment[] = [];
  for (const folder of new Set([...virtual, ...beside, ...conda, ...central])) {
    const sitePackages = await sitePackagesOf(folder);
    if (sitePackages.length > 0) found.push({ label: labelOf(folder, cwd), sitePackages, home: await homeOf(folder) });
  }
  return found;
}

/** The folders that a project's own environment may be beside: up to its repository's root, else its topmost manifest's. */
async function projectFolders(cwd: string): Promise<string[]> {
  const above = foldersUpFrom(cwd);
  let top = 0;
  for (const [at, folder] of above.entries()) {
    if (await exists(path.join(folder, ".git"))) return above.slice(0, at + 1);
    if (await hasManifest(folder)) top = at;
  }
  return above.slice(0, top + 1);
}

/** An environment of conda has its own interpreter. */
async function homeOf(folder: string): Promise<string> {
  const settings = (await readTextFile(path.join(folder, "pyvenv.cfg"))) ?? "";
  const named = /^home\s*=\s*(.+?)\s*$/m.exec(settings)?.[1] ?? "";
  return path.isAbsolute(named) ? named : path.join(folder, "bin");
}

/** A folder below the project is named by its path, another one by its name. */
function labelOf(folder: string, cwd: string): string {
  const relative = path.relative(cwd, folder);
  const isAround = foldersUpFrom(cwd).includes(path.dirname(folder)) || !relative.startsWith("..");
  return isAround ? relative.split(path.sep).join("/") : path.basename(folder);
}

async function sitePackagesOf(folder: string): Promise<string[]> {
  const isEnvironment =
    (await exists(path.join(folder, "pyvenv.cfg"))) || (await exists(path.join(folder, "conda-meta")));
  if (!isEnvironment) return [];
  const unix = ["lib", "lib64"].map(async (lib) => {
    const names = await readdir(path.join(folder, lib)).catch(() => []);
    return names.filter((name) => /^(?:python|pypy)\d/.test(name)).map((name) => path.join(folder, lib, name));
  });
  const libraries = [...(await Promise.all(unix)).flat(), path.join(folder, "Lib")];
  const places = libraries.map((library) => realpath(path.join(library, "site-packages")).catch(() => undefined));
  return [...new Set((await Promise.all(places)).filter((place) => place !== undefined))];
}

/** `<name>-<hash of the project's folder>-py3.12` of Poetry, `<folder>-<hash of its Pipfile>` of Pipenv. */
async function centralEnvironments(
  projects: readonly string[],
  { env, homeDirectory, platform }: Pick<PackageLocation, "env" | "homeDirectory" | "platform">,
): Promise<string[]> {
  const caches = { darwin: ["Library", "Caches"], win32: ["AppData", "Local"] };
  const cache = path.join(
    homeDirectory,
    ...(platform === "darwin" || platform === "win32" ? caches[platform] : [".cache"]),
  );
  const poetry = path.join(env["POETRY_CACHE_DIR"] ?? path.join(cache, "pypoetry"), "virtualenvs");
  const pipenv = env["WORKON_HOME"] ?? path.join(homeDirectory, ".local", "share", "virtualenvs");
  const hashOf = (text: string, bytes: number) =>
    createHash("sha256").update(text).digest().subarray(0, bytes).toString("base64url").slice(0, 8);
  const inPoetry = await readdir(poetry).catch(() => []);
  const inPipenv = await readdir(pipenv).catch(() => []);
  return projects.flatMap((project) => [
    ...inPoetry.filter((name) => name.includes(`-${hashOf(project, 32)}-py`)).map((name) => path.join(poetry, name)),
    ...inPipenv
      .filter((name) => name.endsWith(`-${hashOf(path.join(project, "Pipfile"), 6)}`))
      .map((name) => path.join(pipenv, name)),
  ]);
}
