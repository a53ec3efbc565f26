import { editDistance } from "../../lib/nearest.ts";
import { splitIdentifier, stem } from "../../source/words.ts";
import type { Hit } from "./evidence.ts";
import type { Question } from "./question.ts";
import { occurs } from "./role.ts";

export interface Misspelling {
  written: string;
  /** The definition that was found in its place. */
  name: string;
}

/** Shorter names come close to many, and longer ones may be two letters off. */
const leastLength = 5;
const longLength = 10;

/**
 * The question with corrected names: a name without a match is replaced by a definition that is a letter or two off.
 * Search has looked for such names too, or they would not be among the hits.
 */
export function correctSpelling(
  question: Question,
  hits: readonly Hit[],
): { question: Question; misspellings: Misspelling[] } {
  const strong = question.words.filter(({ isStrong }) => isStrong);
  const written = new Set([...question.names, ...(strong.length === 1 ? strong.map(({ word }) => word) : [])]);
  const misspellings = [...written].flatMap((name) => misspellingOf(name, hits) ?? []);
  const corrected = new Map(misspellings.map(({ written, name }) => [written, name]));
  if (corrected.size === 0) return { question, misspellings };
  const words = question.words.map((word) => {
    const name = corrected.get(word.word);
    return name === undefined ? word : { ...word, word: name, stems: splitIdentifier(name).map(stem) };
  });
  const names = question.names.map((name) => corrected.get(name) ?? name);
  return { question: { ...question, words, names }, misspellings };
}

function misspellingOf(written: string, hits: readonly Hit[]): Misspelling | undefined {
  const lower = written.toLowerCase();
  const isThere = () => hits.some(({ stretch }) => stretch.lines.some((line) => occurs(lower, line.toLowerCase())));
  if (written.length < leastLength || isThere()) return undefined;
  let nearest: { name: string; distance: number } | undefined;
  for (const { name } of hits.flatMap(({ stretch }) => stretch.definitions)) {
    if (Math.abs(name.length - written.length) > 2) continue;
    const distance = editDistance(lower, name.toLowerCase());
    if (distance < (nearest?.distance ?? (written.length < longLength ? 2 : 3))) nearest = { name, distance };
  }
  return nearest && { written, name: nearest.name };
}
