/** Character references as Markdown has them; marked leaves them to HTML, which no view uses. Unknown names stay. */
export function decodeReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole: string, decimal, hex, name) => {
    if (name !== undefined) return named[String(name)] ?? whole;
    const code = decimal === undefined ? Number.parseInt(String(hex), 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
  });
}

/** The names that models write. */
const named: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  copy: "©",
  ge: "≥",
  gt: ">",
  harr: "↔",
  hellip: "…",
  larr: "←",
  ldquo: "“",
  le: "≤",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  middot: "·",
  nbsp: "\u00A0",
  ndash: "–",
  ne: "≠",
  quot: '"',
  rarr: "→",
  rdquo: "”",
  rsquo: "’",
  times: "×",
};
