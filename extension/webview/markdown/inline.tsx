import type { ComponentChild } from "preact";
import type { Token, Tokens } from "marked";
import type { Citation } from "../../../server/protocol/citation.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import type { CitationFinder } from "../citations/match.ts";
import { Chip } from "../citations/chip.tsx";
import { say } from "../strings.ts";
import { ExternalLink } from "./external-link.tsx";
import { decodeReferences } from "./references.ts";

export interface InlineContext {
  turn: string;
  finder: CitationFinder;
}

/** Tokens within a line, in their order. What is no Markdown we show stays text: nothing of it is read as HTML. */
export function renderInline(tokens: readonly Token[] | undefined, context: InlineContext): ComponentChild[] {
  return joinText(tokens ?? []).flatMap((part) =>
    typeof part === "string" ? renderText(part, context) : [renderToken(part, context)],
  );
}

/** One line for people of what a link says, as the server wrote it. */
function plainText(tokens: readonly Token[]): string {
  return joinText(tokens)
    .map((part) => (typeof part === "string" ? part : part.raw))
    .join("");
}

function renderToken(token: Token, context: InlineContext): ComponentChild {
  const inner = () => renderInline("tokens" in token ? token.tokens : undefined, context);
  switch (token.type) {
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "br":
      return <br />;
    case "codespan": {
      const text = showInvisible("text" in token ? token.text : token.raw);
      context.finder.code(text);
      return <code>{text}</code>;
    }
    case "checkbox":
      return token.raw.includes("x") ? "☑ " : "☐ ";
    case "image":
      return isLink(token) ? (
        <span class="unlinked">{say("image", showInvisible(`${token.text} ${token.href}`))}</span>
      ) : null;
    case "link":
      return isLink(token) ? renderLink(token, context) : null;
    default:
      return "tokens" in token ? inner() : showInvisible(token.raw);
  }
}

function renderLink(token: Tokens.Link, context: InlineContext): ComponentChild {
  const citation = context.finder.link({ label: showInvisible(plainText(token.tokens)), href: token.href });
  if (citation !== undefined) return renderCitation(citation, context);
  const inner = renderInline(token.tokens, context);
  if (isWebAddress(token.href)) return <ExternalLink url={token.href}>{inner}</ExternalLink>;
  return (
    <span class="unlinked">
      {inner} ({showInvisible(token.href)})
    </span>
  );
}

function renderText(text: string, context: InlineContext): ComponentChild[] {
  return context.finder
    .text(showInvisible(text))
    .map((piece) => (typeof piece === "string" ? piece : renderCitation(piece, context)));
}

function renderCitation(citation: Citation, { turn }: InlineContext): ComponentChild {
  return <Chip key={citation.id} turn={turn} citation={citation} />;
}

/** Text, escapes and HTML that stand side by side are one text: a citation without a link spans them. */
function joinText(tokens: readonly Token[]): (Token | string)[] {
  const parts: (Token | string)[] = [];
  for (const token of tokens) {
    const text = textOf(token);
    const last = parts.at(-1);
    if (text === undefined) parts.push(token);
    else if (typeof last === "string") parts.splice(-1, 1, last + text);
    else parts.push(text);
  }
  return parts;
}

function textOf(token: Token): string | undefined {
  if (token.type === "escape" && "text" in token) return token.text;
  if (token.type === "html") return token.raw;
  if (token.type !== "text" || ("tokens" in token && token.tokens !== undefined)) return undefined;
  return decodeReferences("text" in token ? token.text : token.raw);
}

function isLink(token: Token): token is Tokens.Link {
  return "href" in token;
}

/** What `openLink` takes. */
const urlLength = 4096;

function isWebAddress(href: string): boolean {
  return href.length <= urlLength && /^https?:$/.test(URL.parse(href)?.protocol ?? "");
}
