import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import { type BlockCacheLimits, createBlockCache } from "../format/block-cache.ts";
import { createDescriptors } from "../format/descriptors.ts";
import { DamagedIndex, identityOf, type IndexFile, openIndexBytes, openIndexFile } from "../format/index-file.ts";
import { collectIndexes } from "./collect-indexes.ts";
import { lockFile, markUsed, namesIn, readIndex, remove, segmentFileIn, writeWhole } from "./index-folder.ts";
import { openSegment, readHashes, type Segment } from "./segment.ts";
import { openStoredIndex, packStoredIndex, type StoredIndex } from "./stored-index.ts";

/**
 * Segments and what they are made for. A segment never changes; several processes may write and read at once, and what
 * is damaged or gone is built anew.
 */
export interface IndexStore {
  /**
   * Waits until no other process indexes that name in the background; searches do not wait for it.
   * @throws the signal's reason, or what `fs` throws
   */
  lock(name: string, options: { signal: AbortSignal }): Promise<AsyncDisposable | undefined>;
  /** Undefined if there is none that can be read. */
  read(name: string): Promise<StoredIndex | undefined>;
  /** Never rejects: an index that cannot be stored is built again next time. Returns the index as `read` does. */
  write(name: string, index: StoredIndex): Promise<StoredIndex>;
  addSegment(bytes: Uint8Array): Promise<string>;
  /** The same one as long as somebody holds it. @throws DamagedIndex */
  open(id: string): Segment;
  /** The ids of the stored segments. */
  segmentIds(): Promise<string[]>;
  /** Of the files of a segment, by number; it is not kept open for that. @throws DamagedIndex */
  hashes(id: string): string[];
  /** The files of an index and its segments; none if it is not on disk. */
  filesOf(name: string): Promise<string[]>;
  /** Forgets a segment that is damaged. */
  discard(id: string): Promise<void>;
  /** Forgets an index that is damaged, and the segments that it names. */
  forget(name: string): Promise<void>;
}

/** The cache of all open segments together; a question reads a small part of an index. */
const blockRoom: BlockCacheLimits = { leastBytes: 8 * 1024 * 1024, mostBytes: 24 * 1024 * 1024 };

/** The indexes live as long as the process. */
export function createMemoryIndexStore(): IndexStore {
  const blocks = createBlockCache(blockRoom);
  const indexes = new Map<string, Uint8Array>();
  const segments = new Map<string, Segment>();
  const hashes = new Map<string, string[]>();
  return {
    lock: async () => undefined,
    async read(name) {
      const bytes = indexes.get(name);
      return bytes && openStoredIndex(bytes, { blocks });
    },
    async write(name, index) {
      const bytes = packStoredIndex(index);
      indexes.set(name, bytes);
      return openStoredIndex(bytes, { blocks });
    },
    async addSegment(bytes) {
      const file = openIndexBytes(bytes, { blocks });
      const id = newId(file.identity);
      segments.set(id, openSegment(file));
      hashes.set(id, readHashes(file));
      return id;
    },
    open: (id) => segments.get(id) ?? gone(id),
    segmentIds: async () => [...segments.keys()],
    hashes: (id) => hashes.get(id) ?? [],
    filesOf: async () => [],
    async discard(id) {
      segments.delete(id);
      hashes.delete(id);
    },
    async forget(name) {
      indexes.delete(name);
    },
  };
}

/** Open files at once: a question reads a few blocks of each segment, and macOS allows a process 256 open files. */
const openFilesLimit = 64;
const dayMs = 24 * 3600 * 1000;

/** The files of a folder are `<name>.index` and `<id>.segment`. */
export function createDiskIndexStore(directory: string, { now = Date.now }: { now?: () => number } = {}): IndexStore {
  const blocks = createBlockCache(blockRoom);
  const descriptors = createDescriptors({ limit: openFilesLimit });
  // Segments of indexes that are open or being searched.
  const open = new Map<string, WeakRef<Segment>>();
  const released = new FinalizationRegistry((id: string) => {
    if (openSegmentOf(id) !== undefined) return;
    open.delete(id);
    descriptors.close(segmentFile(id));
  });
  // If the disk is full or not writable, segments last as long as the process.
  const unwritten = new Map<string, Uint8Array>();
  const unwrittenSegments = new Map<string, IndexFile>();
  const indexFile = (name: string) =>
    path.join(directory, `${createHash("sha256").update(name).digest("hex").slice(0, 40)}.index`);
  const segmentFile = (id: string) => segmentFileIn(directory, id);
  const openSegmentOf = (id: string) => open.get(id)?.deref();
  let collectedAt = -Infinity;

  function openFile(id: string): IndexFile {
    const file = openIndexFile(segmentFile(id), { blocks, descriptors });
    if (id.startsWith(file.identity)) return file;
    file[Symbol.dispose]();
    throw new DamagedIndex(`in place of segment ${id} there is another one`);
  }

  async function read(name: string): Promise<StoredIndex | undefined> {
    const bytes = unwritten.get(name);
    return bytes === undefined ? readIndex(indexFile(name), { blocks }) : openStoredIndex(bytes, { blocks });
  }

  async function collectDaily(): Promise<void> {
    if (now() - collectedAt < dayMs) return;
    collectedAt = now();
    await collectIndexes(directory, { now: now(), isOpen: (id) => openSegmentOf(id) !== undefined });
  }

  async function discard(id: string): Promise<void> {
    openSegmentOf(id)?.[Symbol.dispose]();
    open.delete(id);
    unwrittenSegments.delete(id);
    await remove(segmentFile(id));
  }

  return {
    lock: (name, { signal }) => lockFile(indexFile(name), { signal }),
    async read(name) {
      const index = await read(name);
      if (index !== undefined) await markUsed(indexFile(name), now());
      return index;
    },
    async write(name, index) {
      const bytes = packStoredIndex(index);
      try {
        await writeWhole(indexFile(name), bytes);
        await collectDaily();
      } catch {
        unwritten.set(name, bytes);
      }
      return openStoredIndex(bytes, { blocks });
    },
    async addSegment(bytes) {
      try {
        return await writeSegment(directory, bytes);
      } catch {
        const file = openIndexBytes(bytes, { blocks });
        const id = newId(file.identity);
        unwrittenSegments.set(id, file);
        return id;
      }
    },
    open(id) {
      const before = openSegmentOf(id);
      if (before !== undefined) return before;
      const opened = openSegment(unwrittenSegments.get(id) ?? openFile(id));
      open.set(id, new WeakRef(opened));
      released.register(opened, id);
      return opened;
    },
    segmentIds: async () => (await namesIn(directory, ".segment")).map((name) => path.basename(name, ".segment")),
    hashes(id) {
      const inMemory = unwrittenSegments.get(id);
      if (inMemory !== undefined) return readHashes(inMemory);
      using file = openFile(id);
      return readHashes(file);
    },
    async filesOf(name) {
      const index = await readIndex(indexFile(name), { blocks });
      return index === undefined ? [] : [indexFile(name), ...index.segments.map(segmentFile)];
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
  const id = newId(identityOf(bytes));
  await writeWhole(segmentFileIn(directory, id), bytes);
  return id;
}

function gone(id: string): never {
  throw new DamagedIndex(`there is no segment ${id}`);
}

/** The content hash of a segment, so that processes that build the same one never overwrite a file in use. */
function newId(identity: string): string {
  return identity + randomBytes(4).toString("hex");
}
