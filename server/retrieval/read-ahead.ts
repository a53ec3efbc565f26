import type { Snapshot } from "../resources/snapshot.ts";
import type { ReadResult, TextStore } from "./text-store.ts";

export type ReadFile<Item> = { item: Item } & ReadResult;

/** Enough to keep a disk busy, few enough not to starve other questions. */
const readsAtOnce = 16;

/**
 * Reads files of a snapshot a few at a time and yields them in the order given; a file that cannot be read says why.
 * @throws the signal's reason
 */
export async function* readAhead<Item extends { path: string }>(
  snapshot: Snapshot,
  items: Iterable<Item>,
  { texts, signal }: { texts: TextStore; signal: AbortSignal | undefined },
): AsyncGenerator<ReadFile<Item>> {
  signal?.throwIfAborted();
  const reading: Promise<ReadFile<Item>>[] = [];
  for (const item of items) {
    reading.push(texts.read(snapshot, item.path, { signal }).then((result) => ({ item, ...result })));
    if (reading.length >= readsAtOnce) yield* await takeFirst();
  }
  while (reading.length > 0) yield* await takeFirst();

  async function takeFirst(): Promise<ReadFile<Item>[]> {
    const first = await reading.shift();
    signal?.throwIfAborted();
    return first === undefined ? [] : [first];
  }
}
