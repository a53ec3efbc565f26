import type { VNode } from "preact";
import type { Token } from "marked";
import { useRef } from "preact/hooks";
import { type Block, createMarkdownReader } from "../../../client/markdown/reader.ts";
import type { Citation } from "../../../server/protocol/citation.ts";
import { renderBlock } from "./blocks.tsx";

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

interface Drawn {
  vnode: VNode;
  headingLevel: number;
}

function createAnswerDrawing(): (props: AnswerTextProps) => VNode[] {
  const reader = createMarkdownReader({ openItems });
  const drawn = new WeakMap<Token, Drawn>();
  return ({ turn, text, citations, isOpen }) => {
    const blocks = reader.read(text, citations);
    let headingLevel = 3;
    return blocks.map((block, index) => {
      const isLast = isOpen && index === blocks.length - 1;
      const known = isLast ? undefined : drawn.get(block.token);
      const current = known ?? drawBlock(block, { turn, headingLevel, isOpen: isLast });
      if (!isLast) drawn.set(block.token, current);
      headingLevel = current.headingLevel;
      return current.vnode;
    });
  };
}

function drawBlock({ key, token }: Block, given: { turn: string; headingLevel: number; isOpen: boolean }): Drawn {
  const context = { ...given };
  const content = renderBlock(token, context);
  const vnode = (
    <div key={key} class={token.type === "list" ? "block list" : "block"}>
      {content}
    </div>
  );
  return { vnode, headingLevel: context.headingLevel };
}
