import { editDistance } from "../protocol/edit-distance.ts";

/** Suggests candidates within two edits of `wanted` (one, where it has three letters or fewer), or containing it, best first. */
export function nearest(wanted: string, candidates: Iterable<string>, { limit = 3 } = {}): string[] {
  const lower = wanted.toLowerCase();
  const scored: { candidate: string; distance: number }[] = [];
  for (const candidate of candidates) {
    const distance = closeness(lower, candidate.toLowerCase());
    if (distance <= mostEdits) scored.push({ candidate, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

const mostEdits = 2;

/**
 * A cheap filter before `nearest`: whether a slice of a text may be near a wanted name, by its length and missing letters.
 * It rejects most names of a tree.
 */
export function createNearTest(
  wanted: readonly string[],
): (text: string, place: { from: number; to: number }) => boolean {
  const words = wanted.map((word) => ({
    length: word.length,
    letters: lettersOf(word.toLowerCase(), 0, word.length, 0),
  }));
  return (text, { from, to }) => {
    const own = lettersOf(text, from, to, -1);
    return words.some(({ length, letters }) => {
      const more = to - from - length;
      return more >= -mostEdits && bitCount(letters & ~own) <= (more > mostEdits ? 0 : mostEdits);
    });
  };
}

/** One bit per ASCII letter, case-insensitive, and `others` for any other character. */
function lettersOf(text: string, from: number, to: number, others: number): number {
  let letters = 0;
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    letters |= code < 128 ? 1 << (code & 31) : others;
  }
  return letters;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function closeness(wanted: string, candidate: string): number {
  if (wanted.length >= 3 && candidate.includes(wanted)) return 1;
  return editDistance(wanted, candidate, { limit: wanted.length > 3 ? mostEdits : 1 });
}
