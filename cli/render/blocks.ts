import type { Token, Tokens } from "marked";
import { type AnswerToken, isKnown } from "../../client/markdown/tokens.ts";
import { languageOfTag } from "../../server/source/languages.ts";
import { clean } from "./clean.ts";
import { highlightCode } from "./code.ts";
import { inlineSpans } from "./inline.ts";
import { tableLines } from "./markdown-table.ts";
import { type Look, type Span, trimEnd, wrapSpans } from "./spans.ts";
import { glyphsOf } from "./style.ts";
import { displayWidth } from "./width.ts";

/** Text inside deep lists and quotes is given at least this many columns. */
const leastWidth = 20;

/** The lines of blocks, a blank line between them unless they are `tight`, as within a list without blank lines. */
export function blockLines(
  tokens: readonly Token[],
  look: Look,
  { width, isTight = false }: { width: number; isTight?: boolean },
): Span[][] {
  const blocks = tokens.map((token) => (isKnown(token) ? tokenLines(token, look, width) : rawLines(token, look)));
  const shown = blocks.filter((lines) => lines.length > 0);
  return shown.flatMap((lines, index) => (index === 0 || isTight ? lines : [[], ...lines]));
}

function tokenLines(token: AnswerToken, look: Look, width: number): Span[][] {
  switch (token.type) {
    case "heading": {
      const spans = inlineSpans(token.tokens, look, { marks: ["heading"] });
      return wrapSpans(look.color ? spans : [plain(`${"#".repeat(token.depth)} `), ...spans], width);
    }
    case "code":
      return indent(codeLines(token, look), "    ");
    case "list":
      return listLines(token, look, width);
    case "blockquote": {
      const bar: Span = { text: glyphsOf(look).bar, marks: ["dim"] };
      const inner = blockLines(token.tokens, look, { width: Math.max(leastWidth, width - 2) });
      return inner.map((line) => trimEnd([bar, plain(" "), ...line]));
    }
    case "table":
      return tableLines(token, look, width);
    case "hr":
      return [[{ text: glyphsOf(look).rule.repeat(width), marks: ["dim"] }]];
    case "html":
    case "def":
      return rawLines(token, look);
    case "space":
    case "checkbox":
      return [];
    case "br":
    case "citation":
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
      return wrapSpans(inlineSpans([token], look), width);
  }
}

/** A longer block stays plain: it is read again with each token that arrives. */
const codeLimit = 50_000;

function codeLines({ lang = "", text }: Tokens.Code, look: Look): Span[][] {
  const shown = clean(text, look);
  return shown.length > codeLimit ? textLines(shown) : highlightCode(languageOfTag(lang), shown);
}

function listLines(list: Tokens.List, look: Look, width: number): Span[][] {
  const first = list.start === "" ? 1 : list.start;
  return list.items.flatMap((item, index) => {
    const marker = `${markerOf(item, list.ordered ? first + index : undefined, look)} `;
    const hang = " ".repeat(displayWidth(marker));
    const inner = blockLines(item.tokens, look, {
      width: Math.max(leastWidth, width - hang.length),
      isTight: !list.loose,
    });
    const [top = [], ...rest] = inner;
    const lines = [trimEnd([plain(marker), ...top]), ...indent(rest, hang)];
    return list.loose && index > 0 ? [[], ...lines] : lines;
  });
}

function markerOf(item: Tokens.ListItem, number: number | undefined, look: Look): string {
  const { bullet, checked, unchecked } = glyphsOf(look);
  const box = item.task ? (item.checked === true ? checked : unchecked) : "";
  if (number === undefined) return box === "" ? bullet : box;
  return box === "" ? `${number}.` : `${number}. ${box}`;
}

/** A token as its source, line by line. */
export function rawLines({ raw }: Token, look: Look): Span[][] {
  return textLines(clean(raw, look).trimEnd());
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
