import type { Token, Tokens } from "marked";
import { linkNote } from "../../client/markdown/link-note.ts";
import { decodeReferences } from "../../client/markdown/references.ts";
import { type AnswerToken, isKnown } from "../../client/markdown/tokens.ts";
import { clean } from "./clean.ts";
import type { Look, Span } from "./spans.ts";
import { isClickable, type Mark } from "./style.ts";

/** What surrounds a piece of text. */
interface Around {
  marks: readonly Mark[];
  href?: string | undefined;
}

/** Markdown within a line, as runs of clean text. Without colours the marks of the source stay. */
export function inlineSpans(tokens: readonly Token[], look: Look, around: Around = { marks: [] }): Span[] {
  return tokens.flatMap((token) =>
    isKnown(token) ? tokenSpans(token, look, around) : [{ text: clean(token.raw, look), ...around }],
  );
}

function tokenSpans(token: AnswerToken, look: Look, around: Around): Span[] {
  const plain = (text: string): Span => ({ text: clean(text, look), ...around });
  const prose = (text: string): Span => plain(decodeReferences(text).replace(/\n/g, " "));
  const within = (tokens: readonly Token[], mark: Mark, sign: string): Span[] => {
    const spans = inlineSpans(tokens, look, { ...around, marks: [...around.marks, mark] });
    return look.color ? spans : [plain(sign), ...spans, plain(sign)];
  };
  switch (token.type) {
    case "strong":
      return within(token.tokens, "bold", "**");
    case "em":
      return within(token.tokens, "italic", "*");
    case "del":
      return within(token.tokens, "strike", "~~");
    case "codespan": {
      const text = clean(token.text, look).replace(/\n/g, " ");
      return look.color ? [{ ...around, text, marks: [...around.marks, "code"] }] : [plain(`\`${text}\``)];
    }
    case "citation": {
      const spans = token.tokens.flatMap((inner) =>
        isKnown(inner) && inner.type === "link"
          ? linkedSpans(inner, "citation", look, around)
          : inlineSpans([inner], look, around),
      );
      const { citation } = token;
      return [...spans, ...(look.noteCitation?.(citation) ?? [])].map((span) => ({ ...span, citation }));
    }
    case "link":
      return linkSpans(token, look, around);
    case "image":
      return [prose(`${token.text} (${token.href})`)];
    case "br":
      return [plain("\n")];
    case "html":
      return [plain(/^<br\s*\/?>$/i.test(token.text) ? "\n" : token.text)];
    case "checkbox":
      return [];
    case "text":
      return token.tokens === undefined ? [prose(token.text)] : inlineSpans(token.tokens, look, around);
    case "escape":
      return [plain(token.text)];
    case "paragraph":
    case "heading":
    case "blockquote":
      return inlineSpans(token.tokens, look, around);
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

/** A link shows where it leads: its host if the terminal opens it with a click, else its address, unless that is its text. */
function linkSpans(link: Tokens.Link, look: Look, around: Around): Span[] {
  const { href, text } = link;
  const url = decodeReferences(href);
  const label = linkedSpans(link, "link", look, around);
  const isItsText = [text, `mailto:${text}`, `http://${text}`].includes(href);
  const note = isClickable(url, look) ? linkNote(url, text) : isItsText ? undefined : url;
  return note === undefined ? label : [...label, { text: ` (${clean(note, look)})`, ...around }];
}

function linkedSpans({ href, tokens }: Tokens.Link, mark: Mark, look: Look, around: Around): Span[] {
  return inlineSpans(tokens, look, { marks: [...around.marks, mark], href: decodeReferences(href) });
}
