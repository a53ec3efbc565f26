import * as z from "zod";
import { showInvisible } from "./invisible.ts";

/**
 * What checking a citation found. *Verified* means: this text is there, at this revision, and was read in this run. It
 * never means that the claim is true.
 *
 * - `verified`: the path exists, the lines are in range, a quote is in them, and every line was shown to the model.
 * - `relocated`: true, but not where the marker says: the quoted text is at other lines, which were shown (`claimed`
 * keeps the model's lines), or the path was the end of that file's path, and only of that.
 * - `not-read`: real, but some line was never shown to the model in this run.
 * - `mismatch`: the quoted text is nowhere in the file, joins text from different places, or another revision is cited.
 * - `out-of-range`: the file has fewer lines, or none are named.
 * - `missing`: no such path, or no such resource.
 * - `ambiguous`: only of `verify`: the path names no resource and is in several. Never counted as verified.
 */
export const CitationState = z.enum([
  "verified",
  "relocated",
  "not-read",
  "mismatch",
  "out-of-range",
  "missing",
  "ambiguous",
]);
export type CitationState = z.infer<typeof CitationState>;

const LineNumber = z.int().min(1).describe("1-based.");
const ClaimedLine = z.int().min(0).describe("1-based, as the model wrote it.");

/**
 * What each state is called wherever people read it; the webview, the terminal and the text of an answer say the same.
 */
export const citationStateWords = {
  verified: "verified",
  relocated: "relocated",
  "not-read": "not read in this run",
  mismatch: "mismatch",
  "out-of-range": "out of range",
  missing: "missing",
  ambiguous: "ambiguous",
} as const satisfies Record<CitationState, string>;

/** Lines of a file: 1-based, inclusive. */
export const LineRange = z.object({ startLine: LineNumber, endLine: LineNumber });
export type LineRange = z.infer<typeof LineRange>;

const Offset = z.int().nonnegative();

/** The commit of a citation: without the subject and what follows it, there is no such commit, or it could not be read. */
export const CitedCommit = z
  .object({
    id: z.string().describe("Abbreviated; as the model wrote it where it is not known."),
    subject: z.string().optional(),
    date: z.string().optional().describe("The author's ISO day."),
    author: z.string().optional().describe("A name; never an address."),
  })
  .meta({ id: "CitedCommit" });
export type CitedCommit = z.infer<typeof CitedCommit>;

export const Citation = z
  .object({
    id: z.string().describe("Unique within the answer, in the order of the text: c1, c2, …"),
    resource: z.string(),
    path: z
      .string()
      .describe("Relative to the resource's root, with forward slashes. Empty, with lines 0, for a commit itself."),
    startLine: ClaimedLine,
    endLine: ClaimedLine,
    claimed: z.object({ startLine: ClaimedLine, endLine: ClaimedLine }).optional(),
    quote: z.string().optional(),
    state: CitationState,
    reason: z.string().optional().describe("Why the state is not verified, or what was not checked, in words."),
    revision: z.string().describe("A commit, a package version with its integrity, or a content hash."),
    url: z.string().optional().describe("A permanent link at that revision, if the host has one."),
    commit: CitedCommit.optional().describe("What is cited at another revision than the resource's snapshot."),
    textRange: z
      .object({ start: Offset, end: Offset })
      .optional()
      .describe(
        "The part of the answer's text that is this citation, link and note included: UTF-16 offsets, `end` exclusive. " +
          "Always there in a new answer; answers that were kept earlier may lack it.",
      ),
    inCode: z.boolean().optional().describe("True if the citation is inside code, where it is plain text."),
  })
  .meta({ id: "Citation" });
export type Citation = z.infer<typeof Citation>;

/** Whether a citation is proved: the states that `--strict` accepts. */
export function isProved(citation: Pick<Citation, "state">): boolean {
  return citation.state === "verified" || citation.state === "relocated";
}

/** Formats for people: `10-20`, and `7` for one line. */
export function formatLines({ startLine, endLine }: LineRange): string {
  return startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
}

/** Formats for links and markers as the code hosts do: `L10-L20`, and `L7` for one line. */
export function formatLineFragment({ startLine, endLine }: LineRange): string {
  return startLine === endLine ? `L${startLine}` : `L${startLine}-L${endLine}`;
}

/** A path and its lines: `src/a.ts:10-20`. A marker that is wrong may lack either part: `src/a.ts`, `lines 10-20`. */
export function formatPlace(path: string, lines: LineRange): string {
  if (path === "") return `lines ${formatLines(lines)}`;
  return lines.endLine === 0 ? path : `${path}:${formatLines(lines)}`;
}

/** What a citation names, wherever people read it: `src/a.ts:10-20`, `express@1a2b3c4:src/a.ts:10-20`, `express@1a2b3c4`. */
export function formatCited(
  citation: Pick<Citation, "resource" | "path" | "startLine" | "endLine" | "commit">,
): string {
  const { resource, path, commit } = citation;
  if (commit === undefined) return formatPlace(path, citation);
  const named = `${resource}@${commit.id}`;
  return isCommitCited(citation) ? named : `${named}:${formatPlace(path, citation)}`;
}

/** The same for a small place: the file without its folders, `a.ts:10-20`, `a.ts:10-20 @1a2b3c4`, `1a2b3c4`. */
export function formatCitedShort(
  citation: Pick<Citation, "resource" | "path" | "startLine" | "endLine" | "commit">,
): string {
  const { path, commit } = citation;
  if (commit !== undefined && isCommitCited(citation)) return commit.id;
  const file = formatPlace(path.split("/").at(-1) ?? "", citation);
  return commit === undefined ? file : `${file} @${commit.id}`;
}

/** Whether a citation is of a commit itself, and not of lines. */
export function isCommitCited({ commit, path }: Pick<Citation, "commit" | "path">): boolean {
  return commit !== undefined && path === "";
}

/** What a citation names, as an answer shows it. */
export function citationLabel(citation: Citation): string {
  return showInLine(formatCited(citation));
}

/** What follows the label in an answer: the state and its reason, unless the citation is proved. */
export function citationNote({ state, reason }: Pick<Citation, "state" | "reason">): string {
  if (isProved({ state })) return "";
  const words = citationStateWords[state];
  return showInLine(isLinked({ state }) || reason === undefined ? ` (${words})` : ` (${words}: ${reason})`);
}

/** Whether an answer links the citation. The others have no lines to open and are plain text, as are those in code. */
export function isLinked(citation: Pick<Citation, "state" | "inCode">): boolean {
  return citation.inCode !== true && (isProved(citation) || citation.state === "not-read");
}

/** A part of an answer's text: what the server wrote for a citation, or the text between two citations. */
export interface TextPart {
  text: string;
  citation?: Citation;
}

/**
 * Cuts the text of an answer at the ranges of its citations. The parts add up to the text. Citations in code stay part
 * of the text around them, and so do those whose range is unknown or beyond the text. `offset` is where the text begins
 * in the answer, if it is one delta.
 */
export function cutAtCitations(
  text: string,
  citations: readonly Citation[],
  { offset = 0 }: { offset?: number } = {},
): TextPart[] {
  const parts: TextPart[] = [];
  let cut = 0;
  for (const citation of citations) {
    const { textRange: range, inCode } = citation;
    if (range === undefined || inCode === true) continue;
    const [start, end] = [range.start - offset, range.end - offset];
    if (start < cut || end > text.length) continue;
    if (start > cut) parts.push({ text: text.slice(cut, start) });
    parts.push({ text: text.slice(start, end), citation });
    cut = end;
  }
  if (cut < text.length) parts.push({ text: text.slice(cut) });
  return parts;
}

/** The text of an answer with the link of each citation replaced; notes and citations without a link stay. */
export function replaceCitationLinks(
  text: string,
  citations: readonly Citation[],
  write: (citation: Citation) => string,
): string {
  return cutAtCitations(text, citations)
    .map((part) => {
      const { citation } = part;
      return citation !== undefined && isLinked(citation) ? write(citation) + citationNote(citation) : part.text;
    })
    .join("");
}

function showInLine(text: string): string {
  return showInvisible(text.replace(/\s/g, " "));
}

/**
 * Whether a revision that was written is the one that was read: the whole, a package's version without its checksum, or
 * seven or more digits of a hash, as git shortens it.
 */
export function isSameRevision(written: string, revision: string): boolean {
  // Content hashes were written without their prefix once: such links still hold.
  const [writtenHash, hash] = [written, revision].map(
    (text) => /^(?:content-)?(?<hash>[0-9a-f]{7,})$/.exec(text)?.groups?.["hash"],
  );
  if (writtenHash !== undefined && hash !== undefined) return hash.startsWith(writtenHash);
  return written === revision || revision.startsWith(`${written}+`);
}

/** The shortest form of a revision that `isSameRevision` takes. */
export function shortenRevision(revision: string): string {
  const hash = /^(?:content-)?[0-9a-f]{12}(?=[0-9a-f]+$)/.exec(revision)?.[0];
  return hash ?? revision.replace(/\+[0-9a-f]{16}$/, "");
}

/**
 * The only form of the `citewell:` scheme, for lines of a resource at a revision (docs/contract.md, "Stream"); for a
 * commit itself, without a path and lines.
 */
export function formatCitewellUrl(
  citation: Pick<Citation, "resource" | "path" | "revision" | "startLine" | "endLine">,
): string {
  const { resource, path, revision } = citation;
  const location = [resource, ...(path === "" ? [] : path.split("/"))].map(encodeUrlPart).join("/");
  const lines = path === "" ? "" : `#${formatLineFragment(citation)}`;
  return `citewell:/${location}?revision=${encodeUrlPart(revision)}${lines}`;
}

/** The inverse; undefined for whatever is none, or names neither lines nor a commit. */
export function parseCitewellUrl(
  text: string,
): Pick<Citation, "resource" | "path" | "revision" | "startLine" | "endLine"> | undefined {
  const { resource, path, revision, lines } = parseCitewellLocation(text) ?? {};
  if (resource === undefined || path === undefined || revision === undefined) return undefined;
  if ((path === "") !== (lines === undefined)) return undefined;
  return { resource, path, revision, ...(lines ?? { startLine: 0, endLine: 0 }) };
}

/**
 * What a URL of the scheme may name as well: the whole file, without a revision, or a folder (empty, or `/` at the
 * end).
 */
export interface CitewellLocation {
  resource: string;
  path: string;
  revision?: string;
  lines?: LineRange;
}

export function parseCitewellLocation(text: string): CitewellLocation | undefined {
  const groups =
    /^citewell:\/+(?<resource>[^/?#]+)(?:\/(?<path>[^?#]*))?(?:\?revision=(?<revision>[^&#]*))?(?:#(?<lines>.*))?$/.exec(
      text,
    )?.groups;
  const fragment = groups?.["lines"];
  const lines = fragment === undefined ? undefined : parseLineFragment(fragment);
  if (groups === undefined || (fragment !== undefined && lines === undefined)) return undefined;
  const { resource = "", path = "", revision } = groups;
  try {
    return {
      resource: decodeURIComponent(resource),
      path: decodeURIComponent(path),
      ...(revision === undefined ? {} : { revision: decodeURIComponent(revision) }),
      ...(lines === undefined ? {} : { lines }),
    };
  } catch {
    return undefined;
  }
}

/** `L10-L20`, `L10-20`, `L7`, with or without columns (`L10C2-L20C8`), as hosts write it after the `#`. */
export function parseLineFragment(fragment: string): LineRange | undefined {
  const [, start, end] = /^L(\d{1,9})(?:C\d+)?(?:-L?(\d{1,9})(?:C\d+)?)?$/.exec(fragment) ?? [];
  return start === undefined ? undefined : { startLine: Number(start), endLine: Number(end ?? start) };
}

/** Half of a surrogate pair, as a file name on Windows may hold, has no encoding. */
function encodeUrlPart(part: string): string {
  return encodeURIComponent(part.replace(/\p{Cs}/gu, "\uFFFD"));
}
