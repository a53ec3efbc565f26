import type { MarkedToken, Token, Tokens } from "marked";
import type { Citation } from "../../server/protocol/citation.ts";
import { decodeReferences } from "./references.ts";
import type { CitationToken } from "./lexer.ts";

/** A block of an answer. */
export type BlockNode =
  | { type: "paragraph"; content: InlineNode[] }
  /** `depth` as written, from 1. `level` is at most one more than that of the heading before, as screen readers expect. */
  | { type: "heading"; depth: number; level: number; content: InlineNode[] }
  /** `language` as written, without what may follow it; empty if there is none. */
  | { type: "code"; language: string; text: string }
  | { type: "quote"; blocks: BlockNode[] }
  /** `start` is the number of the first item of an ordered list. Items of a loose one have blank lines between them. */
  | { type: "list"; start: number | undefined; isLoose: boolean; items: ListItem[] }
  | { type: "table"; header: TableCell[]; rows: TableCell[][] }
  | { type: "rule" }
  /** Text of a list item that is no paragraph. */
  | { type: "line"; content: InlineNode[] }
  /** The definition of a link, as written. */
  | { type: "definition"; text: string }
  /** HTML, which is shown and never read, or what is nested too deeply to be read. */
  | { type: "raw"; text: string };

/** An item of a list. The mark of a task is also the first node within it. */
export interface ListItem {
  isDone: boolean | undefined;
  blocks: BlockNode[];
}

export interface TableCell {
  align: "left" | "center" | "right" | undefined;
  content: InlineNode[];
}

/** A part of a line. Its text is decoded and may hold any characters: each client has its own way to show them. */
export type InlineNode =
  | { type: "text" | "code"; text: string }
  | { type: "strong" | "emphasis" | "deleted"; content: InlineNode[] }
  | { type: "break" }
  | { type: "checkbox"; isDone: boolean }
  /** `text` is what the link shows, as written. */
  | { type: "link"; url: string; text: string; content: InlineNode[] }
  | { type: "image"; url: string; text: string }
  /** `content` is what the server wrote for it: a link and its note, or plain text. */
  | { type: "citation"; citation: Citation; content: InlineNode[] };

/** How tokens become nodes. */
export interface TreeContext {
  /** Text with the placeholders of citations as plain text. */
  restore(text: string): string;
  /** The level of the heading before, 0 if there is none; set to that of the last heading. */
  heading: { level: number };
  /** How deep the token is nested. */
  depth: number;
}

/** Far deeper than what is written for people; clients draw nodes by recursion. */
const depthLimit = 100;

/** Undefined for space. What is nested too deeply is raw. */
export function toBlockNode(token: Token, context: TreeContext): BlockNode | undefined {
  if (context.depth > depthLimit || !isKnown(token)) return rawOf(token, context);
  switch (token.type) {
    case "paragraph":
      return { type: "paragraph", content: inlineOf(token.tokens, context) };
    case "heading": {
      const { depth, tokens } = token;
      const level = Math.min(depth, context.heading.level + 1);
      context.heading.level = level;
      return { type: "heading", depth, level, content: inlineOf(tokens, context) };
    }
    case "code": {
      const [language = ""] = (token.lang ?? "").trim().split(/[\s,{]/, 1);
      return { type: "code", language, text: context.restore(token.text) };
    }
    case "blockquote":
      return { type: "quote", blocks: blocksOf(token.tokens, context) };
    case "list":
      return listOf(token, context);
    case "table":
      return {
        type: "table",
        header: token.header.map((cell) => cellOf(cell, context)),
        rows: token.rows.map((row) => row.map((cell) => cellOf(cell, context))),
      };
    case "hr":
      return { type: "rule" };
    case "def":
      return { type: "definition", text: context.restore(token.raw) };
    case "html":
      return rawOf(token, context);
    case "space":
      return undefined;
    case "br":
    case "checkbox":
    case "citation":
    case "codespan":
    case "del":
    case "em":
    case "escape":
    case "image":
    case "link":
    case "list_item":
    case "strong":
    case "text":
      return { type: "line", content: inlineOf([token], context) };
  }
}

function rawOf({ raw }: Token, context: TreeContext): BlockNode {
  return { type: "raw", text: context.restore(raw) };
}

function blocksOf(tokens: readonly Token[], context: TreeContext): BlockNode[] {
  const inner = { ...context, depth: context.depth + 1 };
  return tokens.flatMap((token) => toBlockNode(token, inner) ?? []);
}

function listOf({ ordered, start, loose, items }: Tokens.List, context: TreeContext): BlockNode {
  return {
    type: "list",
    start: ordered ? Number(start) : undefined,
    isLoose: loose,
    items: items.map(({ task, checked, tokens }) => ({
      isDone: task ? checked === true : undefined,
      blocks: blocksOf(withCheckbox(tokens), context),
    })),
  };
}

/** In a tight list the checkbox comes before the line that it belongs to. */
function withCheckbox(tokens: readonly Token[]): readonly Token[] {
  const [box, line, ...others] = tokens;
  if (box?.type !== "checkbox" || line?.type !== "text") return tokens;
  return [{ ...line, tokens: [box, ...("tokens" in line ? (line.tokens ?? []) : [])] }, ...others];
}

function cellOf({ align, tokens }: Tokens.TableCell, context: TreeContext): TableCell {
  return { align: align ?? undefined, content: inlineOf(tokens, context) };
}

function inlineOf(tokens: readonly Token[], context: TreeContext): InlineNode[] {
  const inner = { ...context, depth: context.depth + 1 };
  return tokens.flatMap((token) => nodesOf(token, inner));
}

function nodesOf(token: Token, context: TreeContext): InlineNode[] {
  const text = (written: string): InlineNode[] => [{ type: "text", text: context.restore(written) }];
  if (context.depth > depthLimit || !isKnown(token)) return text(token.raw);
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? text(decodeReferences(token.text)) : inlineOf(token.tokens, context);
    case "escape":
      return text(token.text);
    case "strong":
      return [{ type: "strong", content: inlineOf(token.tokens, context) }];
    case "em":
      return [{ type: "emphasis", content: inlineOf(token.tokens, context) }];
    case "del":
      return [{ type: "deleted", content: inlineOf(token.tokens, context) }];
    case "codespan":
      return [{ type: "code", text: context.restore(token.text) }];
    case "br":
      return [{ type: "break" }];
    case "html":
      return /^<br\s*\/?>$/i.test(token.text) ? [{ type: "break" }] : text(token.text);
    case "checkbox":
      return [{ type: "checkbox", isDone: token.checked }];
    case "link": {
      const { url, text: label } = targetOf(token, context);
      return [{ type: "link", url, text: label, content: inlineOf(token.tokens, context) }];
    }
    case "image":
      return [{ type: "image", ...targetOf({ ...token, text: decodeReferences(token.text) }, context) }];
    case "citation":
      return [{ type: "citation", citation: token.citation, content: inlineOf(token.tokens, context) }];
    case "blockquote":
    case "heading":
    case "list_item":
    case "paragraph":
      return inlineOf(token.tokens, context);
    case "code":
    case "def":
    case "hr":
    case "list":
    case "space":
    case "table":
      return text(token.raw);
  }
}

function targetOf({ href, text }: Pick<Tokens.Link, "href" | "text">, { restore }: TreeContext) {
  return { url: decodeReferences(restore(href)), text: restore(text) };
}

/** The tokens of an answer. Their types form a union, so that a forgotten one does not compile. */
type AnswerToken = MarkedToken | CitationToken;

/** All that the lexer makes, but for text that is too deeply nested to parse. */
function isKnown(token: Token): token is AnswerToken {
  return token.type !== "raw";
}
