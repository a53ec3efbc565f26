/** What a text is as JSON; undefined where it is none. What the parser says of a fault quotes the text, so it is not told. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
