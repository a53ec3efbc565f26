/** A word of a command line. */
export interface Word {
  /** The word without its quotes. */
  text: string;
  /** The word as it was written. */
  raw: string;
}

/**
 * Splits at white space. A word that begins with a quote may contain spaces, and ends with the text if the quote is not
 * closed. A backslash is an ordinary character: Windows paths contain it.
 */
export function splitWords(text: string): Word[] {
  return [...text.matchAll(/(?:"[^"]*(?:"|$)|'[^']*(?:'|$))+\S*|\S+/g)].map(([raw]) => ({ raw, text: unquote(raw) }));
}

/** The word that a text ends with; undefined after white space. */
export function lastWord(text: string): Word | undefined {
  const last = splitWords(text).at(-1);
  return last !== undefined && text.endsWith(last.raw) ? last : undefined;
}

/** A text as one word. */
export function quoteWord(text: string): string {
  if (!/\s/.test(text)) return text;
  return text.includes('"') ? `'${text}'` : `"${text}"`;
}

function unquote(raw: string): string {
  const quoted = /^(?:"[^"]*(?:"|$)|'[^']*(?:'|$))*/.exec(raw)?.[0] ?? "";
  return quoted.replace(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)/g, "$1$2") + raw.slice(quoted.length);
}
