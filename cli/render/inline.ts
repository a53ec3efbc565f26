import { linkNote } from "../../client/markdown/link-note.ts";
import type { InlineNode } from "../../client/markdown/tree.ts";
import { clean } from "./clean.ts";
import type { Look, Span } from "./spans.ts";
import { isClickable, type Mark } from "./style.ts";

/** What surrounds a piece of text. */
interface Around {
  marks: readonly Mark[];
  href?: string | undefined;
}

/** Nodes within a line, as runs of clean text. Without colours the marks of the source stay. */
export function inlineSpans(nodes: readonly InlineNode[], look: Look, around: Around = { marks: [] }): Span[] {
  return nodes.flatMap((node) => nodeSpans(node, look, around));
}

function nodeSpans(node: InlineNode, look: Look, around: Around): Span[] {
  const plain = (text: string): Span => ({ text: clean(text, look), ...around });
  const prose = (text: string): Span => plain(text.replace(/\n/g, " "));
  const within = (content: readonly InlineNode[], mark: Mark, sign: string): Span[] => {
    const spans = inlineSpans(content, look, { ...around, marks: [...around.marks, mark] });
    return look.color ? spans : [plain(sign), ...spans, plain(sign)];
  };
  switch (node.type) {
    case "text":
      return [prose(node.text)];
    case "strong":
      return within(node.content, "bold", "**");
    case "emphasis":
      return within(node.content, "italic", "*");
    case "deleted":
      return within(node.content, "strike", "~~");
    case "code": {
      const text = clean(node.text, look).replace(/\n/g, " ");
      return look.color ? [{ ...around, text, marks: [...around.marks, "code"] }] : [plain(`\`${text}\``)];
    }
    case "citation": {
      const { citation, content } = node;
      const spans = content.flatMap((inner) =>
        inner.type === "link" ? linkedSpans(inner, "citation", look, around) : inlineSpans([inner], look, around),
      );
      return [...spans, ...(look.noteCitation?.(citation) ?? [])].map((span) => ({ ...span, citation }));
    }
    case "link":
      return linkSpans(node, look, around);
    case "image":
      return [prose(`${node.text} (${node.url})`)];
    case "break":
      return [plain("\n")];
    // The mark of the item shows it.
    case "checkbox":
      return [];
  }
}

type Link = InlineNode & { type: "link" };

/** A link shows where it leads: its host if the terminal opens it with a click, else its address, unless that is its text. */
function linkSpans(link: Link, look: Look, around: Around): Span[] {
  const { url, text } = link;
  const label = linkedSpans(link, "link", look, around);
  const isItsText = [text, `mailto:${text}`, `http://${text}`].includes(url);
  const note = isClickable(url, look) ? linkNote(url, text) : isItsText ? undefined : url;
  return note === undefined ? label : [...label, { text: ` (${clean(note, look)})`, ...around }];
}

function linkedSpans({ url, content }: Link, mark: Mark, look: Look, around: Around): Span[] {
  return inlineSpans(content, look, { marks: [...around.marks, mark], href: url });
}
