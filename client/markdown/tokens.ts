import type { MarkedToken, Token, Tokens } from "marked";
import type { Citation } from "../../server/protocol/citation.ts";

/** A citation within a line. `tokens` are what the server wrote for it: a link and its note, or plain text. */
export type CitationToken = { type: "citation"; raw: string; citation: Citation; tokens: Token[] };

/** The tokens of an answer. Their types form a union, so that a renderer that forgets one does not compile. */
export type AnswerToken = MarkedToken | CitationToken;

const known: ReadonlySet<string> = new Set<AnswerToken["type"]>([
  "blockquote",
  "br",
  "checkbox",
  "citation",
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

/** False for text that is too deeply nested to parse; it is shown as it is. */
export function isKnown(token: Token): token is AnswerToken {
  return known.has(token.type);
}

/** Whether a token is a list. */
export function isList(token: Token): token is Tokens.List {
  return token.type === "list" && "items" in token;
}
