import { importLineTest } from "../../source/grammars.ts";
import { splitIdentifier, stem, wordsIn } from "../../source/words.ts";
import type { LineRange } from "../../protocol/citation.ts";
import type { Stretch } from "./evidence.ts";
import type { Question, QuestionWord } from "./question.ts";

/** The words of lines. */
export interface LineWords {
  /** The stems on each line, by its number. */
  stems: Map<number, ReadonlySet<string>>;
  /** The lines that have a word, for words that were looked for. */
  lines: Map<QuestionWord, readonly number[]>;
}

/** Import lines are ignored, unless the question is about imports. */
export function wordsByLine(stretch: Stretch, { isAboutImports }: Pick<Question, "isAboutImports">): LineWords {
  const { path, startLine, lines } = stretch;
  const isImport = isAboutImports ? () => false : importLineTest(path, lines);
  const stems = stemsIn(stretch).map((own, index) => {
    return [startLine + index, isImport(index + 1) ? new Set<string>() : own] as const;
  });
  return { stems: new Map(stems), lines: new Map() };
}

/** The lines that contain a word: its stems, or longer words that begin with them (`route`, `router`). */
export function linesWith(word: QuestionWord, { startLine, endLine }: LineRange, words: LineWords): number[] {
  const all = words.lines.get(word) ?? allWith(word, words);
  words.lines.set(word, all);
  return all.filter((line) => line >= startLine && line <= endLine);
}

function allWith({ word, stems }: QuestionWord, words: LineWords): number[] {
  const whole = stem(word.toLowerCase());
  return [...words.stems].flatMap(([line, there]) => {
    const has = (part: string) =>
      there.has(part) || (part.length > 3 && [...there].some((other) => other.startsWith(part)));
    return there.has(whole) || stems.every(has) ? [line] : [];
  });
}

/** The stems of each line: many hits share a stretch. */
function stemsIn(stretch: Stretch): readonly ReadonlySet<string>[] {
  const known = stemsOfStretches.get(stretch) ?? stretch.lines.map(stemsOf);
  stemsOfStretches.set(stretch, known);
  return known;
}

const stemsOfStretches = new WeakMap<Stretch, readonly ReadonlySet<string>[]>();

/** Includes the stems of whole identifiers: a question may contain `ETag`, and the code `etag`. */
function stemsOf(line: string): Set<string> {
  const words = wordsIn(line);
  return new Set([...words.flatMap(splitIdentifier), ...words.map((word) => word.toLowerCase())].map(stem));
}
