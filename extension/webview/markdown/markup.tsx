import { type ComponentChild, h } from "preact";
import type { Markup } from "../../../client/markdown/markup.ts";
import { Chip } from "../citations/chip.tsx";
import { CodeBlock } from "./code-block.tsx";
import { ExternalLink } from "./external-link.tsx";

export interface MarkupContext {
  turn: string;
  /** Whether the text may still go on here. */
  isOpen: boolean;
}

export function renderMarkup(parts: readonly Markup[], context: MarkupContext): ComponentChild[] {
  return parts.map((part) => renderPart(part, context));
}

function renderPart(part: Markup, context: MarkupContext): ComponentChild {
  if (typeof part === "string") return part;
  switch (part.type) {
    case "element":
      return h(part.tag, part.attributes, renderMarkup(part.children, context));
    case "code":
      return <CodeBlock code={part.text} language={part.language} isOpen={context.isOpen} />;
    case "link":
      return <ExternalLink url={part.url}>{renderMarkup(part.children, context)}</ExternalLink>;
    case "citation":
      return <Chip key={part.citation.id} turn={context.turn} citation={part.citation} />;
  }
}
