import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { parseJson } from "../lib/parse-json.ts";
import { replaceFile } from "../lib/replace-file.ts";

/** `snapshot.json`: describes a stored snapshot, independent of the folder's location. */
export const StoredSnapshot = z.object({
  revision: z.string(),
  fetchedAt: z.iso.datetime(),
  sizeBytes: z.int().nonnegative(),
  fileCount: z.int().nonnegative(),
  /** The size of all files on disk, also of those that are not read. Earlier versions did not store it. */
  diskBytes: z.int().nonnegative().optional(),
  /** Data of the kind of resource for this revision. */
  details: z.record(z.string(), z.string()),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
});
export type StoredSnapshot = z.infer<typeof StoredSnapshot>;

/** `sources/<source>.json`: the state of a source. */
export const Head = z.object({
  /** The current revision. */
  revision: z.string().optional(),
  /** The time of the last successful check for the newest revision. */
  checkedAt: z.iso.datetime().optional(),
  /** The failure since then. */
  failure: z
    .object({ at: z.iso.datetime(), message: z.string(), tag: z.string().optional(), hint: z.string().optional() })
    .optional(),
});
export type Head = z.infer<typeof Head>;

/** The name of a source on disk. */
export function sourceName(key: string): string {
  return shortHash(key);
}

/** The name of the snapshot of a source at a revision on disk. */
export function snapshotName(key: string, revision: string): string {
  return snapshotOfSource(sourceName(key), revision);
}

/** As `snapshotId`, from the name of the source on disk. */
export function snapshotOfSource(source: string, revision: string): string {
  return `${source}-${shortHash(revision)}`;
}

/** Reads a JSON file of the store; undefined if it is missing or damaged, because both are written again. */
export async function readJson<Value>(file: string, schema: z.ZodType<Value>): Promise<Value | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return schema.safeParse(parseJson(text)).data;
}

/** Replaces a JSON file of the store atomically. */
export async function writeJson(file: string, value: object): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** 80 bits: enough where collisions are no attack, and short because of Windows' limit of 260 characters. */
function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}
