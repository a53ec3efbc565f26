import type { Snapshot } from "../../resources/snapshot.ts";
import type { SnapshotIndex } from "../index/snapshot-index.ts";
import type { TextStore } from "../text-store.ts";
import type { ScoredChunk, ScoredFile } from "./score.ts";

export interface Candidate {
  snapshot: Snapshot;
  index: SnapshotIndex;
  scored: ScoredFile;
}

/** How many of the best files are read for the phrases, and what a file that holds one is worth more: a message, a name. */
const readLimit = 40;
const messageWorth = 2;
const nameWorth = 1.3;

/** Promotes files that contain a phrase of the question verbatim, and in them the first chunk with it. */
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
    const found = phrases.flatMap((phrase) => {
      const at = text.toLowerCase().indexOf(phrase.toLowerCase());
      return at === -1 ? [] : [{ at, worth: phrase.includes(" ") ? messageWorth : nameWorth }];
    });
    const first = Math.min(...found.map(({ at }) => at));
    const worth = Math.max(...found.map((one) => one.worth));
    preferred.push(
      found.length === 0
        ? candidate
        : { ...candidate, scored: preferChunk(index, scored, { line: lineAt(text, first), worth }) },
    );
  }
  return [...preferred, ...candidates.slice(readLimit)].sort((a, b) => b.scored.score - a.scored.score);
}

function preferChunk(
  { segments, files }: SnapshotIndex,
  scored: ScoredFile,
  { line, worth }: { line: number; worth: number },
): ScoredFile {
  const place = files[scored.file]?.place;
  const segment = place && segments[place.segment]?.segment;
  if (place === undefined || segment === undefined) return scored;
  const first = segment.firstChunks[place.file] ?? 0;
  const lines = [...segment.chunkLines.subarray(first, segment.firstChunks[place.file + 1])];
  const at = lines.findLastIndex((startLine) => startLine <= line);
  const next = lines[at + 1];
  const chunk: ScoredChunk = {
    startLine: lines[at] ?? 1,
    endLine: next === undefined ? undefined : next - 1,
    score: scored.chunks[0]?.score ?? 1,
  };
  const others = scored.chunks.filter(({ startLine }) => startLine !== chunk.startLine);
  return { ...scored, score: scored.score * worth, chunks: [chunk, ...others] };
}

/** 1-based. */
function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}
