import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import * as z from "zod";
import { parseJson } from "../lib/parse-json.ts";
import { replaceFile } from "../lib/replace-file.ts";

/** `snapshot.json`: what a stored snapshot is. Nothing in it depends on where the folder lies. */
export const StoredSnapshot = z.object({
  revision: z.string(),
  fetchedAt: z.iso.datetime(),
  sizeBytes: z.int().nonnegative(),
  fileCount: z.int().nonnegative(),
  /** What the kind of resource wants to remember with the revision. */
  details: z.record(z.string(), z.string()),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
});
export type StoredSnapshot = z.infer<typeof StoredSnapshot>;

/** `sources/<source>.json`: how a source stands. */
export const Head = z.object({
  /** The revision that questions are answered from. */
  revision: z.string().optional(),
  /** When the origin was last asked for its newest revision, and answered. */
  checkedAt: z.iso.datetime().optional(),
  /** What went wrong since. */
  failure: z.object({ at: z.iso.datetime(), message: z.string() }).optional(),
});
export type Head = z.infer<typeof Head>;

/** What a source is called on disk. */
export function sourceName(key: string): string {
  return shortHash(key);
}

/** What the snapshot of a source at a revision is called on disk. */
export function snapshotName(key: string, revision: string): string {
  return snapshotOfSource(sourceName(key), revision);
}

export function snapshotOfSource(source: string, revision: string): string {
  return `${source}-${shortHash(revision)}`;
}

/** A file of ours; undefined where it is not there or damaged, which is the same to us: it is made anew. */
export async function readJson<Value>(file: string, schema: z.ZodType<Value>): Promise<Value | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  return schema.safeParse(parseJson(text)).data;
}

export async function writeJson(file: string, value: object): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

/** 80 bits: enough for names that nobody gains from making collide, and short for Windows' limit of 260 characters. */
function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 20);
}
