import { Lexer } from "marked";
import type { Citation } from "../../server/protocol/citation.ts";
import { blockLines } from "./blocks.ts";
import { createChunker } from "./chunks.ts";
import { clean } from "./clean.ts";
import type { InlineContext } from "./inline.ts";
import type { Style } from "./style.ts";

/**
 * Markdown that streams in, as text for a terminal. Blocks come out when they are complete, so that nothing that was
 * printed ever has to change. Where nobody reads it on a terminal (`style.layout`) the Markdown goes out as it came.
 */
export interface MarkdownRenderer {
  /** `citations` are those that the server sent with this text: their links are shown by path and lines alone. */
  push(delta: string, citations?: readonly Citation[]): string;
  /** What was held back, and the end of the last line. */
  end(): string;
}

export function createMarkdownRenderer(style: Style): MarkdownRenderer {
  return style.layout ? createLayout(style) : createPassage();
}

function createLayout(style: Style): MarkdownRenderer {
  const chunker = createChunker();
  const citationUrls = new Set<string>();
  const isCitation = (href: string) => /^(?:citewell|file):/.test(href) || citationUrls.has(href);
  let isFirst = true;

  const layOut = ({ source, isTight }: { source: string; isTight: boolean }): string => {
    const lines = layOutOrShow(source, { style, isCitation });
    if (lines.length === 0) return "";
    const gap = isFirst || isTight ? "" : "\n";
    isFirst = false;
    return `${gap}${lines.join("\n")}\n`;
  };
  return {
    push(delta, citations = []) {
      for (const { url } of citations) if (url !== undefined) citationUrls.add(url);
      return chunker.push(delta).map(layOut).join("");
    },
    end: () => chunker.end().map(layOut).join(""),
  };
}

/** The lexer recurses: what is nested deeper than the stack goes out as it came. */
function layOutOrShow(source: string, context: InlineContext): string[] {
  const { style } = context;
  try {
    return blockLines(new Lexer({ gfm: true }).lex(source), context, { width: style.width });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return clean(source, style).split("\n");
  }
}

function createPassage(): MarkdownRenderer {
  let last = "\n";
  return {
    push(delta) {
      last = delta.at(-1) ?? last;
      return delta;
    },
    end: () => (last === "\n" ? "" : "\n"),
  };
}
