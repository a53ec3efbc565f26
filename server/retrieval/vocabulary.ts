import { splitIdentifier, stem } from "../lib/words.ts";

/** Numbers terms, and words as the terms they hold. */
export interface Vocabulary {
  readonly ids: ReadonlyMap<string, number>;
  /** The numbers of the terms of a word as it stands in a text; new terms get new numbers. */
  termsOf(word: string): readonly number[];
}

export function createVocabulary(): Vocabulary {
  const ids = new Map<string, number>();
  const known = new Map<string, readonly number[]>();
  const numberOf = (term: string): number => {
    const id = ids.get(term);
    if (id !== undefined) return id;
    ids.set(detached(term), ids.size);
    return ids.size - 1;
  };
  return {
    ids,
    termsOf(word) {
      const seen = known.get(word);
      if (seen !== undefined) return seen;
      const numbers = termsOf(word).map(numberOf);
      known.set(word, numbers);
      return numbers;
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

function isWordCode(code: number): boolean {
  if (code < 128)
    return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95;
  return (
    code >= 0xc0 &&
    !(code >= 0x2000 && code <= 0x206f) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    !(code >= 0xff00 && code <= 0xff0f)
  );
}

/** A copy to keep: V8 holds the whole file behind a slice of its text (strings of 13 units and more). */
export function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}
