import { splitIdentifier, stem } from "../../source/words.ts";
import { createNumberList, type SumTable } from "../format/number-list.ts";
import { keyOf } from "../format/sorted-table.ts";
import { createWordTable, isWordCode } from "./word-table.ts";

/** Numbers terms, and counts them in texts. */
export interface Vocabulary {
  /** The terms seen so far with their numbers; the terms are keys of a sorted table. */
  readonly terms: ReadonlyMap<string, number>;
  /** The number of words seen; their terms are cached. */
  readonly wordCount: number;
  /** Adds an amount to the sum of a term for each occurrence in a range of the text; returns the number of words there. */
  count(text: string, place: { start: number; end: number }, to: { sums: SumTable; amount: number }): number;
}

export function createVocabulary(): Vocabulary {
  const { words, forEach } = createWordTable({ longest: wordLengthLimit });
  const terms = new Map<string, number>();
  /** Word `w` has the terms from `starts[w]` up to `starts[w + 1]`. */
  const termsOfWords = createNumberList();
  const starts = createNumberList();
  starts.push(0);
  const numberOf = (term: string): number => {
    const key = keyOf(term);
    const known = terms.get(key);
    if (known !== undefined) return known;
    terms.set(key, terms.size);
    return terms.size - 1;
  };
  return {
    terms,
    get wordCount() {
      return words.length;
    },
    count(text, place, { sums, amount }) {
      return forEach(text, place, (word) => {
        if (word === starts.length - 1) {
          for (const term of termsOf(words[word] ?? "")) termsOfWords.push(numberOf(term));
          starts.push(termsOfWords.length);
        }
        const end = starts.at(word + 1);
        for (let at = starts.at(word); at < end; at++) sums.add(termsOfWords.at(at), amount);
      });
    },
  };
}

/** Longer words are hashes, keys and encoded data. */
const wordLengthLimit = 64;

/**
 * The terms by which a word is found: the stems of its parts, and its parts joined in pairs and whole, so that "buffer
 * size", `bufferSize` and `buffer_size` find one another.
 */
export function termsOf(word: string): string[] {
  if (word.length > wordLengthLimit) return [];
  const parts = splitIdentifier(word);
  const [only] = parts;
  if (only === undefined) return [];
  if (parts.length === 1) return withoutDigits(only);
  const pairs = parts.slice(1).map((part, index) => `${parts[index]}${part}`);
  const whole = parts.length > 2 ? [parts.join("")] : [];
  return [...new Set([...parts.flatMap(withoutDigits), ...pairs, ...whole])];
}

/** `http2` is found by http too. */
function withoutDigits(part: string): string[] {
  const letters = /^(\D{2,})\d+$/.exec(part)?.[1];
  return letters === undefined ? [stem(part)] : [part, stem(letters)];
}

/**
 * Calls `visit` with every word of two characters or more, and where it starts: runs of letters, digits and underscores.
 * Beyond ASCII all but punctuation and spaces counts as a letter.
 */
export function forEachWord(text: string, visit: (word: string, start: number) => void): void {
  let start = -1;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && isWordCode(text.charCodeAt(index))) {
      if (start === -1) start = index;
    } else if (start !== -1) {
      if (index - start > 1) visit(text.slice(start, index), start);
      start = -1;
    }
  }
}
