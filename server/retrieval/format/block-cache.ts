import { afterRest } from "../../lib/after-rest.ts";
import { restMs } from "../text-store.ts";

/** Blocks of all files that are open, inflated, as many as there is room for while somebody asks: those not used for longest go. */
export interface BlockCache {
  /** The blocks of one more file. */
  forFile(): FileBlocks;
}

export interface FileBlocks {
  /** The block of this number, or what `read` makes of it. */
  get(number: number, read: () => Buffer): Buffer;
}

/** More blocks than a file has. */
const blocksOfFile = 2 ** 20;

export function createBlockCache({ limitBytes }: { limitBytes: number }): BlockCache {
  // Two halves: what is asked for again moves to the younger one, and the older one goes as a whole.
  let younger = new Map<number, Buffer>();
  let older = new Map<number, Buffer>();
  let youngerBytes = 0;
  let fileCount = 0;

  const heard = afterRest(restMs, () => {
    younger = new Map();
    older = new Map();
    youngerBytes = 0;
  });

  function keep(key: number, block: Buffer): Buffer {
    if (block.length > limitBytes / 2) return block;
    if (youngerBytes + block.length > limitBytes / 2) {
      older = younger;
      younger = new Map();
      youngerBytes = 0;
    }
    younger.set(key, block);
    youngerBytes += block.length;
    return block;
  }

  return {
    forFile() {
      const first = fileCount++ * blocksOfFile;
      return {
        get(number, read) {
          heard();
          const key = first + number;
          return younger.get(key) ?? keep(key, older.get(key) ?? read());
        },
      };
    },
  };
}
