/**
 * A part of a text, in UTF-16 units. Long texts are indexed in parts, because as a whole they contain nearly every trigram.
 * Parts overlap, so that one of them contains any literal of up to `literalLimit` characters.
 */
export interface TextPart {
  start: number;
  end: number;
  /** How far the next part is from this one, in bytes of UTF-8 and in line ends; zeros where there is none. */
  bytes: number;
  lineEnds: number;
}

const partLength = 32 * 1024;
/** Of a longer literal, the beginning is looked up. */
export const literalLimit = 200;

export function partsOf(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let start = 0;
  while (text.length - start > partLength + literalLimit) {
    const next = wholeCharacter(text, start + partLength);
    const own = text.slice(start, next);
    const lineEnds = own.split("\n").length - 1;
    parts.push({ start, end: next + literalLimit, bytes: Buffer.byteLength(own), lineEnds });
    start = next;
  }
  return [...parts, { start, end: text.length, bytes: 0, lineEnds: 0 }];
}

/** The place, or the next one where it is within a character of two units. */
function wholeCharacter(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code >= 0xdc00 && code < 0xe000 ? place + 1 : place;
}

/** Where a literal may begin in the UTF-8 of a text, without a byte order mark, and how many line ends come before. */
export interface PartRange {
  start: number;
  end: number;
  lineEnds: number;
}

/** Fits into 32 bits. */
const endOfText = 2 ** 32 - 1;

/** Those of the parts of a text, from the first to the last, that `isWanted`: where they touch they are one. */
export function rangesOf(
  { first, last, bytes, lineEnds }: { first: number; last: number; bytes: Uint32Array; lineEnds: Uint32Array },
  isWanted: (part: number) => boolean,
): PartRange[] {
  const ranges: PartRange[] = [];
  const at = { bytes: 0, lineEnds: 0 };
  for (let part = first; part <= last; part++) {
    const next = at.bytes + (bytes[part] ?? 0);
    if (isWanted(part)) {
      const end = part === last ? endOfText : next;
      const before = ranges.at(-1);
      if (before !== undefined && before.end >= at.bytes) before.end = end;
      else ranges.push({ start: at.bytes, end, lineEnds: at.lineEnds });
    }
    at.bytes = next;
    at.lineEnds += lineEnds[part] ?? 0;
  }
  return ranges;
}
