import { createHash } from "node:crypto";
import { CitewellError } from "../../server/errors.ts";
import type { Snapshot } from "../../server/resources/snapshot.ts";
import { decodeFile } from "../../server/resources/tree-reader.ts";

/**
 * Creates a snapshot in memory from one string: `//- src/a.ts` starts a file, and the following lines are its text.
 * Options set the resource and its revision.
 */
export function fixture(
  source: string,
  options: { resource?: string; revision?: string; notes?: string } = {},
): Snapshot {
  const contents = parseFixture(source);
  const resource = options.resource ?? "demo";
  const revision = options.revision ?? createHash("sha256").update(source).digest("hex").slice(0, 12);
  const files = [...contents].map(([path, text]) => ({ path, sizeBytes: Buffer.byteLength(text) }));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return {
    resource,
    revision,
    notes: options.notes,
    info: {
      resource,
      type: "local",
      revision,
      label: `${resource} at ${revision}`,
      fetchedAt: null,
      fileCount: files.length,
      skippedCount: 0,
    },
    files,
    skipped: [],
    async read(path) {
      const text = contents.get(path);
      if (text === undefined) throw new CitewellError("FileNotFound", `no file "${path}" in ${resource}`);
      return decodeFile(path, Buffer.from(text));
    },
    stampOf: () => undefined,
    permalink: () => undefined,
    pathOnDisk: () => undefined,
    async [Symbol.asyncDispose]() {},
  };
}

/** Parses a fixture string into texts by path. */
export function parseFixture(source: string): Map<string, string> {
  const contents = new Map<string, string>();
  for (const part of source.split(/^\/\/- /m).slice(1)) {
    const end = part.indexOf("\n");
    contents.set(part.slice(0, end).trim(), part.slice(end + 1));
  }
  return contents;
}
