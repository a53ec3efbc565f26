import * as z from "zod";
import { parseJson } from "../lib/parse-json.ts";
import { type Citation, citationLabel, citationNote } from "../protocol/citation.ts";
import { ThreadTurn } from "../protocol/threads.ts";

/** The format of earlier versions: the text is `answer`, and citations have no range. */
const EarlierTurn = ThreadTurn.omit({ text: true }).extend({ answer: z.string() });

/** Parses a line of a thread's file; undefined if it is not a turn. */
export function parseTurn(line: string): ThreadTurn | undefined {
  const value = parseJson(line);
  const turn = ThreadTurn.safeParse(value);
  if (turn.success) return turn.data;
  const earlier = EarlierTurn.safeParse(value);
  if (!earlier.success) return undefined;
  const { answer: text, ...rest } = earlier.data;
  return { ...rest, text, citations: locateLinks(text, rest.citations) };
}

/** Adds the range of its link to each citation. Links are labelled with path and lines; a citation without one gets no range. */
function locateLinks(text: string, citations: readonly Citation[]): Citation[] {
  const links = [...text.matchAll(/\[((?:\\.|[^\\[\]\n])+)\]\([^()\s]+\)/g)].map((link) => {
    const label = link[1]?.replace(/\\(.)/g, "$1");
    return { label, start: link.index, end: link.index + link[0].length };
  });
  return citations.map((citation) => {
    const index = links.findIndex(({ label }) => label === citationLabel(citation));
    const [link] = index === -1 ? [] : links.splice(index, 1);
    if (link === undefined) return citation;
    const note = citationNote(citation);
    const end = text.startsWith(note, link.end) ? link.end + note.length : link.end;
    return { ...citation, textRange: { start: link.start, end } };
  });
}
