import type { PackedFiles } from "../packed-files.ts";
import type { TextOutcome, TextQuery } from "./text-search.ts";

/** Files for a thread to search. */
export interface SearchMessage {
  query: TextQuery;
  /** Of the tree, a real path. */
  root: string;
  files: PackedFiles;
  /** How many matching lines are told, and how many counted. */
  limit: number;
  enough: number;
  /** For how long: the files that are left when it is over have no answer. */
  timeMs: number;
}

/** Outcomes as they are sent: numbers of all, then lines and reasons in the order in which they come. */
export interface SearchAnswer {
  /** Of each file: 0 where it was skipped; else 1 + matching lines, how many are told and shown, and those told. */
  numbers: Uint32Array<ArrayBuffer>;
  lines: string;
  reasons: string[];
}

export function packOutcomes(outcomes: readonly TextOutcome[]): SearchAnswer {
  const numbers: number[] = [];
  const lines: string[] = [];
  const reasons: string[] = [];
  for (const outcome of outcomes) {
    if (outcome.type === "skipped") {
      numbers.push(0);
      reasons.push(outcome.reason);
      continue;
    }
    numbers.push(1 + outcome.count);
    if (outcome.count === 0) continue;
    numbers.push(outcome.matchLines.length, outcome.lines.length);
    for (const line of outcome.matchLines) numbers.push(line);
    for (const line of outcome.lines) lines.push(line);
  }
  return { numbers: Uint32Array.from(numbers), lines: lines.join("\n"), reasons };
}

export function unpackOutcomes({ numbers, lines, reasons }: SearchAnswer): TextOutcome[] {
  const outcomes: TextOutcome[] = [];
  const allLines = lines.split("\n");
  let linesTaken = 0;
  let reasonsTaken = 0;
  for (let at = 0; at < numbers.length;) {
    const head = numbers[at++] ?? 0;
    if (head === 0) outcomes.push({ type: "skipped", reason: reasons[reasonsTaken++] ?? "" });
    else if (head === 1) outcomes.push({ type: "searched", count: 0, matchLines: [], lines: [] });
    else {
      const told = numbers[at++] ?? 0;
      const shown = numbers[at++] ?? 0;
      const matchLines = [...numbers.subarray(at, (at += told))];
      outcomes.push({
        type: "searched",
        count: head - 1,
        matchLines,
        lines: allLines.slice(linesTaken, (linesTaken += shown)),
      });
    }
  }
  return outcomes;
}
