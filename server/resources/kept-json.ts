import { statSync } from "node:fs";
import type * as z from "zod";
import { readJson } from "./stored.ts";

/** How many values are kept: those that were read last. Each has some kilobytes at most. */
const mostValues = 10_000;

/**
 * Reads JSON files of the store, as `readJson`, and keeps their values until the files are replaced: a list of a
 * thousand resources reads two thousand. Reading a file takes four calls in other threads, which cost ten times as much
 * as one `stat` in this thread.
 */
export function createKeptJson<Value>(schema: z.ZodType<Value>): (file: string) => Promise<Value | undefined> {
  const kept = new Map<string, { version: string; value: Value | undefined }>();
  return async (file) => {
    const version = versionOf(file);
    const found = kept.get(file);
    kept.delete(file);
    if (version === undefined) return undefined;
    const current = found?.version === version ? found : { version, value: await readJson(file, schema) };
    kept.set(file, current);
    const [oldest] = kept.keys();
    if (kept.size > mostValues && oldest !== undefined) kept.delete(oldest);
    return current.value;
  };
}

/** Files of the store are replaced, never changed: a new version is another file. Undefined if it cannot be read. */
function versionOf(file: string): string | undefined {
  try {
    const { ino, size, mtimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return undefined;
  }
}
