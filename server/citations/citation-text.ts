import { pathToFileURL } from "node:url";
import {
  type Citation,
  citationLabel,
  citationNote,
  formatCitewellUrl,
  formatLineFragment,
} from "../protocol/citation.ts";
import type { Snapshot } from "../resources/snapshot.ts";

/** Where the lines of a citation open: for good on the host, else in the folder, else through the `citewell:` scheme. */
export function citationHref(citation: Citation, snapshot: Snapshot): string {
  if (citation.url !== undefined) return citation.url;
  const pathOnDisk = snapshot.pathOnDisk(citation.path);
  if (pathOnDisk === undefined) return markdownUrl(formatCitewellUrl(citation));
  return markdownUrl(`${pathToFileURL(pathOnDisk).href}#${formatLineFragment(citation)}`);
}

/** The same URL, with nothing in it that could end a Markdown link or that Markdown would read as something else. */
export function markdownUrl(url: string): string {
  return url.replace(/[^\w\-.~:/?#@!$&+,=%]/gu, percentEncode);
}

/**
 * The Markdown that replaces a marker (docs/contract.md, "Stream"): a link, or text with the reason. In code, where a
 * link would show as source, it is plain text in every state.
 */
export function citationText(citation: Citation, { href }: { href: string | undefined }): string {
  const label = citationLabel(citation);
  const note = citationNote(citation);
  if (citation.inCode === true) return `${label}${note}`.replaceAll("`", percentEncode);
  const shown = href === undefined ? escapeLineStart(escapeInline(label)) : `[${escapeInline(label)}](${href})`;
  return shown + escapeInline(note);
}

/** Whatever Markdown or HTML would read as a mark. An underscore within a word is none, and stays as people know it. */
function escapeInline(text: string): string {
  return text
    .replace(/[\\`*[\]<>|~&]/g, "\\$&")
    .replace(/(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, (marks) => marks.replaceAll("_", "\\_"));
}

/** Text that begins a line must not begin a heading or a list there. */
function escapeLineStart(text: string): string {
  return text.replace(/^(\d*)(?=(?:[-+#]|(?<=\d)[.)])#*\s)/, "$1\\");
}

function percentEncode(character: string): string {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}` : encoded;
}
