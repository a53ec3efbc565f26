/**
 * Reads the JSON object or list that starts at `start` (after white space), whatever follows it. Undefined if there is none,
 * or if it does not end.
 */
export function readJsonAt(text: string, start: number): { value: unknown; end: number } | undefined {
  const begin = start + (text.slice(start).match(/^\s*/)?.[0].length ?? 0);
  if (text[begin] !== "{" && text[begin] !== "[") return undefined;
  const end = endOfValue(text, begin);
  if (end === undefined) return undefined;
  try {
    return { value: JSON.parse(text.slice(begin, end)), end };
  } catch {
    return undefined;
  }
}

/** Where the brackets that open at `begin` are closed, one past the last; text in quotes does not count. */
function endOfValue(text: string, begin: number): number | undefined {
  let depth = 0;
  let isQuoted = false;
  for (let at = begin; at < text.length; at++) {
    const character = text[at];
    if (isQuoted && character === "\\") at++;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (character === "{" || character === "[")) depth++;
    else if (!isQuoted && (character === "}" || character === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}
