import { contentHash } from "../../../lib/content-hash.ts";
import type { Citation } from "../../../protocol/citation.ts";
import type { CitedText } from "../../../protocol/threads.ts";

/** What the built-in provider writes between ranges of a file. */
const gapLine = "…";

/**
 * The number in its file of each line of a block of code that is exactly what the answer cites, or several such ranges with
 * gaps between them; undefined for a gap, and for code that the model has written or changed.
 */
export function lineNumbersOf(
  code: string,
  { citations, cited }: { citations: readonly Citation[]; cited: readonly CitedText[] },
): (number | undefined)[] | undefined {
  if (cited.length === 0) return undefined;
  const firstOf = (lines: readonly string[]) => {
    const text = lines.join("\n");
    const hash = contentHash(text);
    const ids = new Set(cited.filter((one) => one.length === text.length && one.text === hash).map(idOf));
    const starts = new Set(citations.filter(({ id }) => ids.has(id)).map(({ startLine }) => startLine));
    // The same text may be cited at several places.
    return starts.size === 1 ? [...starts][0] : undefined;
  };
  const lines = code.split("\n");
  const whole = firstOf(lines);
  if (whole !== undefined) return lines.map((_, index) => whole + index);
  const numbers: (number | undefined)[] = [];
  for (const [index, piece] of splitAtGaps(lines).entries()) {
    const first = firstOf(piece);
    if (first === undefined) return undefined;
    numbers.push(...(index === 0 ? [] : [undefined]), ...piece.map((_, offset) => first + offset));
  }
  return numbers;
}

function idOf({ citation }: CitedText): string {
  return citation;
}

function splitAtGaps(lines: readonly string[]): string[][] {
  const pieces: string[][] = [[]];
  for (const line of lines) {
    if (line === gapLine) pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces;
}
