import { answerWords, type Language } from "../../server/protocol/answer-words.ts";
import type { Citation } from "../../server/protocol/citation.ts";
import { showInvisible } from "../../server/protocol/invisible.ts";
import { isWebAddress, linkNote } from "./link-note.ts";
import type { BlockNode, InlineNode, TableCell } from "./tree.ts";

/**
 * An answer in HTML, as the clients that have it draw it: text, elements, and what each draws in its own way. All text
 * is visible, and none of it is to be read as HTML.
 */
export type Markup =
  | string
  | { type: "element"; tag: MarkupTag; attributes: Readonly<Record<string, string | number>>; children: Markup[] }
  | { type: "code"; language: string; text: string }
  /** A link to a web page. */
  | { type: "link"; url: string; children: Markup[] }
  | { type: "citation"; citation: Citation };

/** The elements that an answer may have. */
export type MarkupTag =
  | "h3"
  | "h4"
  | "h5"
  | "h6"
  | "blockquote"
  | "br"
  | "code"
  | "del"
  | "div"
  | "em"
  | "hr"
  | "li"
  | "ol"
  | "p"
  | "span"
  | "strong"
  | "table"
  | "tbody"
  | "td"
  | "th"
  | "thead"
  | "tr"
  | "ul";

/** How an answer is set. `top` is the level of its first heading. */
export interface MarkupOptions {
  language: Language;
  top: 3 | 4;
}

/** The longest address that is a link, in UTF-16 units. */
const urlLength = 4096;

/** A block as markup. Definitions of links are not shown. */
export function blockMarkup(node: BlockNode, options: MarkupOptions): Markup[] {
  const inner = (nodes: readonly BlockNode[]) => nodes.flatMap((child) => blockMarkup(child, options));
  const inline = (nodes: readonly InlineNode[]) => inlineMarkup(nodes, options.language);
  switch (node.type) {
    case "heading": {
      const attributes = { dir: "auto", class: `size-${node.depth}` };
      return [element(headingTag(options.top + node.level - 1), inline(node.content), attributes)];
    }
    case "paragraph":
      return [element("p", inline(node.content), { dir: "auto" })];
    case "line":
      return [element("div", inline(node.content), { dir: "auto" })];
    case "code":
      return [{ type: "code", language: node.language, text: node.text }];
    case "quote":
      return [element("blockquote", inner(node.blocks))];
    case "list": {
      // Loose and tight lists look the same: a blank line that streams in would move everything above.
      const items = node.items.map(({ isDone, blocks }) =>
        element("li", inner(blocks), isDone === undefined ? {} : { class: "task" }),
      );
      return [node.start === undefined ? element("ul", items) : element("ol", items, { start: node.start })];
    }
    case "table":
      return [tableMarkup(node, options.language)];
    case "rule":
      return [element("hr")];
    case "definition":
      return [];
    case "raw":
      return [element("p", [showInvisible(node.text.trimEnd())], { dir: "auto", class: "raw" })];
  }
}

function headingTag(level: number): MarkupTag {
  if (level <= 3) return "h3";
  if (level === 4) return "h4";
  return level === 5 ? "h5" : "h6";
}

function tableMarkup({ header, rows }: BlockNode & { type: "table" }, language: Language): Markup {
  const cell = (tag: "th" | "td", { align, content }: TableCell) =>
    element(tag, inlineMarkup(content, language), {
      dir: "auto",
      ...(tag === "th" ? { scope: "col" } : {}),
      ...(align === undefined ? {} : { class: align }),
    });
  const row = (tag: "th" | "td", cells: readonly TableCell[]) =>
    element(
      "tr",
      cells.map((one) => cell(tag, one)),
    );
  const table = element("table", [
    element("thead", [row("th", header)]),
    element(
      "tbody",
      rows.map((cells) => row("td", cells)),
    ),
  ]);
  const label = language.say(answerWords.table);
  return element("div", [table], { class: "scroll", tabindex: 0, role: "region", "aria-label": label });
}

function inlineMarkup(nodes: readonly InlineNode[], language: Language): Markup[] {
  return nodes.flatMap((node): Markup[] => {
    switch (node.type) {
      case "text":
        return [showInvisible(node.text)];
      case "strong":
        return [element("strong", inlineMarkup(node.content, language))];
      case "emphasis":
        return [element("em", inlineMarkup(node.content, language))];
      case "deleted":
        return [element("del", inlineMarkup(node.content, language))];
      case "break":
        return [element("br")];
      case "code":
        return [element("code", [showInvisible(node.text)])];
      case "checkbox":
        return [node.isDone ? "☑ " : "☐ "];
      case "image": {
        const text = showInvisible(`${node.text} ${node.url}`);
        return [element("span", [language.say(answerWords.image, text)], { class: "unlinked" })];
      }
      case "link":
        return linkMarkup(node, language);
      case "citation":
        return [{ type: "citation", citation: node.citation }];
    }
  });
}

/** A link, and where it leads unless its text says that. */
function linkMarkup({ url, text, content }: InlineNode & { type: "link" }, language: Language): Markup[] {
  const children = inlineMarkup(content, language);
  const note = linkNote(url, text);
  const isLink = isWebAddress(url) && url.length <= urlLength;
  return [
    isLink ? { type: "link", url, children } : element("span", children, { class: "unlinked" }),
    ...(note === undefined ? [] : [" ", element("span", [`(${showInvisible(note)})`], { class: "muted" })]),
  ];
}

function element(
  tag: MarkupTag,
  children: Markup[] = [],
  attributes: Readonly<Record<string, string | number>> = {},
): Markup {
  return { type: "element", tag, attributes, children };
}
