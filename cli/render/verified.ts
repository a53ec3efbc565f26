import { citationStateWords, formatPlace } from "../../server/protocol/citation.ts";
import type { VerifiedCitation, VerifyReply } from "../../server/protocol/verify.ts";
import { looksOf, summarizeCitations } from "./citations.ts";
import { cleanLine } from "./clean.ts";
import { paint, type Style } from "./style.ts";

/** A document that was verified. */
export interface VerifiedFile {
  /** As it is named on the command line or found by a pattern; `-` is standard input. */
  file: string;
  reply: VerifyReply;
}

/** One line per citation of the documents, in their order, so that each can be found and clicked; then the counts. */
export function renderVerified(files: readonly VerifiedFile[], style: Style): string {
  const citations = files.flatMap(({ reply }) => reply.citations);
  if (citations.length === 0) {
    const [subject, verb] = files.length === 1 ? ["text", "names"] : ["texts", "name"];
    return `No citations: the ${subject} ${verb} no lines of any file.\n`;
  }
  const lines = files.flatMap(({ file, reply }) =>
    reply.citations.map((citation) => describe(citation, { file: file === "-" ? "" : `${file}:`, style })),
  );
  const labels = new Set(files.flatMap(({ reply }) => reply.snapshots.map(({ label }) => label)));
  const against = [...labels].map((label) => `  ${cleanLine(label, style)}\n`).join("");
  return `${lines.join("\n")}\n${summarizeCitations(citations)}\nChecked against\n${against}`;
}

function describe(citation: VerifiedCitation, { file, style }: { file: string; style: Style }): string {
  const { at, state, reason } = citation;
  const { icon, mark } = looksOf(state, style);
  const parts = [
    cleanLine(`${file}${at.line}`, style),
    paint(`${icon} ${citationStateWords[state]}`, [mark], style),
    cleanLine(formatPlace(placeOf(citation), citation), style),
    ...(reason === undefined ? [] : [cleanLine(reason, style)]),
  ];
  return parts.join("  ");
}

function placeOf({ resource, path }: VerifiedCitation): string {
  return resource === "" ? path : `${resource}:${path}`;
}

/** `app:src/a.ts:9: out of range (the file has 2 lines)`, for reports without colors. */
export function describeProblem(citation: VerifiedCitation): string {
  const { state, reason } = citation;
  const place = formatPlace(placeOf(citation), citation);
  return `${place}: ${citationStateWords[state]}${reason === undefined ? "" : ` (${reason})`}`;
}
