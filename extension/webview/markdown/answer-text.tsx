import type { VNode } from "preact";
import type { Token } from "marked";
import { useRef } from "preact/hooks";
import type { Citation } from "../../../server/protocol/citation.ts";
import { findCitations, type Taken } from "../citations/match.ts";
import { renderBlock } from "./blocks.tsx";
import { createMarkdownStream } from "./stream.ts";

/**
 * The text of an answer. Blocks that are finished are made once and handed out again, so that drawing a long answer
 * costs no more than drawing its last block.
 */
export function AnswerText(props: AnswerTextProps) {
  const reader = useRef<AnswerReader | undefined>(undefined);
  reader.current ??= createAnswerReader();
  return <div class="markdown">{reader.current(props)}</div>;
}

interface AnswerTextProps {
  turn: string;
  text: string;
  citations: readonly Citation[];
  isOpen: boolean;
}

type AnswerReader = (props: AnswerTextProps) => VNode[];

interface Drawn {
  vnode: VNode;
  taken: Taken;
  headingLevel: number;
}

function createAnswerReader(): AnswerReader {
  const stream = createMarkdownStream();
  let drawn = new Map<Token, Drawn>();
  let known: readonly Citation[] = [];

  return ({ turn, text, citations, isOpen }) => {
    if (known.some((citation, index) => citations[index] !== citation)) drawn = new Map();
    known = citations;
    const blocks = stream.read(text);
    let before: Pick<Drawn, "taken" | "headingLevel"> = {
      taken: { links: new Set(), inCode: new Set() },
      headingLevel: 3,
    };
    return blocks.map(({ key, token }, index) => {
      const isLast = isOpen && index === blocks.length - 1;
      const block =
        (isLast ? undefined : drawn.get(token)) ?? draw(token, { key, turn, citations, before, isOpen: isLast });
      if (!isLast) drawn.set(token, block);
      before = block;
      return block.vnode;
    });
  };
}

function draw(
  token: Token,
  options: {
    key: number;
    turn: string;
    citations: readonly Citation[];
    before: Pick<Drawn, "taken" | "headingLevel">;
    isOpen: boolean;
  },
): Drawn {
  const { key, turn, citations, before, isOpen } = options;
  const finder = findCitations(citations, before.taken);
  const context = { turn, finder, headingLevel: before.headingLevel, isOpen };
  const content = renderBlock(token, context);
  const vnode = (
    <div key={key} class={token.type === "list" ? "block list" : "block"}>
      {content}
    </div>
  );
  return { vnode, taken: finder.taken, headingLevel: context.headingLevel };
}
