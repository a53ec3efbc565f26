import { type Citation, formatLines } from "../../../server/protocol/citation.ts";

export type AnswerPart = { type: "text"; text: string } | { type: "citation"; citation: Citation; label: string };

/**
 * A part of an answer with the links of its citations told apart: the editor's chat shows them as places in a file. What
 * could not be proved has no link, and stays text; so do links that the model wrote by itself.
 */
export function splitCitations(text: string, citations: readonly Citation[]): AnswerPart[] {
  const parts: AnswerPart[] = [];
  const waiting = [...citations];
  let end = 0;
  for (const match of text.matchAll(link)) {
    const label = (match.groups?.["label"] ?? "").replace(/\\([!-/:-@[-`{-~])/g, "$1");
    const index = waiting.findIndex((citation) => `${citation.path}:${formatLines(citation)}` === label);
    const [citation] = index === -1 ? [] : waiting.splice(index, 1);
    if (citation === undefined) continue;
    if (match.index > end) parts.push({ type: "text", text: text.slice(end, match.index) });
    parts.push({ type: "citation", citation, label });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ type: "text", text: text.slice(end) });
  return parts;
}

/** As the server writes it: marks in the label are escaped, and a URL holds no parenthesis. */
const link = /\[(?<label>(?:\\.|[^\\[\]\n])+)\]\([^()\s]+\)/g;
