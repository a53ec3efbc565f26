import type { ComponentChild } from "preact";
import type { Token, Tokens } from "marked";
import { isWebAddress, linkNote } from "../../../client/markdown/link-note.ts";
import { decodeReferences } from "../../../client/markdown/references.ts";
import { isKnown } from "../../../client/markdown/tokens.ts";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { Chip } from "../citations/chip.tsx";
import { say } from "../strings.ts";
import { ExternalLink } from "./external-link.tsx";

export interface InlineContext {
  turn: string;
}

/** Tokens within a line, in their order. Markdown that the chat does not show stays text; none of it is read as HTML. */
export function renderInline(tokens: readonly Token[] | undefined, context: InlineContext): ComponentChild[] {
  return (tokens ?? []).map((token) => renderToken(token, context));
}

function renderToken(token: Token, context: InlineContext): ComponentChild {
  if (!isKnown(token)) return showInvisible(token.raw);
  switch (token.type) {
    case "citation":
      return <Chip key={token.citation.id} turn={context.turn} citation={token.citation} />;
    case "strong":
      return <strong>{renderInline(token.tokens, context)}</strong>;
    case "em":
      return <em>{renderInline(token.tokens, context)}</em>;
    case "del":
      return <del>{renderInline(token.tokens, context)}</del>;
    case "br":
      return <br />;
    case "codespan":
      return <code>{showInvisible(token.text)}</code>;
    case "checkbox":
      return token.raw.includes("x") ? "☑ " : "☐ ";
    case "image":
      return <span class="unlinked">{say("image", showInvisible(`${token.text} ${token.href}`))}</span>;
    case "link":
      return renderLink(token, context);
    case "escape":
      return showInvisible(token.text);
    case "text":
      return token.tokens === undefined
        ? showInvisible(decodeReferences(token.text))
        : renderInline(token.tokens, context);
    case "blockquote":
    case "heading":
    case "list_item":
    case "paragraph":
      return renderInline(token.tokens, context);
    case "code":
    case "def":
    case "hr":
    case "html":
    case "list":
    case "space":
    case "table":
      return showInvisible(token.raw);
  }
}

function renderLink({ href, text, tokens }: Tokens.Link, context: InlineContext): ComponentChild {
  const inner = renderInline(tokens, context);
  const note = linkNote(href, text);
  const shown = note !== undefined && <span class="muted"> ({showInvisible(note)})</span>;
  const isLink = isWebAddress(href) && href.length <= urlLength;
  return (
    <>
      {isLink ? <ExternalLink url={href}>{inner}</ExternalLink> : <span class="unlinked">{inner}</span>}
      {shown}
    </>
  );
}

/** The longest address that `openLink` takes. */
const urlLength = 4096;
