import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import type { Host } from "./host.ts";

export interface Draft {
  text: string;
  set(text: string): void;
  /** Puts the text into the box, and the cursor behind it. */
  setAndFocus(text: string): void;
}

/** The text in the box; it survives hiding the view. */
export function useDraft(host: Host, box: RefObject<HTMLTextAreaElement | null>, onChange: () => void): Draft {
  const [text, setText] = useState(host.kept.draft);
  function set(next: string): void {
    onChange();
    setText(next);
    host.keep({ draft: next });
  }
  function setAndFocus(next: string): void {
    set(next);
    const element = box.current;
    if (element === null) return;
    element.value = next;
    element.focus();
    element.setSelectionRange(next.length, next.length);
  }
  return { text, set, setAndFocus };
}
