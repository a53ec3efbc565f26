/** Of a longer line, the part around its first match is shown. */
const shownLineLength = 900;
/** Characters before the match. */
const leadLength = 100;

export interface ShownLinesOptions {
  contextLines: number;
  /** The part of a line that is shown, without its end. */
  showLine: (start: number, end: number) => string;
}

/**
 * The lines that begin at `starts` and those around them, each once, in order. They are cut out of the text or its bytes,
 * which is not split as a whole for a few of its lines.
 */
export function shownLines(
  text: string | Buffer,
  starts: readonly number[],
  { contextLines, showLine }: ShownLinesOptions,
): string[] {
  const lines: string[] = [];
  const endOf = (at: number) => {
    const end = text.indexOf("\n", at);
    return end === -1 ? text.length : end;
  };
  let shownUntil = 0;
  for (const start of starts) {
    let from = start;
    for (let before = 0; before < contextLines && from > shownUntil; before++) {
      from = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
    }
    let until = start;
    for (let after = 0; after <= contextLines && until < text.length; after++) until = endOf(until) + 1;
    for (let at = Math.max(from, shownUntil); at < Math.min(until, text.length);) {
      const end = endOf(at);
      lines.push(showLine(at, end));
      at = end + 1;
    }
    shownUntil = Math.max(shownUntil, until);
  }
  return lines;
}

/** A line, or the part around its first match; `indexIn` tells where that is, or -1. */
export function showText(line: string, indexIn: (line: string) => number): string {
  const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
  return showPart(
    plain.length,
    () => indexIn(plain),
    (from, until) => plain.slice(from, until),
  );
}

/** The same of a line that is only cut out as far as it is shown. */
export function showPart(
  length: number,
  firstMatch: () => number,
  cut: (from: number, until: number) => string,
): string {
  if (length <= shownLineLength) return cut(0, length);
  const start = Math.max(0, Math.min(firstMatch() - leadLength, length - shownLineLength));
  const end = start + shownLineLength;
  return `${start > 0 ? "…" : ""}${cut(start, end)}${end < length ? "…" : ""}`;
}
