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

/** What makes a button one of a citation: preview by hover and focus, open by click, to the side with Ctrl, ⌘ or the middle. */
export function useCitation({ turn, citation }: { turn: string; citation: Citation }) {
  const { send, preview } = useChat();
  const ref = { turn, citation: citation.id };
  function show({ currentTarget: anchor }: { currentTarget: HTMLElement }, { isAtOnce }: { isAtOnce: boolean }): void {
    preview({ ...ref, anchor, isAtOnce });
  }
  function open(event: { currentTarget: HTMLElement }, { toSide }: { toSide: boolean }): void {
    // There is nothing to open; the preview says why.
    if (citation.state === "missing") show(event, { isAtOnce: true });
    else send({ type: "openCitation", ...ref, toSide });
  }
  return {
    "data-citation": citation.id,
    onClick: (event: MouseEvent & { currentTarget: HTMLElement }) =>
      open(event, { toSide: event.ctrlKey || event.metaKey }),
    // Browsers make no click of Ctrl+Enter.
    onKeyDown: (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open(event, { toSide: true });
    },
    onMouseDown: (event: MouseEvent) => event.button === 1 && event.preventDefault(),
    onAuxClick: (event: MouseEvent & { currentTarget: HTMLElement }) =>
      event.button === 1 && open(event, { toSide: true }),
    // `mouseenter` also fires when scrolling brings the citation under a resting pointer.
    onMouseMove: (event: { currentTarget: HTMLElement }) => show(event, { isAtOnce: false }),
    onMouseLeave: () => preview(undefined),
    onFocus: (event: { currentTarget: HTMLElement }) => show(event, { isAtOnce: true }),
    onBlur: () => preview(undefined),
  };
}
