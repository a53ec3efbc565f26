import type { Citation } from "../../../server/protocol/citation.ts";
import { useChat } from "../chat-context.ts";
import { Icon } from "../icons.tsx";
import { say } from "../strings.ts";
import { describeCitation, looksOf, nameOf } from "./words.ts";

/** A citation in the text: icon, file and lines, and the state in words unless all is well. */
export function Chip({ turn, citation }: { turn: string; citation: Citation }) {
  const { icon, tone } = looksOf(citation.state);
  return (
    <button
      type="button"
      class={`chip ${tone}`}
      aria-label={describeCitation(citation)}
      {...useCitation({ turn, citation })}
    >
      <Icon name={icon} />
      <bdi class="chip-name">{nameOf(citation)}</bdi>
      <span class={citation.state === "verified" ? "hidden" : "chip-state"}> {say(citation.state)}</span>
    </button>
  );
}

/**
 * What makes a button one of a citation: preview by hover and focus, open by click, to the side with Ctrl, ⌘ or the middle.
 * The focus stays in the chat until Enter or a double click.
 */
export function useCitation({ turn, citation }: { turn: string; citation: Citation }) {
  const { send, preview } = useChat();
  const ref = { turn, citation: citation.id };
  function show({ currentTarget: anchor }: { currentTarget: HTMLElement }, { isAtOnce }: { isAtOnce: boolean }): void {
    preview({ ...ref, anchor, isAtOnce });
  }
  function open(event: (MouseEvent | KeyboardEvent) & { currentTarget: HTMLElement }): void {
    const toSide = event.ctrlKey || event.metaKey || ("button" in event && event.button === 1);
    const takesFocus = "key" in event || event.detail === 2;
    // There is nothing to open; the preview says why.
    if (citation.state === "missing") show(event, { isAtOnce: true });
    else send({ type: "openCitation", ...ref, toSide, takesFocus });
  }
  return {
    "data-citation": citation.id,
    onClick: open,
    onKeyDown: (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
      if (event.key !== "Enter") return;
      // Else the browser makes a click of it, too.
      event.preventDefault();
      open(event);
    },
    onMouseDown: (event: MouseEvent) => event.button === 1 && event.preventDefault(),
    onAuxClick: (event: MouseEvent & { currentTarget: HTMLElement }) => event.button === 1 && open(event),
    // `mouseenter` also fires when scrolling brings the citation under a resting pointer.
    onMouseMove: (event: { currentTarget: HTMLElement }) => show(event, { isAtOnce: false }),
    onMouseLeave: () => preview(undefined),
    onFocus: (event: { currentTarget: HTMLElement }) => show(event, { isAtOnce: true }),
    onBlur: () => preview(undefined),
  };
}
