import { debounce } from "../../lib/debounce.ts";
import { restMs } from "../text-store.ts";
import { blockBytes } from "./deflated-sections.ts";

/** An LRU cache of inflated blocks of all open files. It is emptied when no block was requested for a while. */
export interface BlockCache {
  /** Adds a file; `sizeBytes` is its size on disk. */
  forFile(sizeBytes: number): FileBlocks;
}

/** The cache for the blocks of one file. */
export interface FileBlocks {
  /** The cached block of this number, or the result of `read`. Valid until the next call. */
  get(number: number, read: () => Buffer): Buffer;
}

/** The capacity for inflated blocks grows with the files in use, between these limits. */
export interface BlockCacheLimits {
  leastBytes: number;
  mostBytes: number;
}

/**
 * The capacity, as a share of the size of the files in use. A ranked search in an index of 74 MB took 116 to 163 ms with a
 * capacity of 8 MB, 77 to 105 with 16, 83 to 103 with 24; in an index of 31 MB, 8 MB were as fast as 24.
 */
const keptShare = 1 / 4;

/** More than any file has: the distance between the keys of two files. */
const blocksOfFile = 2 ** 20;

/** Creates an empty cache. */
export function createBlockCache({ leastBytes, mostBytes }: BlockCacheLimits): BlockCache {
  // The least recently used first.
  const kept = new Map<number, Slot>();
  const slots = createSlots();
  let fileCount = 0;
  // The total size of the files used since the cache was last emptied.
  let usedBytes = 0;
  let emptiedCount = 0;

  const startIdleTimer = debounce(restMs, () => {
    kept.clear();
    slots.release();
    usedBytes = 0;
    emptiedCount++;
  });

  function keep(key: number, block: Buffer): Buffer {
    const slot = slotFor(Math.max(leastBytes, Math.min(usedBytes * keptShare, mostBytes)));
    if (slot === undefined) return block;
    block.copy(slot.memory);
    slot.length = block.length;
    kept.set(key, slot);
    return block;
  }

  function slotFor(limitBytes: number): Slot | undefined {
    if ((kept.size + 1) * blockBytes <= limitBytes) return { memory: slots.take(), length: 0 };
    for (const [oldest, slot] of kept) {
      kept.delete(oldest);
      return slot;
    }
    return undefined;
  }

  function find(key: number): Buffer | undefined {
    const slot = kept.get(key);
    if (slot === undefined) return undefined;
    kept.delete(key);
    kept.set(key, slot);
    return slot.memory.subarray(0, slot.length);
  }

  return {
    forFile(sizeBytes) {
      const first = fileCount++ * blocksOfFile;
      let countedAt = -1;
      return {
        get(number, read) {
          startIdleTimer();
          if (countedAt !== emptiedCount) usedBytes += sizeBytes;
          countedAt = emptiedCount;
          const key = first + number;
          return find(key) ?? keep(key, read());
        },
      };
    },
  };
}

/** Memory for one block at a time, reused. */
interface Slot {
  memory: Buffer;
  length: number;
}

/** How many slots are allocated together. */
const slotsOfPiece = 16;

function createSlots() {
  let piece: Buffer = Buffer.alloc(0);
  let used = 0;
  return {
    take(): Buffer {
      if (used === piece.length) {
        piece = Buffer.allocUnsafeSlow(slotsOfPiece * blockBytes);
        used = 0;
      }
      return piece.subarray(used, (used += blockBytes));
    },
    release() {
      piece = Buffer.alloc(0);
      used = 0;
    },
  };
}
