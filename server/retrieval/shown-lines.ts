/** Of a longer line, so much is shown around the place that was looked for. */
const shownBefore = 100;
export const shownAfter = 800;
export const shownLineLength = shownBefore + shownAfter;

/** Lines of a text or its bytes: where each begins, and where its line end is, or the end of the text. */
export interface LinePlaces {
  starts: number[];
  ends: number[];
}

/** The lines and those around them, each once, in order. */
export function linesAround(text: string | Buffer, lines: LinePlaces, contextLines: number): LinePlaces {
  if (contextLines === 0) return lines;
  const around: LinePlaces = { starts: [], ends: [] };
  const endOf = (at: number) => {
    const end = text.indexOf("\n", at);
    return end === -1 ? text.length : end;
  };
  let shownUntil = 0;
  for (const start of lines.starts) {
    let from = start;
    for (let before = 0; before < contextLines && from > shownUntil; before++) {
      from = from < 2 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
    }
    let until = start;
    for (let after = 0; after <= contextLines && until < text.length; after++) until = endOf(until) + 1;
    for (let at = Math.max(from, shownUntil); at < Math.min(until, text.length);) {
      const end = endOf(at);
      around.starts.push(at);
      around.ends.push(end);
      at = end + 1;
    }
    shownUntil = Math.max(shownUntil, until);
  }
  return around;
}

/** A line, or the part around a place, which is only requested for a line that is too long, and may be -1. */
export function clipLine(line: string, placeIn: (line: string) => number): string {
  const plain = line.endsWith("\r") ? line.slice(0, -1) : line;
  return clipPart(
    plain.length,
    () => placeIn(plain),
    (from, until) => plain.slice(from, until),
  );
}

/** The same of a line that is only cut out as far as it is shown. */
export function clipPart(length: number, place: () => number, cut: (from: number, until: number) => string): string {
  if (length <= shownLineLength) return cut(0, length);
  const start = Math.max(0, Math.min(place() - shownBefore, length - shownLineLength));
  const end = start + shownLineLength;
  return `${start > 0 ? "…" : ""}${cut(start, end)}${end < length ? "…" : ""}`;
}
