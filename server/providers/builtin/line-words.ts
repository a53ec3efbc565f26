import { importTest } from "../../source/grammars.ts";
import { splitIdentifier, stem, wordsIn } from "../../source/words.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Stretch } from "./evidence.ts";
import type { Question, QuestionWord } from "./question.ts";

/** The stems of the words on each line, by its number. */
export type LineWords = Map<number, ReadonlySet<string>>;

/** Import lines are ignored, unless the question is about imports. */
export function wordsByLine(
  { path, startLine, lines, isDocument }: Stretch,
  { isAboutImports }: Pick<Question, "isAboutImports">,
): LineWords {
  const isImport = isAboutImports ? () => false : importTest(path);
  const imports = isDocument || isAboutImports ? new Set<number>() : importLists(lines);
  return new Map(
    lines.map((line, index) => {
      return [startLine + index, imports.has(index) || isImport(line) ? new Set<string>() : stemsOf(line)];
    }),
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

/** The indexes of lines that belong to multi-line imports. */
function importLists(lines: readonly string[]): Set<number> {
  const found = new Set<number>();
  for (const [index, line] of lines.entries()) {
    if (found.has(index) || !/^(?:import|export|from|const|let|var)\b[^;'"]*[{(]\s*$/.test(line)) continue;
    const length = lines.slice(index, index + importLimit).findIndex((text) => /^[)}]/.test(text));
    const last = lines[index + length] ?? "";
    const isImport =
      /^(?:import\b|from\s.*\bimport\b)/.test(line) ||
      /^\}\s*(?:from\b|=\s*(?:await\s+)?(?:require|import)\()/.test(last);
    if (length > 0 && isImport) for (let next = index; next <= index + length; next++) found.add(next);
  }
  return found;
}

const importLimit = 80;

/** Includes the stems of whole identifiers: a question may contain `ETag`, and the code `etag`. */
function stemsOf(line: string): Set<string> {
  const words = wordsIn(line);
  return new Set([...words.flatMap(splitIdentifier), ...words.map((word) => word.toLowerCase())].map(stem));
}
