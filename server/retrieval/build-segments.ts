import { createTimeSlices } from "../lib/time-slices.ts";
import { createSegmentBuilder, type IndexableFile, type SegmentBuilder } from "./segment-builder.ts";
import { createTurns } from "./turns.ts";

/** Makes a segment of some files. */
export type BuildSegment = (files: readonly IndexableFile[], options: { signal: AbortSignal }) => Promise<Uint8Array>;

/** One segment at a time, in turns with everything else; memory is kept from one to the next. */
export function createSegmentBuilds(): BuildSegment {
  const turns = createTurns(1);
  let kept: SegmentBuilder | undefined;
  return async (files, { signal }) => {
    await turns.take();
    try {
      const builder = kept ?? createSegmentBuilder();
      // What fails leaves files behind in it.
      kept = undefined;
      const slices = createTimeSlices();
      for (const file of files) {
        signal.throwIfAborted();
        await slices.run(() => builder.add(file));
      }
      const bytes = builder.finish();
      kept = builder;
      return bytes;
    } finally {
      turns.giveBack();
    }
  };
}
