import path from "node:path";
import { lookAt, markUsed, namesIn, readIndex, remove, segmentFileIn } from "./index-folder.ts";

/** Indexes unused for so long are removed, then the oldest while there are more than the limit. */
const keptMs = 30 * 24 * 3600 * 1000;
const keptBytes = 2 * 1024 ** 3;
/** A segment is written before the index that names it. */
const orphanMs = 3600 * 1000;

/**
 * Removes unused indexes. An index with an open segment in this process is in use; for other processes, its modification
 * time says so.
 */
export async function collectIndexes(
  directory: string,
  { now, isOpen }: { now: number; isOpen: (id: string) => boolean },
): Promise<void> {
  const indexes = await Promise.all(
    (await namesIn(directory, ".index")).map(async (name) => {
      const file = path.join(directory, name);
      const segments = (await readIndex(file))?.segments;
      if (segments?.some(isOpen) === true) await markUsed(file, now);
      return { file, usedAt: (await lookAt(file))?.usedAt ?? 0, segments };
    }),
  );
  const used = new Set<string>();
  let bytes = 0;
  for (const { file, usedAt, segments } of indexes.sort((a, b) => b.usedAt - a.usedAt)) {
    const own = (segments ?? []).filter((id) => !used.has(id));
    for (const id of own) bytes += (await lookAt(segmentFileIn(directory, id)))?.sizeBytes ?? 0;
    if (segments === undefined || now - usedAt > keptMs || bytes > keptBytes) await remove(file);
    else for (const id of own) used.add(id);
  }
  // Includes temporary files of killed processes, which have a longer name.
  for (const name of await namesIn(directory, "")) {
    if (name.endsWith(".index")) continue;
    const file = path.join(directory, name);
    const age = now - ((await lookAt(file))?.usedAt ?? now);
    const id = path.basename(name, ".segment");
    if (!used.has(id) && !isOpen(id) && age > orphanMs) await remove(file);
  }
}
