/**
 * The same expression for a whole text (flag `m`), so that no match crosses a line end; the text has no line ends but
 * `\n`. Undefined if that cannot be expressed simply: negative lookarounds see the next line, and so do nested classes.
 */
export function keepWithinLines(source: string): string | undefined {
  if (/\(\?<?[!=]/.test(source)) return undefined;
  let kept = "";
  for (let at = 0; at < source.length;) {
    const part = nextPart(source, at);
    const within = keepPart(part);
    if (within === undefined) return undefined;
    kept += within;
    at += part.length;
  }
  return kept;
}

/** A class in brackets, an escape, or a character. */
function nextPart(source: string, at: number): string {
  return /^(?:\[(?:\\.|[^\]\\])*\]?|\\.|.)/s.exec(source.slice(at))?.[0] ?? "";
}

function keepPart(part: string): string | undefined {
  if (part.startsWith("[")) {
    // A range may begin before a line end and end after it, and so may the set of an escape.
    const plain = part.replaceAll(/\\[wd\W]/g, "");
    if (/\\|[^ -~\p{L}]/u.test(plain)) return undefined;
    return part.startsWith("[^") ? `[^\\n${part.slice(2)}` : part;
  }
  switch (part) {
    case "\\s":
      return "[^\\S\\n]";
    case "\\W":
      return "[^\\w\\n]";
    case "\\D":
      return "[^\\d\\n]";
    case "\\S":
    case "\\w":
    case "\\d":
    case "\\b":
    case "\\B":
    case "\\t":
      return part;
    default:
      return /^\\\w|^\n/.test(part) ? undefined : part;
  }
}
