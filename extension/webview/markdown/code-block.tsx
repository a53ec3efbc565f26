import type { ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import { showInvisible } from "../../../server/protocol/invisible.ts";
import { useChat } from "../chat-context.ts";
import { say } from "../strings.ts";
import { CopyButton } from "../parts.tsx";
import type { Highlight } from "./highlight.ts";

/** Longer code stays in one colour: reading it would stop the page for longer than a frame. */
const highlightLength = 20_000;
/** Lines that are laid out together while code arrives; those above do not change any more. */
const chunkLines = 40;
/** What `copyText` takes. */
const copyLength = 200_000;

/** Code in a box of its own, where long lines scroll. Colours come when it is complete, and change no measure. */
export function CodeBlock({ code, language, isOpen }: { code: string; language: string; isOpen: boolean }) {
  const { send } = useChat();
  const colours = useHighlight(code, { language, isOff: isOpen || code.length > highlightLength });
  return (
    <figure class="code">
      <figcaption>
        <span class="language">{showInvisible(language)}</span>
        <CopyButton
          label={say("copyCode")}
          onCopy={() => send({ type: "copyText", text: code.slice(0, copyLength) })}
        />
      </figcaption>
      <pre
        tabIndex={0}
        role="group"
        aria-label={language === "" ? say("code") : say("codeIn", showInvisible(language))}
      >
        <code dir="ltr">{colours === undefined ? <Chunks code={code} /> : colours.map(renderNode)}</code>
      </pre>
    </figure>
  );
}

function Chunks({ code }: { code: string }) {
  const lines = showInvisible(code).split("\n");
  const chunks = Array.from({ length: Math.ceil(lines.length / chunkLines) }, (_, index) =>
    lines.slice(index * chunkLines, (index + 1) * chunkLines).join("\n"),
  );
  return chunks.map((text, index) => (
    <span key={index} class="chunk">
      {index === chunks.length - 1 ? text : `${text}\n`}
    </span>
  ));
}

function useHighlight(code: string, { language, isOff }: { language: string; isOff: boolean }) {
  const [colours, setColours] = useState<{ code: string; nodes: readonly Highlight[] }>();
  useEffect(() => {
    if (isOff || language === "") return undefined;
    let isGone = false;
    const idle = requestIdleCallback(() => void load());
    async function load(): Promise<void> {
      const { highlight } = await import("./highlight.ts");
      const nodes = isGone ? undefined : highlight(showInvisible(code), language);
      if (nodes !== undefined) setColours({ code, nodes });
    }
    return () => {
      isGone = true;
      cancelIdleCallback(idle);
    };
  }, [code, language, isOff]);
  return colours?.code === code ? colours.nodes : undefined;
}

function renderNode(node: Highlight, index: number): ComponentChild {
  if (typeof node === "string") return node;
  return (
    <span key={index} class={node.scope}>
      {node.children.map(renderNode)}
    </span>
  );
}
