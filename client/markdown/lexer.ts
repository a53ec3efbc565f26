import { Lexer, type Token, type Tokens } from "marked";
import {
  citationLabel,
  citationNote,
  cutAtCitations,
  type Citation,
  type TextPart,
} from "../../server/protocol/citation.ts";

/** An answer with a placeholder for each citation, and the parts that they replace. */
export interface Source {
  text: string;
  pieces: readonly CitedPart[];
}
type CitedPart = Required<TextPart>;

/** A citation within a line. `tokens` are what the server wrote for it. */
export type CitationToken = { type: "citation"; raw: string; citation: Citation; tokens: Token[] };

/** Definitions of links, which later blocks may use. */
export type Links = Lexer["tokens"]["links"];

/**
 * Citations are cut out of the text at their ranges before it is parsed, and never recognised by their look. The `<`
 * ends a URL before a citation, as the bracket of a link would not. U+FDD0 is a noncharacter, reserved for internal use
 * (Unicode 16, 23.7): a model's own becomes U+FFFD, so that it cannot write a placeholder.
 */
export function withPlaceholders(text: string, citations: readonly Citation[]): Source {
  const pieces: CitedPart[] = [];
  const parts = cutAtCitations(text, citations).map(({ text: part, citation }) => {
    if (citation === undefined) return part.replaceAll("\uFDD0", "\uFFFD");
    return `<\uFDD0${pieces.push({ text: part, citation }) - 1}>`;
  });
  return { text: parts.join("").replace(/\r\n?/g, "\n"), pieces };
}

/**
 * The blocks of a part of the source. Definitions are taken from `links` and added to it. The lexer recurses: what is
 * nested deeper than the stack allows is one token of an unknown type.
 */
export function lexBlocks(text: string, { pieces, links }: Pick<Source, "pieces"> & { links: Links }): Token[] {
  const inline = [(source: string) => citationToken(source, pieces)];
  const lexer = new Lexer({ gfm: true, extensions: { renderers: {}, childTokens: {}, inline } });
  Object.assign(lexer.tokens.links, links);
  try {
    const tokens = lexer.lex(text);
    Object.assign(links, lexer.tokens.links);
    return tokens;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [{ type: "raw", raw: text }];
  }
}

/** Undefined unless the source begins with a placeholder. */
function citationToken(source: string, pieces: Source["pieces"]): (CitationToken & Tokens.Generic) | undefined {
  const [raw, index] = /^<\uFDD0(\d+)>/.exec(source) ?? [];
  const piece = pieces[Number(index)];
  if (raw === undefined || piece === undefined) return undefined;
  const tokens = Lexer.lexInline(piece.text, { gfm: true });
  return { type: "citation", raw, citation: piece.citation, tokens };
}

/** Writes plain text for the placeholders that Markdown takes for a part of code, HTML or an address. */
export function withoutPlaceholders(text: string, pieces: Source["pieces"]): string {
  if (!text.includes("\uFDD0")) return text;
  return text.replace(/<?\uFDD0(\d+)>?/g, (_, index: string) => plainText(pieces[Number(index)]));
}

function plainText(piece: CitedPart | undefined): string {
  return piece === undefined ? "" : citationLabel(piece.citation) + citationNote(piece.citation);
}
