/** Parses JSON; undefined if invalid. The parser's error is dropped because it quotes the text, which may hold secrets. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
