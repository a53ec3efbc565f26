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

/**
 * Outcomes as they are sent. One string for all texts: memory of so many small ones is moved about again and again
 * before it is known that they stay.
 */
export interface SearchAnswer {
  /** Of each file: 0 where it was skipped; else 1 + matching lines, and of one that has some what is told of them. */
  numbers: Uint32Array<ArrayBuffer>;
  text: string;
  reasons: string[];
}

/** Beside the lines that are told: how many match, how many are told, the length of their text. */
const numbersPerFile = 3;

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
    numbers[at++] = text.length;
    texts.push(text);
  }
  return { numbers: numbers.slice(0, at), text: texts.join(""), reasons };
}

export function unpackOutcomes({ numbers, text, reasons }: SearchAnswer): TextOutcome[] {
  const outcomes: TextOutcome[] = [];
  let textTaken = 0;
  let reasonsTaken = 0;
  for (let at = 0; at < numbers.length;) {
    const head = numbers[at++] ?? 0;
    if (head === 0) outcomes.push({ type: "skipped", reason: reasons[reasonsTaken++] ?? "" });
    else if (head === 1) outcomes.push({ type: "searched", count: 0, matchLines: [], text: "" });
    else {
      const told = numbers[at++] ?? 0;
      const matchLines: number[] = [];
      for (const end = at + told; at < end; at++) matchLines.push(numbers[at] ?? 0);
      const shown = text.slice(textTaken, (textTaken += numbers[at++] ?? 0));
      outcomes.push({ type: "searched", count: head - 1, matchLines, text: shown });
    }
  }
  return outcomes;
}
