import path from "node:path";
import { pathToFileURL } from "node:url";
import { originOf, type Source, sourcesOf, toneOfState, type Tone } from "../../client/answer/sources.ts";
import { answerWords } from "../../server/protocol/answer-words.ts";
import type { SnapshotInfo } from "../../server/protocol/ask.ts";
import {
  type Citation,
  type CitationState,
  citationStateWords,
  formatCited,
  formatLineFragment,
  formatPlace,
} from "../../server/protocol/citation.ts";
import { explainVerified, tallyCitations } from "../../server/protocol/tally.ts";
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
  if (citations.length === 0) return `${tallyCitations(citations)}\n`;
  const sources = sourcesOf(citations);
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
  const head = paint(answerWords.sources, ["bold"], style);
  return [head, ...lines, tallyCitations(citations), ...explain(citations, style), ""].join("\n");
}

function explain(citations: readonly Citation[], style: Style): string[] {
  const text = explainVerified(citations);
  if (text === undefined) return [];
  return wrapSpans([{ text, marks: ["dim"] }], style.width).map((line) => paintSpans(line, style));
}

/** On narrower screens a source may be wider. */
const leastWidth = 16;

function describeSource({ citation, count }: Source, options: CitationListOptions): Span[] {
  const { style, snapshots = [], locate } = options;
  const { state, reason, url } = citation;
  const localPath = state === "missing" ? undefined : locate?.(citation);
  const place = cleanLine(localPath === undefined ? formatCited(citation) : formatPlace(localPath, citation), style);
  const others = [
    `(${cleanLine(originOf(citation, snapshots), style)})`,
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
  const tone = toneOfState[state];
  return { icon: glyphsOf(style)[tone], mark: marks[tone] };
}

const marks: Readonly<Record<Tone, Mark>> = { good: "good", moved: "good", doubtful: "warning", bad: "bad" };

/** VS Code opens the line of its own URLs only: https://code.visualstudio.com/docs/editor/command-line#_opening-vs-code-with-urls */
function fileUrl(citation: Citation, localPath: string | undefined, { inVscode }: Style): string | undefined {
  if (localPath === undefined || !path.isAbsolute(localPath)) return undefined;
  if (inVscode) return `vscode://file${pathToFileURL(localPath).pathname}:${citation.startLine}`;
  return `${pathToFileURL(localPath).href}#${formatLineFragment(citation)}`;
}
