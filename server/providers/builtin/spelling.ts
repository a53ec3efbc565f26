import { editDistance } from "../../protocol/edit-distance.ts";
import { splitIdentifier, stem } from "../../source/words.ts";
import { type Hit, occurs } from "./evidence.ts";
import type { Question } from "./question.ts";

/** A name in the question that occurs nowhere. */
export interface Misspelling {
  written: string;
  /** The name of the nearest definition, which replaces it. */
  name: string;
}

/** Shorter names are not corrected, because they resemble many others; longer ones may differ in two letters. */
const leastLength = 5;
const longLength = 10;

/**
 * Corrects names in the question: a name without a match is replaced by that of a definition that differs in one or two
 * letters. Such definitions are among the hits, because search matches similar names too.
 */
export function correctSpelling(
  question: Question,
  hits: readonly Hit[],
): { question: Question; misspellings: Misspelling[] } {
  const strong = question.words.filter(({ isStrong }) => isStrong);
  const written = new Set([...question.names, ...(strong.length === 1 ? strong.map(({ word }) => word) : [])]);
  // The index does not tell `new_socket` from `ne_wsocket`.
  const isKnown = (name: string) =>
    question.words.some(({ word, stems, share = 0 }) => word === name && stems.length === 1 && share > 0);
  const misspellings = [...written].flatMap((name) => (isKnown(name) ? [] : (misspellingOf(name, hits) ?? [])));
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
