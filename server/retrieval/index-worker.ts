import { parentPort } from "node:worker_threads";
import { createSegmentBuilder, type IndexableFile } from "./segment-builder.ts";

const builder = createSegmentBuilder();

/** A thread that makes segments, one after the other: files in, bytes out. */
parentPort?.on("message", (files: readonly IndexableFile[]) => {
  for (const file of files) builder.add(file);
  const bytes = Uint8Array.from(builder.finish());
  parentPort?.postMessage(bytes, [bytes.buffer]);
});
