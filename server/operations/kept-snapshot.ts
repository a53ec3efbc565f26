import { CitewellError } from "../errors.ts";
import { splitLines, type SourceText } from "../source/source-text.ts";
import type { SnapshotInfo } from "../protocol/ask.ts";
import type { Snapshot } from "../resources/snapshot.ts";

export interface KeptFile extends Pick<SnapshotInfo, "resource" | "type" | "revision"> {
  path: string;
  text: string;
}

/** A snapshot of the one file that a thread keeps of it. */
export function keptSnapshot({ resource, type, path, revision, text }: KeptFile): Snapshot {
  const sizeBytes = Buffer.byteLength(text);
  const source: SourceText = { path, text, lines: splitLines(text), sizeBytes, encoding: "utf-8" };
  return {
    resource,
    revision,
    info: {
      resource,
      type,
      revision,
      label: `${resource} at ${revision.slice(0, 12)} (kept with a conversation)`,
      fetchedAt: null,
      fileCount: 1,
      skippedCount: 0,
    },
    notes: undefined,
    files: [{ path, sizeBytes }],
    skipped: [],
    async read(requested) {
      if (requested === path) return source;
      throw new CitewellError("FileNotFound", `no file "${requested}" is kept of ${resource}`);
    },
    stampOf: () => undefined,
    permalink: () => undefined,
    pathOnDisk: () => undefined,
    async [Symbol.asyncDispose]() {},
  };
}
