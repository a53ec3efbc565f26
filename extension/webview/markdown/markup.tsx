import { type ComponentChild, h, type ComponentChildren } from "preact";
import type { Markup } from "../../../client/markdown/markup.ts";
import { Chip } from "../citations/chip.tsx";
import { CodeBlock } from "./code-block.tsx";
import { useChat } from "../chat-context.ts";

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

/** A web address, opened by the host. The click ends here: VS Code would open the link a second time. */
function ExternalLink({ url, children }: { url: string; children: ComponentChildren }) {
  const { send } = useChat();
  function open(event: MouseEvent): void {
    event.preventDefault();
    event.stopPropagation();
    send({ type: "openLink", url });
  }
  return (
    <a href={url} title={url} onClick={open}>
      {children}
    </a>
  );
}
