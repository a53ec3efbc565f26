import path from "node:path";
import * as tar from "tar";
import { createLocal } from "../server/resources/local/local.ts";
import type { Snapshot } from "../server/resources/snapshot.ts";

/** Unpacks the named trees of the retrieval benchmark into a folder, and opens each. */
export async function openTrees(
  names: readonly string[],
  { data, folder }: { data: string; folder: string },
): Promise<Map<string, Snapshot>> {
  const local = createLocal({ workingDirectory: folder, homeDirectory: folder });
  const snapshots = new Map<string, Snapshot>();
  for (const name of names) {
    await tar.extract({ file: path.join(data, "trees", `${name}.tar.gz`), cwd: folder });
    snapshots.set(name, await local.open({ name, path: name }, { signal: new AbortController().signal }));
  }
  return snapshots;
}
