import { citationStateWords, formatCited } from "../../server/protocol/citation.ts";
import {
  type FileLink,
  FileLinkState,
  fileLinkStateWords,
  type VerifiedCitation,
  type VerifyReply,
} from "../../server/protocol/verify.ts";
import { tallyCitations } from "../../server/protocol/tally.ts";
import { looksOf } from "./citations.ts";
import { cleanLine } from "./clean.ts";
import { glyphsOf, paint, type Style } from "./style.ts";

/** A document that was verified. */
export interface VerifiedFile {
  /** The file as it is named on the command line or found by a pattern; `-` is standard input. */
  file: string;
  reply: VerifyReply;
}

/**
 * One line per citation of the documents and per relative link that leads nowhere, in their order, so that each can be
 * found and clicked; then the counts.
 */
export function renderVerified(files: readonly VerifiedFile[], style: Style): string {
  const citations = files.flatMap(({ reply }) => reply.citations);
  const links = files.flatMap(({ reply }) => reply.links ?? []);
  if (citations.length + links.length === 0) {
    const [subject, verb] = files.length === 1 ? ["text", "names"] : ["texts", "name"];
    return `No citations: the ${subject} ${verb} no lines of any file, and no file by a relative link.\n`;
  }
  const lines = files.flatMap(({ file, reply }) => {
    const name = file === "-" ? "" : `${file}:`;
    const cited = reply.citations.map((citation) => ({
      line: citation.at.line,
      text: describe(citation, { file: name, style }),
    }));
    const linked = (reply.links ?? [])
      .filter(({ state }) => state !== "found")
      .map((link) => ({ line: link.at.line, text: describeLink(link, { file: name, style }) }));
    return [...cited, ...linked].toSorted((one, other) => one.line - other.line).map(({ text }) => `${text}\n`);
  });
  const counts = [
    ...(citations.length === 0 ? [] : [tallyCitations(citations)]),
    ...(links.length === 0 ? [] : [countLinks(links)]),
  ];
  const labels = new Set(files.flatMap(({ reply }) => reply.snapshots.map(({ label }) => label)));
  const against = [...labels].map((label) => `  ${cleanLine(label, style)}\n`).join("");
  return `${lines.join("")}${counts.join(" ")}\n${against === "" ? "" : `Checked against\n${against}`}`;
}

function describeLink(
  { at, target, state, reason }: FileLink,
  { file, style }: { file: string; style: Style },
): string {
  const { good, doubtful, bad } = glyphsOf(style);
  const looks = { found: [good, "good"], missing: [bad, "bad"], outside: [doubtful, "warning"] } as const;
  const [icon, mark] = state === "not-checked" ? looks.outside : looks[state];
  const parts = [
    cleanLine(`${file}${at.line}`, style),
    paint(`${icon} ${fileLinkStateWords[state]}`, [mark], style),
    cleanLine(target, style),
    ...(reason === undefined ? [] : [cleanLine(reason, style)]),
  ];
  return parts.join("  ");
}

/** `12 links: 11 found, 1 missing.` */
function countLinks(links: readonly FileLink[]): string {
  const counts = FileLinkState.options.flatMap((state) => {
    const count = links.filter((link) => link.state === state).length;
    return count === 0 ? [] : [`${count} ${fileLinkStateWords[state]}`];
  });
  return `${links.length} ${links.length === 1 ? "link" : "links"}: ${counts.join(", ")}.`;
}

function describe(citation: VerifiedCitation, { file, style }: { file: string; style: Style }): string {
  const { at, state, reason } = citation;
  const { icon, mark } = looksOf(state, style);
  const parts = [
    cleanLine(`${file}${at.line}`, style),
    paint(`${icon} ${citationStateWords[state]}`, [mark], style),
    cleanLine(placeOf(citation), style),
    ...(reason === undefined ? [] : [cleanLine(reason, style)]),
  ];
  return parts.join("  ");
}

function placeOf(citation: VerifiedCitation): string {
  const { resource, commit } = citation;
  return resource === "" || commit !== undefined ? formatCited(citation) : `${resource}:${formatCited(citation)}`;
}

/** `app:src/a.ts:9: out of range (the file has 2 lines)`, for reports without colors. */
export function describeProblem(citation: VerifiedCitation): string {
  const { state, reason } = citation;
  const place = placeOf(citation);
  return `${place}: ${citationStateWords[state]}${reason === undefined ? "" : ` (${reason})`}`;
}

/** `docs/none.md: missing (no such file in app)`. */
export function describeLinkProblem({ target, state, reason }: FileLink): string {
  return `${target}: ${fileLinkStateWords[state]}${reason === undefined ? "" : ` (${reason})`}`;
}
