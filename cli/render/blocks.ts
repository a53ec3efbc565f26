import type { MarkedToken, Token, Tokens } from "marked";
import { clean } from "./clean.ts";
import { type InlineContext, inlineSpans, isKnown } from "./inline.ts";
import { tableLines } from "./markdown-table.ts";
import { paintSpans, type Span, wrapSpans } from "./spans.ts";
import { glyphsOf, paint } from "./style.ts";
import { displayWidth } from "./width.ts";

/** Text inside deep lists and quotes is given at least this many columns. */
const leastWidth = 20;

/** The lines of blocks, a blank line between them unless they are `tight`, as within a list without blank lines. */
export function blockLines(
  tokens: readonly Token[],
  context: InlineContext,
  { width, isTight = false }: { width: number; isTight?: boolean },
): string[] {
  const blocks = tokens.map((token) => (isKnown(token) ? tokenLines(token, context, width) : rawLines(token, context)));
  const shown = blocks.filter((lines) => lines.length > 0);
  return shown.flatMap((lines, index) => (index === 0 || isTight ? lines : ["", ...lines]));
}

function tokenLines(token: MarkedToken, context: InlineContext, width: number): string[] {
  const { style } = context;
  const wrapped = (spans: readonly Span[]) => wrapSpans(spans, width).map((line) => paintSpans(line, style));
  switch (token.type) {
    case "heading": {
      const spans = inlineSpans(token.tokens, context, { marks: ["heading"] });
      return wrapped(style.color ? spans : [{ text: `${"#".repeat(token.depth)} `, marks: [] }, ...spans]);
    }
    case "code":
      return indent(clean(token.text, style).split("\n"), "    ");
    case "list":
      return listLines(token, context, width);
    case "blockquote": {
      const bar = `${paint(glyphsOf(style).bar, ["dim"], style)} `;
      const inner = blockLines(token.tokens, context, { width: Math.max(leastWidth, width - 2) });
      return inner.map((line) => `${bar}${line}`.trimEnd());
    }
    case "table":
      return tableLines(token, context, width);
    case "hr":
      return [paint(glyphsOf(style).rule.repeat(width), ["dim"], style)];
    case "html":
    case "def":
      return rawLines(token, context);
    case "space":
    case "checkbox":
      return [];
    case "br":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "list_item":
    case "paragraph":
    case "strong":
    case "text":
      return wrapped(inlineSpans([token], context));
  }
}

function listLines(list: Tokens.List, context: InlineContext, width: number): string[] {
  const first = list.start === "" ? 1 : list.start;
  return list.items.flatMap((item, index) => {
    const marker = `${markerOf(item, list.ordered ? first + index : undefined, context)} `;
    const hang = " ".repeat(displayWidth(marker));
    const inner = blockLines(item.tokens, context, {
      width: Math.max(leastWidth, width - hang.length),
      isTight: !list.loose,
    });
    const [top = "", ...rest] = inner;
    const lines = [`${marker}${top}`.trimEnd(), ...indent(rest, hang)];
    return list.loose && index > 0 ? ["", ...lines] : lines;
  });
}

function markerOf(item: Tokens.ListItem, number: number | undefined, { style }: InlineContext): string {
  const { bullet, checked, unchecked } = glyphsOf(style);
  const box = item.task ? (item.checked === true ? checked : unchecked) : "";
  if (number === undefined) return box === "" ? bullet : box;
  return box === "" ? `${number}.` : `${number}. ${box}`;
}

function rawLines({ raw }: Token, { style }: InlineContext): string[] {
  return clean(raw, style).trimEnd().split("\n");
}

function indent(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (line === "" ? "" : by + line));
}
