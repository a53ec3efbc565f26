import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parse as parseYaml } from "yaml";
import { parseJson } from "../../lib/parse-json.ts";

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

/** A folder and its ancestors, nearest first. */
export function foldersUpFrom(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
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
