import type { MarkedToken, Token, Tokens } from "marked";
import { clean } from "./clean.ts";
import type { Span } from "./spans.ts";
import { isClickable, type Mark, type Style } from "./style.ts";

/** How the text of one answer is shown. */
export interface InlineContext {
  style: Style;
  /** Whether a link is a citation, which is shown by its path and lines alone. */
  isCitation: (href: string) => boolean;
}

/** What surrounds a piece of text. */
interface Around {
  marks: readonly Mark[];
  href?: string | undefined;
}

/** Markdown within a line, as runs of clean text. Without colours the marks of the source stay. */
export function inlineSpans(tokens: readonly Token[], context: InlineContext, around: Around = { marks: [] }): Span[] {
  return tokens.flatMap((token) => {
    if (!isKnown(token)) return [{ text: clean(token.raw, context.style), ...around }];
    return tokenSpans(token, context, around);
  });
}

function tokenSpans(token: MarkedToken, context: InlineContext, around: Around): Span[] {
  const { style } = context;
  const plain = (text: string): Span => ({ text: clean(text, style), ...around });
  const prose = (text: string): Span => plain(decodeEntities(text).replace(/\n/g, " "));
  const within = (tokens: readonly Token[], mark: Mark, sign: string): Span[] => {
    const spans = inlineSpans(tokens, context, { ...around, marks: [...around.marks, mark] });
    return style.color ? spans : [plain(sign), ...spans, plain(sign)];
  };
  switch (token.type) {
    case "strong":
      return within(token.tokens, "bold", "**");
    case "em":
      return within(token.tokens, "italic", "*");
    case "del":
      return within(token.tokens, "strike", "~~");
    case "codespan": {
      const text = clean(token.text, style).replace(/\n/g, " ");
      return style.color ? [{ ...around, text, marks: [...around.marks, "code"] }] : [plain(`\`${text}\``)];
    }
    case "link":
      return linkSpans(token, context, around);
    case "image":
      return [prose(`${token.text} (${token.href})`)];
    case "br":
      return [plain("\n")];
    case "html":
      return [plain(/^<br\s*\/?>$/i.test(token.text) ? "\n" : token.text)];
    case "checkbox":
      return [];
    case "text":
      return token.tokens === undefined ? [prose(token.text)] : inlineSpans(token.tokens, context, around);
    case "escape":
      return [plain(token.text)];
    case "paragraph":
    case "heading":
    case "blockquote":
      return inlineSpans(token.tokens, context, around);
    case "code":
    case "def":
    case "hr":
    case "list":
    case "list_item":
    case "space":
    case "table":
      return [plain(token.raw)];
  }
}

function linkSpans({ href, text, tokens }: Tokens.Link, context: InlineContext, around: Around): Span[] {
  const { style, isCitation } = context;
  const url = decodeEntities(href);
  const isSource = isCitation(href);
  const mark = isSource ? "citation" : "link";
  const label = inlineSpans(tokens, context, { marks: [...around.marks, mark], href: url });
  const saysWhere = [text, `mailto:${text}`, `http://${text}`].includes(href);
  const isEnough = isSource || saysWhere || isClickable(url, style);
  return isEnough ? label : [...label, { text: ` (${clean(url, style)})`, ...around }];
}

const known: ReadonlySet<string> = new Set<MarkedToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "code",
  "codespan",
  "def",
  "del",
  "em",
  "escape",
  "heading",
  "hr",
  "html",
  "image",
  "link",
  "list",
  "list_item",
  "paragraph",
  "space",
  "strong",
  "table",
  "text",
]);

/** Types of `marked` itself, not of an extension. */
export function isKnown(token: Token): token is MarkedToken {
  return known.has(token.type);
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  copy: "©",
  gt: ">",
  hellip: "…",
  larr: "←",
  ldquo: "“",
  lsquo: "‘",
  lt: "<",
  mdash: "—",
  nbsp: " ",
  ndash: "–",
  quot: '"',
  rarr: "→",
  rdquo: "”",
  rsquo: "’",
  times: "×",
};

/** The character references that are met in prose; any other stays as it is written. */
function decodeEntities(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/gi,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "\uFFFD";
    },
  );
}
