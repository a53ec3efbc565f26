import { type Definition, definitionsAround, type Scope } from "../source/definitions.ts";
import type { LineRange } from "../protocol/citation.ts";
import type { Snapshot } from "../resources/snapshot.ts";
import type { FileReference } from "./retrieval.ts";
import type { TextStore } from "./text-store.ts";

/** The definitions of a file; none where it cannot be read. */
export async function definitionsIn(
  { resource, path }: FileReference,
  { snapshots, texts, signal }: { snapshots: readonly Snapshot[]; texts: TextStore; signal: AbortSignal | undefined },
): Promise<readonly Definition[]> {
  const snapshot = snapshots.find((candidate) => candidate.resource === resource);
  const read = snapshot === undefined ? undefined : await texts.read(snapshot, path, { signal });
  signal?.throwIfAborted();
  return read?.text === undefined ? [] : read.definitions();
}

/** Adds to each hit the definitions around its matching lines that begin above what it shows; each file is read once. */
export async function withScopes<Hit extends FileReference & LineRange & { matchLines: readonly number[] }>(
  hits: readonly Hit[],
  options: { snapshots: readonly Snapshot[]; texts: TextStore; signal: AbortSignal | undefined },
): Promise<(Hit & { scope: Scope[] })[]> {
  const scoped: (Hit & { scope: Scope[] })[] = [];
  for (const hit of hits) {
    const lines = { startLine: Math.min(...hit.matchLines), endLine: Math.max(...hit.matchLines) };
    const around = definitionsAround(lines, await definitionsIn(hit, options));
    scoped.push({ ...hit, scope: around.filter(({ startLine }) => startLine < hit.startLine) });
  }
  return scoped;
}
