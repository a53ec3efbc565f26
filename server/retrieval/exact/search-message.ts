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

/** Outcomes as they are sent: numbers of all; texts and reasons in the order in which they come. */
export interface SearchAnswer {
  /** Of each file: 0 where it was skipped; else 1 + matching lines, how many are told, and those. */
  numbers: Uint32Array<ArrayBuffer>;
  texts: string[];
  reasons: string[];
}

const numbersPerFile = 2;

export function packOutcomes(outcomes: readonly TextOutcome[]): SearchAnswer {
  const told = outcomes.reduce((sum, outcome) => sum + (outcome.type === "skipped" ? 0 : outcome.matchLines.length), 0);
  const numbers = new Uint32Array(numbersPerFile * outcomes.length + told);
  const texts: string[] = [];
  const reasons: string[] = [];
  let at = 0;
  for (const outcome of outcomes) {
    if (outcome.type === "skipped") {
      numbers[at++] = 0;
      reasons.push(outcome.reason);
      continue;
    }
    const { count, matchLines, text } = outcome;
    numbers[at++] = 1 + count;
    if (count === 0) continue;
    numbers[at++] = matchLines.length;
    for (const line of matchLines) numbers[at++] = line;
    if (matchLines.length > 0) texts.push(text);
  }
  return { numbers: numbers.slice(0, at), texts, reasons };
}

export function unpackOutcomes({ numbers, texts, reasons }: SearchAnswer): TextOutcome[] {
  const outcomes: TextOutcome[] = [];
  let textsTaken = 0;
  let reasonsTaken = 0;
  for (let at = 0; at < numbers.length;) {
    const head = numbers[at++] ?? 0;
    if (head === 0) outcomes.push({ type: "skipped", reason: reasons[reasonsTaken++] ?? "" });
    else if (head === 1) outcomes.push({ type: "searched", count: 0, matchLines: [], text: "" });
    else {
      const told = numbers[at++] ?? 0;
      const matchLines: number[] = [];
      for (const end = at + told; at < end; at++) matchLines.push(numbers[at] ?? 0);
      outcomes.push({
        type: "searched",
        count: head - 1,
        matchLines,
        text: told === 0 ? "" : (texts[textsTaken++] ?? ""),
      });
    }
  }
  return outcomes;
}
