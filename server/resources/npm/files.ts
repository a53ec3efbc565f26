import { readFile, stat } from "node:fs/promises";
import path from "node:path";
import { parseJson } from "../../lib/parse-json.ts";

/** Far above any manifest, lockfile or configuration that a person keeps; a larger one counts as absent. */
const textFileLimitBytes = 64 * 1024 * 1024;

/** The text of a file, or undefined where there is none that can be read. */
export async function readTextFile(file: string): Promise<string | undefined> {
  try {
    const { size } = await stat(file);
    return size > textFileLimitBytes ? undefined : await readFile(file, "utf8");
  } catch {
    return undefined;
  }
}

/** A JSON file's value, or undefined where there is no file or no JSON in it. */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readTextFile(file);
  return text === undefined ? undefined : parseJson(text);
}

/** A folder and those above it, nearest first. */
export function foldersUpFrom(folder: string): string[] {
  const parent = path.dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** A record's own value: a package may be called `constructor`. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
