import type { BlockNode } from "../../client/markdown/tree.ts";
import { highlightBlock } from "../../server/source/highlight.ts";
import { languageOfTag } from "../../server/source/languages.ts";
import { clean } from "./clean.ts";
import { inlineSpans } from "./inline.ts";
import { tableLines } from "./markdown-table.ts";
import { type Look, type Span, trimEnd, wrapSpans } from "./spans.ts";
import { glyphsOf } from "./style.ts";
import { displayWidth } from "./width.ts";

/** Text inside deep lists and quotes is given at least this many columns. */
const leastWidth = 20;

/** The lines of blocks, a blank line between them unless they are `tight`, as within a list without blank lines. */
export function blockLines(
  nodes: readonly BlockNode[],
  look: Look,
  { width, isTight = false }: { width: number; isTight?: boolean },
): Span[][] {
  const shown = nodes.map((node) => nodeLines(node, look, width)).filter((lines) => lines.length > 0);
  return shown.flatMap((lines, index) => (index === 0 || isTight ? lines : [[], ...lines]));
}

function nodeLines(node: BlockNode, look: Look, width: number): Span[][] {
  switch (node.type) {
    case "heading": {
      const spans = inlineSpans(node.content, look, { marks: ["heading"] });
      return wrapSpans(look.color ? spans : [plain(`${"#".repeat(node.depth)} `), ...spans], width);
    }
    case "code":
      return indent(codeLines(node, look), "    ");
    case "list":
      return listLines(node, look, width);
    case "quote": {
      const bar: Span = { text: glyphsOf(look).bar, marks: ["dim"] };
      const inner = blockLines(node.blocks, look, { width: Math.max(leastWidth, width - 2) });
      return inner.map((line) => trimEnd([bar, plain(" "), ...line]));
    }
    case "table":
      return tableLines(node, look, width);
    case "rule":
      return [[{ text: glyphsOf(look).rule.repeat(width), marks: ["dim"] }]];
    case "raw":
    case "definition":
      return textLines(clean(node.text, look).trimEnd());
    case "paragraph":
    case "line":
      return node.content.length === 0 ? [] : wrapSpans(inlineSpans(node.content, look), width);
  }
}

function codeLines({ language, text }: BlockNode & { type: "code" }, look: Look): Span[][] {
  return highlightBlock(languageOfTag(language), clean(text, look));
}

function listLines({ items, start, isLoose }: BlockNode & { type: "list" }, look: Look, width: number): Span[][] {
  return items.flatMap(({ isDone, blocks }, index) => {
    const marker = `${markerOf(isDone, start === undefined ? undefined : start + index, look)} `;
    const hang = " ".repeat(displayWidth(marker));
    const inner = blockLines(blocks, look, { width: Math.max(leastWidth, width - hang.length), isTight: !isLoose });
    const [top = [], ...rest] = inner;
    const lines = [trimEnd([plain(marker), ...top]), ...indent(rest, hang)];
    return isLoose && index > 0 ? [[], ...lines] : lines;
  });
}

function markerOf(isDone: boolean | undefined, number: number | undefined, look: Look): string {
  const { bullet, checked, unchecked } = glyphsOf(look);
  const box = isDone === undefined ? "" : isDone ? checked : unchecked;
  if (number === undefined) return box === "" ? bullet : box;
  return box === "" ? `${number}.` : `${number}. ${box}`;
}

function textLines(text: string): Span[][] {
  return text.split("\n").map((line) => (line === "" ? [] : [plain(line)]));
}

function indent(lines: readonly Span[][], by: string): Span[][] {
  return lines.map((line) => (line.length === 0 ? [] : [plain(by), ...line]));
}

function plain(text: string): Span {
  return { text, marks: [] };
}
