import { afterRest } from "../../lib/after-rest.ts";
import { allocatePages } from "../../lib/paged-memory.ts";
import { restMs } from "../text-store.ts";

/** Blocks of all files that are open, inflated, as many as there is room for while somebody asks: those not used for longest go. */
export interface BlockCache {
  /** The blocks of one more file, so large on disk. */
  forFile(sizeBytes: number): FileBlocks;
}

export interface FileBlocks {
  /** The block of this number, or what `read` makes of it. */
  get(number: number, read: () => Buffer): Buffer;
}

/** How much room there is, inflated: more of it, the more there is to read. */
export interface BlockRoom {
  leastBytes: number;
  mostBytes: number;
}

/**
 * Of the size of what is asked. A ranked search in an index of 74 MB took 197 ms with room for 8 MB, 93 with 16, 76 with
 * 24; in one of 32 MB hardly less with 24 than with 8.
 */
const keptShare = 1 / 4;

/** More blocks than a file has. */
const blocksOfFile = 2 ** 20;

export function createBlockCache({ leastBytes, mostBytes }: BlockRoom): BlockCache {
  // Two halves: what is asked for again moves to the younger one, and the older one goes as a whole.
  let younger = new Map<number, Buffer>();
  let older = new Map<number, Buffer>();
  let youngerBytes = 0;
  const memory = createBlockMemory();
  let fileCount = 0;
  // Of the files that were asked since there was a rest.
  let askedBytes = 0;
  let rests = 0;

  const heard = afterRest(restMs, () => {
    younger = new Map();
    older = new Map();
    youngerBytes = 0;
    memory.leave();
    askedBytes = 0;
    rests++;
  });

  function keep(key: number, block: Buffer): Buffer {
    const limitBytes = Math.max(leastBytes, Math.min(askedBytes * keptShare, mostBytes));
    if (block.length > limitBytes / 2) return block;
    if (youngerBytes + block.length > limitBytes / 2) {
      older = younger;
      younger = new Map();
      youngerBytes = 0;
      memory.leave();
    }
    const copied = memory.copy(block);
    younger.set(key, copied);
    youngerBytes += block.length;
    return copied;
  }

  return {
    forFile(sizeBytes) {
      const first = fileCount++ * blocksOfFile;
      let askedAfter = -1;
      return {
        get(number, read) {
          heard();
          if (askedAfter !== rests) askedBytes += sizeBytes;
          askedAfter = rests;
          const key = first + number;
          return younger.get(key) ?? keep(key, older.get(key) ?? read());
        },
      };
    },
  };
}

/** Sixteen blocks, which are kept and go together. */
const pieceBytes = 256 * 1024;

function createBlockMemory() {
  let piece: Buffer = Buffer.alloc(0);
  let used = 0;
  return {
    copy(block: Buffer): Buffer {
      if (used + block.length > piece.length) {
        piece = allocatePages(Math.max(pieceBytes, block.length));
        used = 0;
      }
      const start = used;
      used += block.length;
      block.copy(piece, start);
      return piece.subarray(start, used);
    },
    /** What is copied next shares no memory with what was. */
    leave() {
      piece = Buffer.alloc(0);
      used = 0;
    },
  };
}
