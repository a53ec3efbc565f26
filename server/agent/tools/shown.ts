import { setTimeout as sleep } from "node:timers/promises";
import { addLines, type LineSet } from "../../lib/line-set.ts";
import type { LineRange } from "../../protocol/citation.ts";
import { formatMarker, numberLines, type Passage } from "../../protocol/passage.ts";

/** The lines that the model can still read in its messages, 1-based. A later result names them instead of repeating them. */
export interface ShownLines {
  /** A call begins. The calls of a turn run at once, and the model reads their results in the order in which they begin. */
  begin(toolCallId: string): void;
  /** The call has ended, with what it showed. */
  end(passages: readonly Passage[], options: { toolCallId: string }): void;
  /** What the model reads above this call's result, when the calls that began before it have ended. */
  above(toolCallId: string): Promise<LinesOf>;
}

/** The lines of a file. */
export type LinesOf = (file: Pick<Passage, "resource" | "path">) => LineSet;

/**
 * How long a call waits for those before it. Below the time limit of a tool (agent.ts), so that one that hangs stops no
 * other; its lines are then shown twice at worst.
 */
const patienceMs = 15_000;

/** Creates an empty set; lines of a call whose result is left out are not in it. */
export function createShownLines({ isLeftOut }: { isLeftOut: (toolCallId: string) => boolean }): ShownLines {
  const all: (Pick<Passage, "resource" | "path"> & LineRange & { toolCallId: string; turn: number })[] = [];
  /** The calls that run, in the order in which they began. */
  const running = new Map<string, { turn: number; ended: Promise<void>; end: () => void }>();
  let begun = 0;
  const linesAbove = (turn: number): LinesOf => {
    return ({ resource, path }) =>
      all
        .filter(
          (one) => one.resource === resource && one.path === path && one.turn < turn && !isLeftOut(one.toolCallId),
        )
        .reduce<LineSet>(addLines, []);
  };
  return {
    begin(toolCallId) {
      let end = () => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      running.set(toolCallId, { turn: begun++, ended, end });
    },
    async above(toolCallId) {
      const turn = running.get(toolCallId)?.turn ?? begun;
      const before = [...running.values()].filter((one) => one.turn < turn).map(({ ended }) => ended);
      if (before.length > 0) {
        const waiting = new AbortController();
        const patience = sleep(patienceMs, undefined, { signal: waiting.signal }).catch(() => {});
        await Promise.race([Promise.all(before), patience]);
        waiting.abort();
      }
      return linesAbove(turn);
    },
    end(passages, { toolCallId }) {
      const { turn, end } = running.get(toolCallId) ?? { turn: begun++, end() {} };
      end();
      running.delete(toolCallId);
      const above = linesAbove(turn);
      // What a result only names is gone with the result that has it.
      for (const { resource, path, startLine, lines } of passages.flatMap((one) => unshownParts(one, above(one))))
        all.push({ resource, path, startLine, endLine: startLine + lines.length - 1, toolCallId, turn });
    },
  };
}

/** Fewer lines in a row are shown again: the passage is easier to read, and naming them saves little. */
const leastNamed = 8;

/** The lines of a passage that have to be shown, in their order: without long runs of those that were shown before. */
export function unshownParts(passage: Passage, shown: LineSet): Passage[] {
  const parts: Passage[] = [];
  let next = passage.startLine;
  const endLine = passage.startLine + passage.lines.length - 1;
  const add = (end: number) => {
    if (end < next) return;
    const lines = passage.lines.slice(next - passage.startLine, end - passage.startLine + 1);
    parts.push({ ...passage, startLine: next, lines });
  };
  for (const range of shown) {
    const first = Math.max(range.startLine, next);
    const last = Math.min(range.endLine, endLine);
    if (last - first + 1 < leastNamed) continue;
    add(first - 1);
    next = last + 1;
  }
  add(endLine);
  return parts;
}

/** A passage under its marker, then its caption; runs of lines that were shown before are named. */
export function formatUnshown(passage: Passage, shown: LineSet, caption?: string): string {
  const { startLine, lines } = passage;
  const endLine = startLine + lines.length - 1;
  let next = startLine;
  const written = [formatMarker({ ...passage, endLine }), ...(caption === undefined ? [] : [caption])];
  const nameUntil = (end: number) => {
    if (end >= next) written.push(`(lines ${next}-${end}: shown above)`);
  };
  for (const part of unshownParts(passage, shown)) {
    nameUntil(part.startLine - 1);
    written.push(...numberLines(part));
    next = part.startLine + part.lines.length;
  }
  nameUntil(endLine);
  return written.join("\n");
}
