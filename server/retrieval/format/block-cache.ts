import { debounce } from "../../lib/debounce.ts";
import { restMs } from "../text-store.ts";
import { blockBytes } from "./deflated-sections.ts";

/**
 * Blocks of all files that are open, inflated, as many as there is room for while somebody asks: the one not asked for
 * longest makes room for the next.
 */
export interface BlockCache {
  /** The blocks of one more file, so large on disk. */
  forFile(sizeBytes: number): FileBlocks;
}

export interface FileBlocks {
  /** The block of this number, else the result of `read`; valid until the next call. */
  get(number: number, read: () => Buffer): Buffer;
}

/** How much room there is, inflated: more of it, the more there is to read. */
export interface BlockCacheLimits {
  leastBytes: number;
  mostBytes: number;
}

/**
 * The share of the file's size that is kept. A ranked search in an index of 74 MB took 116 to 163 ms with room for 8 MB, 77 to 105
 * with 16, 83 to 103 with 24; in one of 31 MB as long with 8 as with 24.
 */
const keptShare = 1 / 4;

/** More blocks than a file has. */
const blocksOfFile = 2 ** 20;

export function createBlockCache({ leastBytes, mostBytes }: BlockCacheLimits): BlockCache {
  // In the order in which they were asked for.
  const kept = new Map<number, Slot>();
  const slots = createSlots();
  let fileCount = 0;
  // Of the files that were asked since there was a rest.
  let askedBytes = 0;
  let rests = 0;

  const startIdleTimer = debounce(restMs, () => {
    kept.clear();
    slots.leave();
    askedBytes = 0;
    rests++;
  });

  function keep(key: number, block: Buffer): Buffer {
    const slot = slotFor(Math.max(leastBytes, Math.min(askedBytes * keptShare, mostBytes)));
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
      let askedAfter = -1;
      return {
        get(number, read) {
          startIdleTimer();
          if (askedAfter !== rests) askedBytes += sizeBytes;
          askedAfter = rests;
          const key = first + number;
          return find(key) ?? keep(key, read());
        },
      };
    },
  };
}

/** Memory for a block, used for one after the other. */
interface Slot {
  memory: Buffer;
  length: number;
}

/** Slots that are allocated together. */
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
    leave() {
      piece = Buffer.alloc(0);
      used = 0;
    },
  };
}
