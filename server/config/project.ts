import { stat } from "node:fs/promises";
import path from "node:path";
import type { ConfigLocation } from "./config.ts";

/** Version control directories. Git's is a file in a worktree or submodule. */
const repositoryMarkers = [".git", ".hg", ".jj", ".svn"];

/** Files found only at the root of a package or build, for the most common languages. */
const manifests = [
  "package.json",
  "deno.json",
  "pyproject.toml",
  "setup.py",
  "Cargo.toml",
  "go.mod",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  "Gemfile",
  "composer.json",
  "mix.exs",
  "pubspec.yaml",
  "Package.swift",
  "CMakeLists.txt",
];

/**
 * The root of the project that contains the working directory: the nearest folder upwards with a repository, else with
 * a manifest; undefined if there is none. The home directory and the folders above it are never a project, because
 * users keep dotfiles in a repository there.
 */
export async function findProject({
  cwd,
  homeDirectory,
}: Pick<ConfigLocation, "cwd" | "homeDirectory">): Promise<string | undefined> {
  const folders = foldersUpFrom(cwd, homeDirectory);
  return (await findFolderWith(folders, repositoryMarkers)) ?? (await findFolderWith(folders, manifests));
}

function foldersUpFrom(cwd: string, homeDirectory: string): string[] {
  const home = path.resolve(homeDirectory);
  const folders: string[] = [];
  for (let folder = path.resolve(cwd); !isAtOrAbove(folder, home); folder = path.dirname(folder)) folders.push(folder);
  return folders;
}

/** The root directory is above everything, on every drive. */
function isAtOrAbove(folder: string, home: string): boolean {
  if (path.dirname(folder) === folder) return true;
  const relative = path.relative(folder, home);
  return !path.isAbsolute(relative) && relative !== ".." && !relative.startsWith(`..${path.sep}`);
}

async function findFolderWith(folders: readonly string[], names: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    const found = await Promise.all(names.map((name) => exists(path.join(folder, name))));
    if (found.includes(true)) return folder;
  }
  return undefined;
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
