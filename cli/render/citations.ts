import path from "node:path";
import { pathToFileURL } from "node:url";
import { type CitedLines, groupCitations } from "../../client/citations/group.ts";
import { countStates } from "../../client/citations/summary.ts";
import type { SnapshotInfo } from "../../server/protocol/ask.ts";
import {
  type Citation,
  type CitationState,
  citationStateWords,
  formatLineFragment,
  formatPlace,
} from "../../server/protocol/citation.ts";
import { cleanLine } from "./clean.ts";
import { paintSpans, type Span, wrapSpans } from "./spans.ts";
import { glyphsOf, type Mark, paint, type Style } from "./style.ts";

/** Options for a list of sources. */
export interface CitationListOptions {
  style: Style;
  /** The answer's snapshots, whose labels name the revisions. */
  snapshots?: readonly SnapshotInfo[];
  /** The file's path on this machine, absolute or relative to the working directory; undefined if it is not here. */
  locate?: ((citation: Citation) => string | undefined) | undefined;
}

/** The sources of an answer, one line each, and a count per state. Ends with a newline. */
export function renderCitations(citations: readonly Citation[], options: CitationListOptions): string {
  const { style } = options;
  if (citations.length === 0) return `${summarizeCitations(citations)}\n`;
  const sources = groupCitations(citations);
  const wordWidth = Math.max(...sources.map(({ citation }) => citationStateWords[citation.state].length));
  const lines = sources.map((source) => {
    const { state } = source.citation;
    const { icon, mark } = looksOf(state, style);
    const head = `${icon} ${citationStateWords[state]}`;
    const indent = wordWidth + icon.length + 5;
    const [first = "", ...others] = wrapSpans(
      describeSource(source, options),
      Math.max(style.width - indent, leastWidth),
    )
      .map((line) => paintSpans(line, style))
      .map((line, index) => (index === 0 ? line : " ".repeat(indent) + line));
    return [`  ${paint(head, [mark], style)}${" ".repeat(indent - 2 - head.length)}${first}`, ...others].join("\n");
  });
  const head = paint("Sources", ["bold"], style);
  return [head, ...lines, summarizeCitations(citations), ...disclaim(style), ""].join("\n");
}

/** `7 citations: 6 verified, 1 not read in this run.` */
export function summarizeCitations(citations: readonly Citation[]): string {
  if (citations.length === 0) return "No citations: nothing in this answer was checked against a source.";
  return countStates(citations);
}

function disclaim(style: Style): string[] {
  return wrapSpans([{ text: disclaimer, marks: ["dim"] }], style.width).map((line) => paintSpans(line, style));
}

const disclaimer = "Verified means that the text is there and was read in this run, not that the claim is true.";

/** On narrower screens a source may be wider. */
const leastWidth = 16;

function describeSource({ citation, count }: CitedLines, options: CitationListOptions): Span[] {
  const { style, snapshots = [], locate } = options;
  const { state, reason, url } = citation;
  const localPath = state === "missing" ? undefined : locate?.(citation);
  const place = cleanLine(formatPlace(localPath ?? citation.path, citation), style);
  const others = [
    `(${cleanLine(revisionName(citation, snapshots), style)})`,
    ...(reason === undefined ? [] : [cleanLine(reason, style)]),
    ...(url === undefined || style.links ? [] : [cleanLine(url, style)]),
    ...(count === 1 ? [] : [`${glyphsOf(style).times}${count}`]),
  ];
  return [
    { text: place, marks: [], href: url ?? fileUrl(citation, localPath, style) },
    ...others.map((text) => ({ text: `  ${text}`, marks: [] })),
  ];
}

/** The icon and the colour before a state's word. A relocated citation is corrected, so it is good. */
export function looksOf(state: CitationState, style: Style): { icon: string; mark: Mark } {
  const { good, moved, doubtful, bad } = glyphsOf(style);
  switch (state) {
    case "verified":
      return { icon: good, mark: "good" };
    case "relocated":
      return { icon: moved, mark: "good" };
    case "not-read":
      return { icon: doubtful, mark: "warning" };
    case "mismatch":
    case "out-of-range":
    case "missing":
    case "ambiguous":
      return { icon: bad, mark: "bad" };
  }
}

/** The resource and its revision. A snapshot's label is `name, origin` or `name (origin)`; only the name is wanted. */
export function revisionName({ resource, revision }: Citation, snapshots: readonly SnapshotInfo[]): string {
  const label = snapshots.find((snapshot) => snapshot.resource === resource)?.label.split(/,| \(/)[0];
  return (
    label ??
    [resource, revision.replace(/^(content-)?([0-9a-f]{12})[0-9a-f]+$/, "$1$2").slice(0, 20)]
      .filter((part) => part !== "")
      .join(" ")
  );
}

/** VS Code opens the line of its own URLs only: https://code.visualstudio.com/docs/editor/command-line#_opening-vs-code-with-urls */
function fileUrl(citation: Citation, localPath: string | undefined, { inVscode }: Style): string | undefined {
  if (localPath === undefined || !path.isAbsolute(localPath)) return undefined;
  if (inVscode) return `vscode://file${pathToFileURL(localPath).pathname}:${citation.startLine}`;
  return `${pathToFileURL(localPath).href}#${formatLineFragment(citation)}`;
}
