import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useChat } from "../chat-context.ts";
import type { ChatView, FoundFiles } from "../store.ts";
import { sayCount } from "../strings.ts";
import type { Draft } from "../use-draft.ts";
import { complete, fileQuery, type Suggestion } from "./completion.ts";

/** What fits the word at the cursor of the box, and the choice among it by keys. */
export function useCompletion(
  box: RefObject<HTMLTextAreaElement | null>,
  draft: Draft,
  { view: { resources }, files }: { view: ChatView; files: FoundFiles },
) {
  const { send, announce } = useChat();
  const [cursor, setCursor] = useState(0);
  const [isDismissed, setDismissed] = useState(false);
  const [active, setActive] = useState(0);
  const completion = isDismissed ? undefined : complete(draft.text, cursor, { resources, files });
  const suggestions = completion?.suggestions ?? [];
  const count = suggestions.length;
  useEffect(() => {
    if (count > 0) announce(sayCount("suggestionCountOne", "suggestionCount", count));
  }, [count]);

  function change({ value, selectionStart }: HTMLTextAreaElement): void {
    draft.set(value);
    setCursor(selectionStart);
    setDismissed(false);
    setActive(0);
    const query = fileQuery(value.slice(0, selectionStart));
    if (query !== undefined) send({ type: "findFiles", query });
  }
  function choose({ message, insert = "", said }: Suggestion): void {
    if (completion === undefined || box.current === null) return;
    box.current.setRangeText(insert, completion.start, completion.end, "end");
    change(box.current);
    if (message !== undefined) send(message);
    if (said !== undefined) announce(said);
  }
  /** Whether the key was for the list. */
  function handleKey(event: KeyboardEvent): boolean {
    const chosen = suggestions[active];
    if (chosen === undefined) return false;
    if (event.key === "ArrowDown") setActive((active + 1) % count);
    else if (event.key === "ArrowUp") setActive((active + count - 1) % count);
    else if (event.key === "Escape") setDismissed(true);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) choose(chosen);
    else return false;
    event.stopPropagation();
    return true;
  }
  return { suggestions, active, choose, change, handleKey, setCursor, dismiss: () => setDismissed(true) };
}
