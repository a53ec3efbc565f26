import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { previewDelayMs } from "../../client/answer/preview-place.ts";
import type { ChatActions, CitationRef } from "./chat-context.ts";
import type { Host } from "./host.ts";

export type PreviewTarget = CitationRef & { anchor: HTMLElement };

/** Which citation's lines are shown. The pointer may move onto the card; Escape puts it away. */
export function usePreview(host: Host) {
  const [target, setTarget] = useState<PreviewTarget>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** The citation under the pointer, from the pointer's first move on it. */
  const hovered = useRef<HTMLElement | undefined>(undefined);
  const actions = useMemo(() => {
    function later(ms: number, change: () => void): void {
      clearTimeout(timer.current);
      timer.current = setTimeout(change, ms);
    }
    const preview: ChatActions["preview"] = (next) => {
      if (next === undefined) {
        hovered.current = undefined;
        return later(previewDelayMs.hide, () => setTarget(undefined));
      }
      const { turn, citation, anchor, isAtOnce } = next;
      if (!isAtOnce) {
        // Once per visit of the pointer: a move after Escape does not open the card again.
        if (anchor === hovered.current) return;
        hovered.current = anchor;
      }
      later(isAtOnce ? 0 : previewDelayMs.show, () => {
        setTarget({ turn, citation, anchor });
        host.send({ type: "previewCitation", turn, citation });
      });
    };
    return {
      preview,
      stay: () => clearTimeout(timer.current),
      hide: () => later(0, () => setTarget(undefined)),
    };
  }, []);
  useLayoutEffect(() => {
    if (target === undefined) return undefined;
    const handleKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      actions.hide();
    };
    // The listener is on the window: the pointer opens the card wherever the focus is.
    window.addEventListener("keydown", handleKey, { capture: true });
    return () => window.removeEventListener("keydown", handleKey, { capture: true });
  }, [target]);
  return { target, ...actions };
}
