import type { LineRange } from "../../protocol/citation.ts";
import type { Series } from "../../source/blocks.ts";
import { linesIn, type Stretch } from "./evidence.ts";
import { type LineWords, linesWith } from "./line-words.ts";
import type { Question, QuestionWord } from "./question.ts";

/** The inputs for choosing lines of a hit. */
export interface Context {
  stretch: Stretch;
  question: Question;
  limits: Limits;
  series: readonly Series[];
  words: LineWords;
}

export interface Limits {
  /** A definition or section of at most this many lines is shown whole. */
  whole: number;
  /** The maximum number of lines of anything else. */
  window: number;
}

export function foundIn(pieces: readonly LineRange[], context: Context): QuestionWord[] {
  return context.question.words.filter((word) =>
    pieces.some((piece) => linesWith(word, piece, context.words).length > 0),
  );
}

export function textOf({ startLine, lines }: Stretch, line: number): string {
  return lines[line - startLine] ?? "";
}

/** Counts lines of a hundred characters, because a long line takes as long to read as several short ones. */
export function heightOf(pieces: readonly LineRange[], stretch: Pick<Stretch, "startLine" | "lines">): number {
  const shown = pieces.flatMap((piece) => linesIn(stretch, piece));
  return shown.reduce((height, { length }) => height + Math.max(1, length / 100), 0);
}

export function overlaps(a: LineRange, b: LineRange): boolean {
  return a.startLine <= b.endLine && b.startLine <= a.endLine;
}

export function numbersOf(startLine: number, endLine: number): number[] {
  return Array.from({ length: endLine - startLine + 1 }, (_, index) => startLine + index);
}
