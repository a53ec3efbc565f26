import type { PackedFiles } from "../packed-files.ts";
import { noText } from "./text-buffer.ts";
import type { TextMatches, TextOutcome, TextQuery } from "./text-search.ts";

/** Files for a thread to search. */
export interface SearchMessage {
  query: TextQuery;
  /** Of the tree, a real path. */
  root: string;
  files: PackedFiles;
  /** How many matching lines are returned, and how many are counted. */
  limit: number;
  enough: number;
  /** For how long: the files that are left when it is over have no answer. */
  timeMs: number;
}

/** Outcomes as they are sent: memory that is given away, so that nothing is copied on the way. */
export interface SearchAnswer {
  /** For each file: 0 if it was skipped, else 1 + matching lines, followed by their details. */
  numbers: Uint32Array<ArrayBuffer>;
  /** One after the other. */
  texts: Uint8Array<ArrayBuffer>;
  reasons: string[];
}

/** Before the returned lines: how many match, how many are returned, the length of their text. */
const numbersPerFile = 3;

export function packOutcomes(outcomes: readonly TextOutcome[]): SearchAnswer {
  const told = sumOf(outcomes, ({ matchLines }) => matchLines.length);
  const numbers = new Uint32Array(numbersPerFile * outcomes.length + told);
  const texts = new Uint8Array(sumOf(outcomes, ({ text }) => text.length));
  const reasons: string[] = [];
  let at = 0;
  let textAt = 0;
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
    texts.set(text, textAt);
    textAt += text.length;
  }
  return { numbers: numbers.slice(0, at), texts, reasons };
}

export function unpackOutcomes({ numbers, texts, reasons }: SearchAnswer): TextOutcome[] {
  const outcomes: TextOutcome[] = [];
  let textAt = texts.byteOffset;
  let reasonsTaken = 0;
  for (let at = 0; at < numbers.length;) {
    const head = numbers[at++] ?? 0;
    if (head === 0) outcomes.push({ type: "skipped", reason: reasons[reasonsTaken++] ?? "" });
    else if (head === 1) outcomes.push({ type: "searched", count: 0, matchLines: [], text: noText });
    else {
      const told = numbers[at++] ?? 0;
      const matchLines: number[] = [];
      for (const end = at + told; at < end; at++) matchLines.push(numbers[at] ?? 0);
      const text = Buffer.from(texts.buffer, textAt, numbers[at++]);
      textAt += text.length;
      outcomes.push({ type: "searched", count: head - 1, matchLines, text });
    }
  }
  return outcomes;
}

function sumOf(outcomes: readonly TextOutcome[], numberOf: (matches: TextMatches) => number): number {
  return outcomes.reduce((sum, outcome) => sum + (outcome.type === "skipped" ? 0 : numberOf(outcome)), 0);
}
