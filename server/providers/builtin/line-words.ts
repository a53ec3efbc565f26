import { importLineTest } from "../../source/grammars.ts";
import { splitIdentifier, stem, wordsIn } from "../../source/words.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Stretch } from "./evidence.ts";
import type { Question, QuestionWord } from "./question.ts";

/** The stems of the words on each line, by its number. */
export type LineWords = Map<number, ReadonlySet<string>>;

/** Import lines are ignored, unless the question is about imports. */
export function wordsByLine(
  { path, startLine, lines }: Stretch,
  { isAboutImports }: Pick<Question, "isAboutImports">,
): LineWords {
  const isImport = isAboutImports ? () => false : importLineTest(path, lines);
  return new Map(
    lines.map((line, index) => [startLine + index, isImport(index + 1) ? new Set<string>() : stemsOf(line)]),
  );
}

/** The lines that contain a word: its stems, or longer words that begin with them (`route`, `router`). */
export function linesWith(
  { word, stems }: QuestionWord,
  { startLine, endLine }: LineRange,
  words: LineWords,
): number[] {
  const lines: number[] = [];
  const whole = stem(word.toLowerCase());
  for (let line = startLine; line <= endLine; line++) {
    const there = words.get(line) ?? new Set<string>();
    const has = (part: string) =>
      there.has(part) || (part.length > 3 && [...there].some((other) => other.startsWith(part)));
    if (there.has(whole) || stems.every(has)) lines.push(line);
  }
  return lines;
}

/** Includes the stems of whole identifiers: a question may contain `ETag`, and the code `etag`. */
function stemsOf(line: string): Set<string> {
  const words = wordsIn(line);
  return new Set([...words.flatMap(splitIdentifier), ...words.map((word) => word.toLowerCase())].map(stem));
}
