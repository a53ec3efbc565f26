import { once } from "../once.ts";

const letters = /^[\p{L}\p{M}\p{N}_]/u;

/** A letter of any language, a digit or `_`: a whole word has none beside it. */
export function isWordLetter(character: string): boolean {
  return letters.test(character);
}

/** The expression, restricted to matches without such a letter beside them. */
export function boundWord(source: string): string {
  return `(?<!${letterClass()})(?:${source})(?!${letterClass()})`;
}

/** Written as ranges to avoid the flag `u`, which changes case folding. */
const letterClass = once(() => {
  let ranges = "";
  let start: number | undefined;
  for (let code = 0; code <= 0x10000; code++) {
    if (code < 0x10000 && isWordLetter(String.fromCharCode(code))) start ??= code;
    else if (start !== undefined) {
      ranges += `${escapeUnit(start)}-${escapeUnit(code - 1)}`;
      start = undefined;
    }
  }
  return `[${ranges}]`;
});

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
