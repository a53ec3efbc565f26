import type { Snapshot } from "../resources/snapshot.ts";
import type { ScoredFile } from "./score.ts";
import type { SnapshotIndex } from "./snapshot-index.ts";
import type { TextStore } from "./text-store.ts";

export interface Candidate {
  snapshot: Snapshot;
  index: SnapshotIndex;
  scored: ScoredFile;
}

/** How many of the best files are read for the phrases, and what a file that holds one is worth more. */
const readLimit = 40;
const phraseWorth = 2;

/** Moves up the files in which a phrase of the question stands as it is, and in them the chunk where it stands first. */
export async function preferPhrases(
  candidates: readonly Candidate[],
  { phrases, texts, signal }: { phrases: readonly string[]; texts: TextStore; signal: AbortSignal | undefined },
): Promise<Candidate[]> {
  if (phrases.length === 0) return [...candidates];
  const preferred: Candidate[] = [];
  for (const candidate of candidates.slice(0, readLimit)) {
    const { snapshot, index, scored } = candidate;
    const file = index.files[scored.file];
    const read = file === undefined ? undefined : await texts.read(snapshot, file.path, { signal });
    signal?.throwIfAborted();
    const text = read?.text ?? "";
    const found = phrases.map((phrase) => text.toLowerCase().indexOf(phrase.toLowerCase())).filter((at) => at !== -1);
    preferred.push(
      found.length === 0
        ? candidate
        : { ...candidate, scored: preferChunk(index, scored, lineAt(text, Math.min(...found))) },
    );
  }
  return [...preferred, ...candidates.slice(readLimit)].sort((a, b) => b.scored.score - a.scored.score);
}

function preferChunk(index: SnapshotIndex, scored: ScoredFile, line: number): ScoredFile {
  let chunk = index.files[scored.file]?.firstChunk ?? 0;
  while (index.chunks.files[chunk + 1] === scored.file && (index.chunks.lines[chunk + 1] ?? Infinity) <= line) chunk++;
  const best = scored.chunks[0]?.score ?? 1;
  const others = scored.chunks.filter((other) => other.chunk !== chunk);
  return { ...scored, score: scored.score * phraseWorth, chunks: [{ chunk, score: best }, ...others] };
}

/** 1-based. */
function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
