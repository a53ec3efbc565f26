import { isCommitCited } from "../protocol/citation.ts";
import { maskLines } from "../source/mask.ts";
import { splitLines } from "../source/source-text.ts";
import type { Thread, ThreadTurn } from "../protocol/threads.ts";
import type { ThreadStore } from "./threads.ts";

/** Adds the cited lines to a thread, with secrets masked. Citations whose file is gone get no lines. */
export async function withCitedLines(thread: Thread, threads: Pick<ThreadStore, "readCited">): Promise<Thread> {
  const hashes = new Set(thread.turns.flatMap(({ cited }) => cited.map(({ file }) => file)));
  const files = new Map<string, string[]>();
  for (const hash of hashes) {
    const text = await threads.readCited(hash);
    if (text !== undefined) files.set(hash, splitLines(text));
  }
  return { ...thread, turns: thread.turns.map((turn) => addLines(turn, files)) };
}

function addLines(turn: ThreadTurn, files: ReadonlyMap<string, string[]>): ThreadTurn {
  const cited = turn.cited.map((text) => {
    const range = turn.citations.find(({ id }) => id === text.citation);
    const lines = files.get(text.file);
    if (range === undefined || lines === undefined) return text;
    // Of a commit, its message.
    const shown = isCommitCited(range) ? { startLine: 1, endLine: lines.length } : range;
    return { ...text, lines: maskLines(lines, shown) };
  });
  return { ...turn, cited };
}
