import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import writeFileAtomic from "write-file-atomic";
import * as z from "zod";
import { type IndexFile, openIndexBytes, openIndexFile } from "./index-file.ts";
import { openSegment, readHashes, type Segment } from "./segment.ts";

/** Where the texts of a snapshot are, as it was when it was indexed. */
export const StoredIndex = z.object({
  version: z.literal(1),
  /** What the snapshot was: another one of the same name is read against this one. */
  key: z.string(),
  segments: z.array(z.string()),
  files: z.array(
    z.object({
      path: z.string(),
      /** Tells without reading whether the file is still the same; absent where nothing does. */
      stamp: z.string().optional(),
      /** Number in `segments`, and of the file in the segment; absent where it cannot be searched. */
      place: z.tuple([z.int().nonnegative(), z.int().nonnegative()]).optional(),
    }),
  ),
  skipped: z.array(z.object({ path: z.string(), reason: z.string() })),
});
export type StoredIndex = z.infer<typeof StoredIndex>;

/**
 * Segments and what they are made for. A segment never changes; several processes may write and read at once, and what
 * is damaged or gone is built anew.
 */
export interface IndexStore {
  /** Undefined where there is none that can be read. */
  read(name: string): Promise<StoredIndex | undefined>;
  /** Never rejects: what cannot be kept is built again next time. */
  write(name: string, index: StoredIndex): Promise<void>;
  addSegment(bytes: Uint8Array): Promise<string>;
  /** Stays open while the store is. Undefined where it is gone. @throws DamagedIndex */
  open(id: string): Segment | undefined;
  /** Of every segment that is kept. */
  segmentIds(): Promise<string[]>;
  /**
   * Of the files of a segment, by number; it is not kept open for that.
   * @throws DamagedIndex, and what `fs` throws where it is gone
   */
  hashes(id: string): string[];
  /** Forgets what a damaged segment was used for, and the segment. */
  discard(id: string): Promise<void>;
}

/** For as long as the process lives. */
export function createMemoryIndexStore(): IndexStore {
  const indexes = new Map<string, StoredIndex>();
  const segments = new Map<string, Segment>();
  const hashes = new Map<string, string[]>();
  return {
    read: async (name) => indexes.get(name),
    async write(name, index) {
      indexes.set(name, index);
    },
    async addSegment(bytes) {
      const id = newId();
      const file = openIndexBytes(bytes);
      segments.set(id, openSegment(file));
      hashes.set(id, readHashes(file));
      return id;
    },
    open: (id) => segments.get(id),
    segmentIds: async () => [...segments.keys()],
    hashes: (id) => hashes.get(id) ?? [],
    async discard(id) {
      segments.delete(id);
      hashes.delete(id);
    },
  };
}

/** What is not used for so long goes, and the rest from the oldest on where there is more than this. */
const keptMs = 30 * 24 * 3600 * 1000;
const keptBytes = 2 * 1024 ** 3;
/** A segment is written before the index that names it. */
const orphanMs = 3600 * 1000;

/** In files of a folder: `<name>.index` (JSON) and `<id>.segment`. */
export function createDiskIndexStore(directory: string): IndexStore {
  const open = new Map<string, Segment>();
  // Where the disk is full or not ours to write on, what is made lasts as long as the process.
  const unwritten = new Map<string, StoredIndex>();
  const unwrittenSegments = new Map<string, IndexFile>();
  const indexFile = (name: string) =>
    path.join(directory, `${createHash("sha256").update(name).digest("hex").slice(0, 40)}.index`);
  const segmentFile = (id: string) => path.join(directory, `${id}.segment`);
  let collected: Promise<void> | undefined;

  return {
    async read(name) {
      const file = indexFile(name);
      const index = unwritten.get(name) ?? (await readIndex(file));
      // When it was used last.
      if (index !== undefined) await utimes(file, new Date(), new Date()).catch(() => {});
      return index;
    },
    async write(name, index) {
      try {
        await mkdir(directory, { recursive: true });
        await writeFileAtomic(indexFile(name), JSON.stringify(index));
        await (collected ??= collect(directory));
      } catch {
        unwritten.set(name, index);
      }
    },
    async addSegment(bytes) {
      const id = newId();
      try {
        await mkdir(directory, { recursive: true });
        await writeFileAtomic(segmentFile(id), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
      } catch {
        unwrittenSegments.set(id, openIndexBytes(bytes));
      }
      return id;
    },
    open(id) {
      const opened = open.get(id) ?? openSegment(unwrittenSegments.get(id) ?? openIndexFile(segmentFile(id)));
      open.set(id, opened);
      return opened;
    },
    segmentIds: async () => (await namesIn(directory, ".segment")).map((name) => path.basename(name, ".segment")),
    hashes(id) {
      const inMemory = unwrittenSegments.get(id);
      if (inMemory !== undefined) return readHashes(inMemory);
      using file = openIndexFile(segmentFile(id));
      return readHashes(file);
    },
    async discard(id) {
      open.get(id)?.[Symbol.dispose]();
      open.delete(id);
      unwrittenSegments.delete(id);
      await remove(segmentFile(id));
    },
  };
}

function newId(): string {
  return randomBytes(10).toString("hex");
}

async function readIndex(file: string): Promise<StoredIndex | undefined> {
  try {
    return StoredIndex.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

async function collect(directory: string): Promise<void> {
  const now = Date.now();
  const indexes = await Promise.all(
    (await namesIn(directory, ".index")).map(async (name) => {
      const file = path.join(directory, name);
      return { file, usedAt: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0, index: await readIndex(file) };
    }),
  );
  const used = new Set<string>();
  let bytes = 0;
  for (const { file, usedAt, index } of indexes.sort((a, b) => b.usedAt - a.usedAt)) {
    const own = (index?.segments ?? []).filter((id) => !used.has(id));
    for (const id of own)
      bytes += (await stat(path.join(directory, `${id}.segment`)).catch(() => undefined))?.size ?? 0;
    if (index === undefined || now - usedAt > keptMs || bytes > keptBytes) await remove(file);
    else for (const id of own) used.add(id);
  }
  for (const name of await namesIn(directory, ".segment")) {
    const file = path.join(directory, name);
    const age = now - ((await stat(file).catch(() => undefined))?.mtimeMs ?? now);
    if (!used.has(path.basename(name, ".segment")) && age > orphanMs) await remove(file);
  }
}

/** On Windows another process may hold it open; then the next collection takes it. */
async function remove(file: string): Promise<void> {
  await rm(file, { force: true }).catch(() => {});
}

async function namesIn(directory: string, ending: string): Promise<string[]> {
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => name.endsWith(ending));
}
