import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { type Block, createMarkdownReader } from "../../../client/markdown/reader.ts";
import { blockMarkup } from "../../../client/markdown/markup.ts";
import type { BlockNode } from "../../../client/markdown/tree.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import { language } from "../strings.ts";
import { renderMarkup } from "./markup.tsx";

/** Short lists are drawn as one list; a long one that is still arriving would take too long. */
const openItems = 8;

/**
 * The text of an answer. Settled blocks are made once and handed out again, so that drawing a long answer costs no more
 * than drawing its last block.
 */
export function AnswerText(props: AnswerTextProps) {
  const draw = useRef<((props: AnswerTextProps) => VNode[]) | undefined>(undefined);
  draw.current ??= createAnswerDrawing();
  return <div class="markdown">{draw.current(props)}</div>;
}

interface AnswerTextProps {
  turn: string;
  text: string;
  citations: readonly Citation[];
  isOpen: boolean;
}

function createAnswerDrawing(): (props: AnswerTextProps) => VNode[] {
  const reader = createMarkdownReader({ openItems });
  const drawn = new WeakMap<BlockNode, VNode>();
  return ({ turn, text, citations, isOpen }) => {
    const blocks = reader.read(text, citations);
    return blocks.map((block, index) => {
      if (isOpen && index === blocks.length - 1) return drawBlock(block, { turn, isOpen: true });
      const current = drawn.get(block.node) ?? drawBlock(block, { turn, isOpen: false });
      drawn.set(block.node, current);
      return current;
    });
  };
}

function drawBlock({ key, node }: Block, context: { turn: string; isOpen: boolean }): VNode {
  return (
    <div key={key} class={node.type === "list" ? "block list" : "block"}>
      {renderMarkup(blockMarkup(node, { language, top: 4 }), context)}
    </div>
  );
}
