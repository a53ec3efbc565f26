import { citationStateWords, formatCited } from "../../server/protocol/citation.ts";
import { looksOf } from "../render/citations.ts";
import { cleanLine } from "../render/clean.ts";
import type { Span } from "../render/spans.ts";
import type { Style } from "../render/style.ts";
import { foldLine } from "./grid.ts";
import type { SourceView } from "./state.ts";

/** The cited file's lines, the cited ones marked. */
export function paneLines(
  view: SourceView,
  { width, height, style }: { width: number; height: number; style: Style },
): Span[][] {
  const { citation, number, origin, content } = view;
  const { icon, mark } = looksOf(citation.state, style);
  const place = formatCited(citation);
  const head: Span[][] = [
    [
      { text: `[${number}] ${icon} ${citationStateWords[citation.state]}`, marks: [mark] },
      { text: `  ${cleanLine(place, style)}`, marks: ["bold"] },
    ],
    [dim(cleanLine(origin, style))],
  ];
  if (content.type === "loading") return [...head, [dim("Reading…")]];
  if (content.type === "failed") return [...head, [{ text: cleanLine(content.message, style), marks: ["warning"] }]];
  const { file, lines, first, top } = content;
  const gutter = gutterWidth(view);
  const note = file.hasChanged === true ? [[{ text: "The file has changed since.", marks: ["warning" as const] }]] : [];
  const rows = [...head, ...note];
  for (let line = top; line <= file.endLine && rows.length < height; line++) {
    const isCited = line >= citation.startLine && line <= citation.endLine;
    const bar: Span = { text: isCited ? (style.unicode ? "▌" : ">") : " ", marks: [mark] };
    const text = (lines[line - first] ?? []).map((span): Span => {
      return { ...span, marks: isCited ? (style.color ? span.marks : ["bold"]) : ["dim"] };
    });
    for (const [index, part] of foldLine(text, Math.max(1, width - gutter)).entries()) {
      const label = index === 0 ? String(line) : "";
      rows.push([dim(`${label.padStart(gutter - 2)} `), bar, ...part]);
    }
  }
  return rows.slice(0, height);
}

/** The columns of line numbers and of the bar that marks cited lines. */
export function gutterWidth({ content }: SourceView): number {
  return content.type === "lines" ? String(content.file.endLine).length + 2 : 0;
}

function dim(text: string): Span {
  return { text, marks: ["dim"] };
}
