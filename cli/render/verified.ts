import { citationStateWords, formatLines } from "../../server/protocol/citation.ts";
import type { VerifiedCitation, VerifyReply } from "../../server/protocol/verify.ts";
import { looksOf, summarizeCitations } from "./citations.ts";
import { cleanLine } from "./clean.ts";
import { paint, type Style } from "./style.ts";

/** One line per citation of a text, in its order, so that each can be found and clicked; then what they add up to. */
export function renderVerified(
  { citations, snapshots }: VerifyReply,
  { file, style }: { file: string; style: Style },
): string {
  if (citations.length === 0) return "No citations: the text names no lines of any file.\n";
  const lines = citations.map((citation) => describe(citation, { file, style }));
  const against = snapshots.map(({ label }) => `  ${cleanLine(label, style)}\n`).join("");
  return `${lines.join("\n")}\n${summarizeCitations(citations)}\nChecked against\n${against}`;
}

function describe(citation: VerifiedCitation, { file, style }: { file: string; style: Style }): string {
  const { at, state, reason, resource, path } = citation;
  const { icon, mark } = looksOf(state, style);
  const named = resource === "" ? path : `${resource}:${path}`;
  const parts = [
    cleanLine(`${file}${at.line}`, style),
    paint(`${icon} ${citationStateWords[state]}`, [mark], style),
    cleanLine(`${named}:${formatLines(citation)}`, style),
    ...(reason === undefined || state === "verified" ? [] : [cleanLine(reason, style)]),
  ];
  return parts.join("  ");
}
