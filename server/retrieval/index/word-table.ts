import { randomInt } from "node:crypto";
import { createNumberList } from "../format/number-list.ts";

/** Numbers words in place: nearly all were seen before, and need no new string. */
export interface WordTable {
  /** The words by number. */
  readonly words: readonly string[];
  /**
   * Calls `visit` with the number of every word of two characters or more between two places of a text; returns how
   * many there are, with those that are too long to be met again, which are not visited.
   */
  forEach(text: string, place: { start: number; end: number }, visit: (word: number) => void): number;
}

/** A different seed in each process, so that crafted words cannot all collide. */
const seed = randomInt(2 ** 32);
/** The prime of FNV-1a with 32 bits. */
const prime = 0x01000193;

/** `longest` is the most characters of a word that is kept. */
export function createWordTable({ longest }: { longest: number }): WordTable {
  const words: string[] = [];
  const hashes = createNumberList();
  /** Open addressing by hash: 1 + the number of a word; at most half full. */
  let slots = new Uint32Array(256);
  return {
    words,
    forEach(text, { start, end }, visit) {
      let count = 0;
      for (let at = start; at < end; at++) {
        const from = at;
        let hash = seed;
        for (; at < end; at++) {
          const code = text.charCodeAt(at);
          if (!isWordCode(code)) break;
          hash = Math.imul(hash ^ code, prime);
        }
        if (at - from < 2) continue;
        count++;
        if (at - from > longest) continue;
        visit(numberOf(text, { start: from, end: at }, (hash ^ (hash >>> 15)) >>> 0));
      }
      return count;
    },
  };

  function numberOf(text: string, place: { start: number; end: number }, hash: number): number {
    let slot = hash & (slots.length - 1);
    for (let found = slots[slot] ?? 0; found !== 0; found = slots[slot] ?? 0) {
      if (hashes.at(found - 1) === hash && occursAt(words[found - 1] ?? "", text, place)) return found - 1;
      slot = (slot + 1) & (slots.length - 1);
    }
    words.push(detached(text.slice(place.start, place.end)));
    hashes.push(hash);
    slots[slot] = words.length;
    if (2 * words.length > slots.length) enlarge();
    return words.length - 1;
  }

  function enlarge(): void {
    slots = new Uint32Array(2 * slots.length);
    for (const [word, hash] of hashes.values().entries()) {
      let slot = hash & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = word + 1;
    }
  }
}

function occursAt(word: string, text: string, { start, end }: { start: number; end: number }): boolean {
  if (word.length !== end - start) return false;
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  return true;
}

/** Letters, digits and underscores; beyond ASCII all but punctuation and spaces counts as a letter. */
export function isWordCode(code: number): boolean {
  if (code < 128) return asciiWordCodes[code] === 1;
  return (
    code >= 0xc0 &&
    !(code >= 0x2000 && code <= 0x206f) &&
    !(code >= 0x3000 && code <= 0x303f) &&
    !(code >= 0xff00 && code <= 0xff0f)
  );
}

const asciiWordCodes = Uint8Array.from({ length: 128 }, (_, code) => (/\w/.test(String.fromCharCode(code)) ? 1 : 0));

/** A copy, because a slice keeps the whole file's text alive in V8 (strings of 13 units and more). */
function detached(text: string): string {
  return text.length < 13 ? text : Buffer.from(text).toString();
}
