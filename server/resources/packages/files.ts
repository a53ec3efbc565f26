import { access, readdir, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import picomatch from "picomatch";
import { parse as parseYaml } from "yaml";
import { parseJson } from "../../lib/parse-json.ts";
import type { PackageLocation } from "./package-location.ts";

/** The limit in bytes: far above any real manifest, lockfile or configuration. A larger file counts as absent. */
const textFileLimitBytes = 64 * 1024 * 1024;

/** The text of a file; undefined if it cannot be read. */
export async function readTextFile(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    return size > textFileLimitBytes ? undefined : await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}

/** The value of a JSON file; undefined if it cannot be read or parsed. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readTextFile(file);
  return text === undefined ? undefined : parseJson(text);
}

/** The value of a YAML file; undefined if it cannot be read or parsed. */
export async function readYamlFile(file: string): Promise<unknown> {
  const text = await readTextFile(file);
  try {
    return text === undefined ? undefined : parseYaml(text, { logLevel: "silent" });
  } catch {
    return undefined;
  }
}

/** The real paths of programs, without their ending on Windows, in the folders of `PATH`. They are not run. */
export async function programsOnPath(
  names: readonly string[],
  { env, platform }: Pick<PackageLocation, "env" | "platform">,
): Promise<string[]> {
  const isWindows = platform === "win32";
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(isWindows ? ";" : ":");
  const files = folders
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) =>
      names.map((name) => path.join(folder, isWindows ? `${name}${name === "mvn" ? ".cmd" : ".exe"}` : name)),
    );
  const found = await Promise.all(files.map((file) => realpath(file).catch(() => undefined)));
  return found.filter((file) => file !== undefined);
}

/** Whether there is a file or folder at a path. */
export function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** A folder in words, as a list; empty if it is not there. */
export async function placeOnDisk(folder: string, label = ""): Promise<string[]> {
  return (await exists(folder)) ? [`${label}${folder}`] : [];
}

/** A folder and its ancestors, nearest first. */
export function foldersUpFrom(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** Deeper than workspaces nest packages. */
const depthLimit = 6;
const notSources = ["node_modules", ".git", "target"];

/** The folders that a pattern of a workspace's file means: `crates/one`, `crates/*`, `libs/**`. */
export async function expandFolders(root: string, pattern: string): Promise<string[]> {
  const { base, glob, isGlob } = picomatch.scan(pattern.replace(/^(?:\.?\/)+|\/+$/g, ""));
  const top = path.join(root, base);
  if (!isGlob) return [top];
  const isMatch = picomatch(glob);
  const depth = glob.includes("**") ? depthLimit : glob.split("/").length;
  const found: string[] = [];
  const visit = async (folder: string, left: number): Promise<void> => {
    const entries = left === 0 ? [] : await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isDirectory() || notSources.includes(entry.name)) continue;
      const child = path.join(folder, entry.name);
      if (isMatch(path.relative(top, child).split(path.sep).join("/"))) found.push(child);
      await visit(child, left - 1);
    }
  };
  await visit(top, depth);
  return found;
}

/**
 * A path that a project's file names, as an absolute one; undefined for a network path: Windows signs in to its host,
 * which an untrusted project must not choose.
 */
export function projectPath(folder: string, text: string): string | undefined {
  return /^[\\/]{2}/.test(text) ? undefined : path.resolve(folder, text);
}

/** A record's own property: a package may be called `constructor`. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
