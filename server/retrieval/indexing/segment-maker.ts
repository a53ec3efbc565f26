import { createTimeSlices } from "../../lib/time-slices.ts";
import { type DeflatedSections, deflateSections } from "../format/deflated-sections.ts";
import { packIndexFile } from "../format/index-file.ts";
import { createSemaphore } from "../../lib/semaphore.ts";
import { type NamedPlace, packSymbols } from "../index/segment-symbols.ts";
import type { FileStructure } from "./file-structure.ts";
import { createTermBuilder, type TermBuilder, type TermFile } from "./term-builder.ts";
import { createTrigramBuilder } from "./trigram-builder.ts";

/** A file as it goes into an index. */
export interface IndexableFile {
  /** The hash of kind and text: files of equal hash are one to the index (`file-hash.ts`). */
  hash: string;
  text: string;
  structure: FileStructure;
}

/** Makes segments, one at a time. */
export interface SegmentMaker {
  /** Waits for its turn, which goes on when the segment is finished or left. */
  begin(): Promise<NewSegment>;
}

/** A segment depends only on its files and their order. */
export interface NewSegment extends Disposable {
  /** One file after the other; nothing is kept of their texts. */
  add(file: IndexableFile): Promise<void>;
  finish(): Promise<Uint8Array>;
}

/** Makes the sections of words, of one segment after the other. */
export interface TermSections {
  add(file: TermFile): Promise<void>;
  finish(): Promise<DeflatedSections>;
  /** Forgets what was added. */
  clear(): void;
}

export function createSegmentMaker({ terms = createTermSections() }: { terms?: TermSections } = {}): SegmentMaker {
  const semaphore = createSemaphore(1);
  // Memory is kept from one segment to the next.
  let trigrams = createTrigramBuilder();
  const slices = createTimeSlices();
  return {
    async begin() {
      await semaphore.acquire();
      const places: NamedPlace[] = [];
      let files = 0;
      let isOpen = true;
      const end = ({ isWhole }: { isWhole: boolean }) => {
        if (!isOpen) return;
        isOpen = false;
        if (!isWhole) {
          terms.clear();
          trigrams = createTrigramBuilder();
        }
        semaphore.release();
      };
      return {
        async add(file) {
          const { text, structure } = file;
          for (const symbol of structure.symbols) places.push({ ...symbol, file: files });
          files++;
          await terms.add({ text: structure.chunks.length > 0 ? text : "", chunks: structure.chunks });
          await slices.run(() => trigrams.add(file));
        },
        async finish() {
          try {
            const ofTerms = terms.finish();
            // Definitions are packed here, because the thread of words has most to do.
            const others = deflateSections({ ...trigrams.finish(), ...packSymbols(places, files) });
            // The next one begins while the thread is not through with this one.
            end({ isWhole: true });
            return packIndexFile(await ofTerms, others);
          } finally {
            end({ isWhole: false });
          }
        },
        [Symbol.dispose]: () => end({ isWhole: false }),
      };
    },
  };
}

/** Works in this thread, interleaved with everything else. */
function createTermSections(): TermSections {
  const slices = createTimeSlices();
  let builder: TermBuilder | undefined;
  return {
    add: (file) => slices.run(() => (builder ??= createTermBuilder()).add(file)),
    async finish() {
      const own = builder ?? createTermBuilder();
      // What fails leaves files behind in it.
      builder = undefined;
      const sections = deflateSections(own.finish());
      builder = own;
      return sections;
    },
    clear() {
      builder = undefined;
    },
  };
}
