import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import { type Family, languageOf } from "../source/languages.ts";
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
  "meson.build",
  "configure.ac",
  "MODULE.bazel",
  "WORKSPACE",
  "build.zig",
  "dune-project",
  "stack.yaml",
  "rebar.config",
];

/** Files at the root of a source tree, whatever builds it. */
const rootFile = /^(?:(?:gnu)?makefile|configure|(?:licen[cs]e|copying)(?:[.-].*)?|.*\.(?:sln|gemspec|cabal))$/i;
const readme = /^readme(?:\..*)?$/i;

/** Families of languages that are not programs. */
const texts: ReadonlySet<Family> = new Set(["markdown", "rst", "sections", "none"]);

/** Folders of the home directory that hold anything, on the usual systems. */
const personalFolders = new Set(
  ["applications", "appdata", "desktop", "documents", "downloads", "library", "movies", "music"].concat([
    "onedrive",
    "pictures",
    "public",
    "templates",
    "tmp",
    "videos",
    "bin",
    "snap",
    "go",
  ]),
);

/** Folders at the root of a drive that belong to the system. */
const systemFolders = new Set(
  [
    "applications",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "library",
    "lib64",
    "media",
    "mnt",
    "opt",
    "private",
  ].concat(
    ["proc", "root", "run", "sbin", "srv", "sys", "system", "tmp", "users", "usr", "var", "volumes", "windows"],
    ["program files", "program files (x86)", "programdata", "temp"],
  ),
);

/** How deep below a folder its first source file may be. */
const sourceDepth = 3;
/** More entries are not read to find one. */
const entryLimit = 2000;

/** The place of a person or a document. */
type Place = Pick<ConfigLocation, "cwd" | "homeDirectory">;

/**
 * The root of the project that a person is in: of the marked project, else of a tree of source files around the folder.
 */
export async function findProject(place: Place): Promise<string | undefined> {
  const { cwd, homeDirectory } = place;
  const marked = await findMarkedProject(place);
  return marked ?? findSourceFolder(foldersUpFrom(cwd, homeDirectory), path.resolve(homeDirectory));
}

/**
 * The root of the project that a file belongs to: the nearest folder upwards with a repository, else with a manifest;
 * undefined if there is none. The home directory and the folders above it are never a project, because users keep
 * dotfiles in a repository there.
 */
export async function findMarkedProject({ cwd, homeDirectory }: Place): Promise<string | undefined> {
  const folders = foldersUpFrom(cwd, homeDirectory);
  return (await findFolderWith(folders, repositoryMarkers)) ?? findFolderWith(folders, manifests);
}

/**
 * The outermost folder that looks like the root of a source tree, else the outermost of the folders with source files
 * that follow one another upwards. Folders for anything (downloads, temporary files, several projects) do not count.
 * @param folders innermost first
 */
async function findSourceFolder(folders: readonly string[], home: string): Promise<string | undefined> {
  const ends = folders.findIndex((folder) => isForAnything(folder, home));
  const inside = ends === -1 ? folders : folders.slice(0, ends);
  const [innermost] = inside;
  if (innermost === undefined) return undefined;
  const contents = await Promise.all(inside.map(async (folder) => ({ folder, entries: await entriesOf(folder) })));
  const shelves = await Promise.all(contents.map(({ folder, entries }) => isShelf(folder, entries)));
  const shelf = shelves.indexOf(true);
  const own = shelf === -1 ? contents : contents.slice(0, shelf);
  const roots = own.filter(({ entries }) => entries.some(({ name }) => rootFile.test(name) || readme.test(name)));
  for (const { folder } of roots.toReversed()) if (await hasSource(folder)) return folder;
  const without = own.findIndex(({ entries }) => !entries.some(isSource));
  const chain = without === -1 ? own : own.slice(0, without);
  return chain.at(-1)?.folder ?? (own.length > 0 && (await hasSource(innermost)) ? innermost : undefined);
}

function isForAnything(folder: string, home: string): boolean {
  const name = path.basename(folder).toLowerCase();
  const parent = path.dirname(folder);
  if (parent === home && personalFolders.has(name)) return true;
  const { root } = path.parse(folder);
  if (parent === root) return systemFolders.has(name);
  // `/var/tmp`, `/usr/local`, `/private/tmp`.
  const isNested = path.dirname(parent) === root && systemFolders.has(path.basename(parent).toLowerCase());
  return isNested && ["tmp", "temp", "local", "src", "share", "lib"].includes(name);
}

/** A folder of several projects, without files of its own that belong to one. */
async function isShelf(folder: string, entries: readonly Dirent[]): Promise<boolean> {
  if (entries.some(({ name }) => rootFile.test(name))) return false;
  const marks = [...repositoryMarkers, ...manifests];
  const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith(".")).slice(0, 100);
  const found = await Promise.all(
    below.map(async ({ name }) => {
      const inner = await entriesOf(path.join(folder, name));
      return inner.some((entry) => marks.includes(entry.name) || rootFile.test(entry.name) || readme.test(entry.name));
    }),
  );
  return found.filter(Boolean).length > 1;
}

async function hasSource(folder: string): Promise<boolean> {
  let level = [folder];
  let left = entryLimit;
  for (let depth = 0; depth <= sourceDepth && left > 0; depth++) {
    const next: string[] = [];
    for (const current of level) {
      const entries = (await entriesOf(current)).slice(0, left);
      left -= entries.length;
      if (entries.some(isSource)) return true;
      const folders = entries.filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name));
      next.push(...folders.map(({ name }) => path.join(current, name)));
    }
    level = next;
  }
  return false;
}

function isSource(entry: Dirent): boolean {
  return entry.isFile() && !entry.name.startsWith(".") && !texts.has(languageOf(entry.name).family);
}

/** Empty for a folder that cannot be read. */
async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
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
