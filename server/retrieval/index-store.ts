import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat, utimes } from "node:fs/promises";
import path from "node:path";
import { replaceFile } from "../lib/replace-file.ts";
import { createBlockCache } from "./block-cache.ts";
import { DamagedIndex, type IndexFile, openIndexBytes, openIndexFile } from "./index-file.ts";
import { openSegment, readHashes, type Segment } from "./segment.ts";
import { openStoredIndex, packStoredIndex, type StoredIndex } from "./stored-index.ts";

/**
 * Segments and what they are made for. A segment never changes; several processes may write and read at once, and what
 * is damaged or gone is built anew.
 */
export interface IndexStore {
  /** Undefined where there is none that can be read. */
  read(name: string): Promise<StoredIndex | undefined>;
  /** Never rejects: what cannot be kept is built again next time. Gives the index as it is read. */
  write(name: string, index: StoredIndex): Promise<StoredIndex>;
  addSegment(bytes: Uint8Array): Promise<string>;
  /** Stays open while the store is. @throws DamagedIndex */
  open(id: string): Segment;
  /** Of every segment that is kept. */
  segmentIds(): Promise<string[]>;
  /** Of the files of a segment, by number; it is not kept open for that. @throws DamagedIndex */
  hashes(id: string): string[];
  /** Forgets a segment that is damaged. */
  discard(id: string): Promise<void>;
  /** Forgets an index that is damaged, and the segments that it names. */
  forget(name: string): Promise<void>;
}

/** Of all segments that are open; a question reads a small part of an index. */
const blockCacheBytes = 24 * 1024 * 1024;

/** For as long as the process lives. */
export function createMemoryIndexStore(): IndexStore {
  const blocks = createBlockCache({ limitBytes: blockCacheBytes });
  const indexes = new Map<string, Uint8Array>();
  const segments = new Map<string, Segment>();
  const hashes = new Map<string, string[]>();
  return {
    async read(name) {
      const bytes = indexes.get(name);
      return bytes && openStoredIndex(bytes);
    },
    async write(name, index) {
      const bytes = packStoredIndex(index);
      indexes.set(name, bytes);
      return openStoredIndex(bytes);
    },
    async addSegment(bytes) {
      const id = newId();
      const file = openIndexBytes(bytes, { blocks });
      segments.set(id, openSegment(file));
      hashes.set(id, readHashes(file));
      return id;
    },
    open: (id) => segments.get(id) ?? gone(id),
    segmentIds: async () => [...segments.keys()],
    hashes: (id) => hashes.get(id) ?? [],
    async discard(id) {
      segments.delete(id);
      hashes.delete(id);
    },
    async forget(name) {
      indexes.delete(name);
    },
  };
}

/** What is not used for so long goes, and the rest from the oldest on where there is more than this. */
const keptMs = 30 * 24 * 3600 * 1000;
const keptBytes = 2 * 1024 ** 3;
/** A segment is written before the index that names it. */
const orphanMs = 3600 * 1000;

/** In files of a folder: `<name>.index` and `<id>.segment`. */
export function createDiskIndexStore(directory: string): IndexStore {
  const blocks = createBlockCache({ limitBytes: blockCacheBytes });
  const open = new Map<string, Segment>();
  // Where the disk is full or not ours to write on, what is made lasts as long as the process.
  const unwritten = new Map<string, Uint8Array>();
  const unwrittenSegments = new Map<string, IndexFile>();
  const indexFile = (name: string) =>
    path.join(directory, `${createHash("sha256").update(name).digest("hex").slice(0, 40)}.index`);
  const segmentFile = (id: string) => segmentFileIn(directory, id);
  const openFile = (id: string) => unwrittenSegments.get(id) ?? openIndexFile(segmentFile(id), { blocks });
  let collected: Promise<void> | undefined;

  async function read(name: string): Promise<StoredIndex | undefined> {
    const bytes = unwritten.get(name);
    return bytes === undefined ? readIndex(indexFile(name)) : openStoredIndex(bytes);
  }

  async function discard(id: string): Promise<void> {
    open.get(id)?.[Symbol.dispose]();
    open.delete(id);
    unwrittenSegments.delete(id);
    await remove(segmentFile(id));
  }

  return {
    async read(name) {
      const index = await read(name);
      // When it was used last.
      if (index !== undefined) await utimes(indexFile(name), new Date(), new Date()).catch(() => {});
      return index;
    },
    async write(name, index) {
      const bytes = packStoredIndex(index);
      try {
        await writeWhole(indexFile(name), bytes);
        await (collected ??= collect(directory));
      } catch {
        unwritten.set(name, bytes);
      }
      return openStoredIndex(bytes);
    },
    async addSegment(bytes) {
      try {
        return await writeSegment(directory, bytes);
      } catch {
        const id = newId();
        unwrittenSegments.set(id, openIndexBytes(bytes, { blocks }));
        return id;
      }
    },
    open(id) {
      const opened = open.get(id) ?? openSegment(openFile(id));
      open.set(id, opened);
      return opened;
    },
    segmentIds: async () => (await namesIn(directory, ".segment")).map((name) => path.basename(name, ".segment")),
    hashes(id) {
      const inMemory = unwrittenSegments.get(id);
      if (inMemory !== undefined) return readHashes(inMemory);
      using file = openIndexFile(segmentFile(id), { blocks });
      return readHashes(file);
    },
    discard,
    async forget(name) {
      const index = await read(name);
      unwritten.delete(name);
      await remove(indexFile(name));
      for (const id of index?.segments ?? []) await discard(id);
    },
  };
}

/** Gives its id. @throws what `fs` throws */
export async function writeSegment(directory: string, bytes: Uint8Array): Promise<string> {
  const id = newId();
  await writeWhole(segmentFileIn(directory, id), bytes);
  return id;
}

function segmentFileIn(directory: string, id: string): string {
  return path.join(directory, `${id}.segment`);
}

/** A file that a crash left half written reads as damage: nothing waits for the disk. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, bytes, { isPrecious: false });
}

function gone(id: string): never {
  throw new DamagedIndex(`there is no segment ${id}`);
}

function newId(): string {
  return randomBytes(10).toString("hex");
}

async function readIndex(file: string): Promise<StoredIndex | undefined> {
  try {
    return openStoredIndex(await readFile(file));
  } catch {
    return undefined;
  }
}

async function collect(directory: string): Promise<void> {
  const now = Date.now();
  const indexes = await Promise.all(
    (await namesIn(directory, ".index")).map(async (name) => {
      const file = path.join(directory, name);
      const usedAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? 0;
      return { file, usedAt, segments: (await readIndex(file))?.segments };
    }),
  );
  const used = new Set<string>();
  let bytes = 0;
  for (const { file, usedAt, segments } of indexes.sort((a, b) => b.usedAt - a.usedAt)) {
    const own = (segments ?? []).filter((id) => !used.has(id));
    for (const id of own) bytes += (await stat(segmentFileIn(directory, id)).catch(() => undefined))?.size ?? 0;
    if (segments === undefined || now - usedAt > keptMs || bytes > keptBytes) await remove(file);
    else for (const id of own) used.add(id);
  }
  // Also what a process left that was killed while it wrote: such a file has a longer name.
  for (const name of await namesIn(directory, "")) {
    if (name.endsWith(".index")) continue;
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
