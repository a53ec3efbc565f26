import type { Citation } from "../../server/protocol/citation.ts";

/** Adds the range in a text to each citation, found by its written form, in text order. */
export function locateCitations(text: string, cited: readonly (readonly [Citation, written: string])[]): Citation[] {
  let from = 0;
  return cited.map(([citation, written]) => {
    const start = text.indexOf(written, from);
    if (start === -1) throw new Error(`not in the text: ${written}`);
    from = start + written.length;
    return { ...citation, textRange: { start, end: from } };
  });
}
