/** Removes the cursor mark `|` from a text and returns its offset. */
export function marked(text: string): { text: string; offset: number } {
  const offset = text.indexOf("|");
  if (offset === -1) throw new Error(`no cursor in ${text}`);
  return { text: text.slice(0, offset) + text.slice(offset + 1), offset };
}
