import { citationStateWords, formatLines } from "../../server/protocol/citation.ts";
import { looksOf } from "../render/citations.ts";
import { clean, cleanLine } from "../render/clean.ts";
import type { Span } from "../render/spans.ts";
import type { Style } from "../render/style.ts";
import type { SourceView } from "./state.ts";

/** The cited file's lines, the cited ones marked. */
export function paneLines(
  { citation, number, content }: SourceView,
  { width, height, style }: { width: number; height: number; style: Style },
): Span[][] {
  const { icon, mark } = looksOf(citation.state, style);
  const place = `${citation.path}:${formatLines(citation)}`;
  const head: Span[][] = [
    [
      { text: `[${number}] ${icon} ${citationStateWords[citation.state]}`, marks: [mark] },
      { text: `  ${cleanLine(place, style)}`, marks: ["bold"] },
    ],
    [dim(cleanLine(`${citation.resource} at ${citation.revision.slice(0, 20)}`, style))],
  ];
  if (content.type === "loading") return [...head, [dim("Reading…")]];
  if (content.type === "failed") return [...head, [{ text: cleanLine(content.message, style), marks: ["warning"] }]];
  const { file } = content;
  const digits = String(file.endLine).length;
  const note = file.hasChanged === true ? [[{ text: "The file has changed since.", marks: ["warning" as const] }]] : [];
  const lines = file.text.split("\n").map((text, index): Span[] => {
    const line = file.startLine + index;
    const isCited = line >= citation.startLine && line <= citation.endLine;
    const bar = isCited ? (style.unicode ? "▌" : ">") : " ";
    const shown = clean(text, style).slice(0, Math.max(0, width - digits - 3));
    return [
      { text: `${String(line).padStart(digits)} `, marks: ["dim"] },
      { text: bar, marks: [mark] },
      { text: shown, marks: isCited ? ["bold"] : ["dim"] },
    ];
  });
  return [...head, ...note, ...lines].slice(0, height);
}

function dim(text: string): Span {
  return { text, marks: ["dim"] };
}
