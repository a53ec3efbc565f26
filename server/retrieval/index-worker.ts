import { parentPort } from "node:worker_threads";
import { createSegmentBuilder, type IndexableFile } from "./segment-builder.ts";

/** A thread that makes segments, one after the other: files in, bytes out. */
parentPort?.on("message", (files: readonly IndexableFile[]) => {
  const builder = createSegmentBuilder();
  for (const file of files) builder.add(file);
  const bytes = Uint8Array.from(builder.finish());
  parentPort?.postMessage(bytes, [bytes.buffer]);
});
