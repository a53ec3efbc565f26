import { createTimeSlices } from "../lib/time-slices.ts";
import { createSegmentBuilder, type IndexableFile } from "./segment-builder.ts";

/** Makes a segment of some files. */
export type BuildSegment = (files: readonly IndexableFile[], options: { signal: AbortSignal }) => Promise<Uint8Array>;

/** Here, in turns with everything else. */
export const buildInProcess: BuildSegment = async (files, { signal }) => {
  const builder = createSegmentBuilder();
  const slices = createTimeSlices();
  for (const file of files) {
    signal.throwIfAborted();
    await slices.run(() => builder.add(file));
  }
  return builder.finish();
};
