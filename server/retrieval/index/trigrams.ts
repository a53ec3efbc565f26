import { createNumberList } from "../format/number-list.ts";
import type { TextPart } from "../text-parts.ts";

/**
 * Three consecutive characters as a number of 24 bits. ASCII letters ignore case. Other characters are cut to a part of
 * their code: a false candidate costs a look, a missing one would lose a match.
 */
export function trigramsOf(text: string): number[] {
  const trigrams: number[] = [];
  for (let at = 2; at < text.length; at++) {
    trigrams.push(
      (fold(text.charCodeAt(at - 2)) << 16) | (fold(text.charCodeAt(at - 1)) << 8) | fold(text.charCodeAt(at)),
    );
  }
  return trigrams;
}

/** Visits each distinct trigram of a part of a text once. */
export interface TrigramCollector {
  visit(text: string, part: TextPart, each: (trigram: number) => void): void;
}

/** In characters. */
const smallPart = 2048;

export function createTrigramCollector(): TrigramCollector {
  // A bit for each trigram: 2 MB, which fits a processor's cache. Trees of small files need none.
  let seen: Uint32Array | undefined;
  const visited = createNumberList();
  return {
    visit(text, { start, end }, each) {
      if (end - start <= smallPart) {
        for (const trigram of new Set(trigramsOf(text.slice(start, end)))) each(trigram);
        return;
      }
      seen ??= new Uint32Array(1 << 19);
      visited.clear();
      let window = 0;
      for (let at = start; at < end; at++) {
        window = ((window << 8) | fold(text.charCodeAt(at))) & 0xffffff;
        if (at < start + 2) continue;
        const bits = seen[window >>> 5] ?? 0;
        const bit = 1 << (window & 31);
        if ((bits & bit) !== 0) continue;
        seen[window >>> 5] = bits | bit;
        visited.push(window);
      }
      for (const trigram of visited.values()) {
        seen[trigram >>> 5] = 0;
        each(trigram);
      }
    },
  };
}

function fold(code: number): number {
  if (code >= 128) return 128 | (code & 127);
  return code >= 65 && code <= 90 ? code | 32 : code;
}
