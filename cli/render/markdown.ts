import { type Block, createMarkdownReader } from "../../client/markdown/reader.ts";
import type { BlockNode } from "../../client/markdown/tree.ts";
import type { Citation } from "../../server/protocol/citation.ts";
import { blockLines } from "./blocks.ts";
import { type Look, paintSpans, type Span } from "./spans.ts";
import type { Style } from "./style.ts";

/** A top-level block as lines of styled spans, for any width. */
export interface BlockView extends Pick<Block, "key" | "isTight"> {
  /** Whether later text cannot change it. */
  isSettled: boolean;
  /** The last width is kept. */
  lines(width: number): readonly Span[][];
}

/** The text of an answer as it grows. A settled block stays the same object. */
export interface MarkdownView {
  blocks(text: string, citations: readonly Citation[]): readonly BlockView[];
}

/** Creates the view of one answer. */
export function createMarkdownView(look: Look): MarkdownView {
  const reader = createMarkdownReader({ openItems: 1 });
  const views = new WeakMap<BlockNode, BlockView>();
  return {
    blocks(text, citations) {
      const settledCount = reader.settled(text, citations).length;
      return reader.read(text, citations).map((block, index) => {
        const known = views.get(block.node);
        if (known !== undefined) return known;
        const view = createBlockView({ ...block, isSettled: index < settledCount }, look);
        views.set(block.node, view);
        return view;
      });
    },
  };
}

function createBlockView(
  { key, isTight, node, isSettled }: Block & Pick<BlockView, "isSettled">,
  look: Look,
): BlockView {
  let kept: { width: number; lines: Span[][] } | undefined;
  return {
    key,
    isTight,
    isSettled,
    lines(width) {
      if (kept?.width !== width) kept = { width, lines: blockLines([node], look, { width }) };
      return kept.lines;
    },
  };
}

/**
 * Markdown that streams in, as text for a terminal. Settled blocks are printed at once, so that nothing printed ever has
 * to change. Without a terminal (`style.layout`) the Markdown is passed through.
 */
export interface MarkdownRenderer {
  /** `citations` are those that the server sent with this text. */
  push(delta: string, citations?: readonly Citation[]): string;
  /** The rest, and the end of the last line. */
  end(): string;
}

/** Creates the renderer of one answer. */
export function createMarkdownRenderer(style: Style): MarkdownRenderer {
  return style.layout ? createPrinter(style) : createPassage();
}

function createPrinter(style: Style): MarkdownRenderer {
  const reader = createMarkdownReader({ openItems: 1 });
  const cited: Citation[] = [];
  let text = "";
  let printed = 0;
  let isFirst = true;

  const print = ({ node, isTight }: Block): string => {
    const lines = blockLines([node], style, { width: style.width });
    if (lines.length === 0) return "";
    const gap = isFirst || isTight ? "" : "\n";
    isFirst = false;
    return gap + lines.map((line) => `${paintSpans(line, style)}\n`).join("");
  };
  const printNew = (blocks: readonly Block[]): string => {
    const fresh = blocks.slice(printed);
    printed = blocks.length;
    return fresh.map(print).join("");
  };
  return {
    push(delta, citations = []) {
      text += delta;
      cited.push(...citations);
      // Blocks settle at line ends only.
      if (!delta.includes("\n")) return "";
      return printNew(reader.settled(text, cited));
    },
    end: () => printNew(reader.read(text, cited)),
  };
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
