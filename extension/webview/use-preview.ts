import { useMemo, useRef, useState } from "preact/hooks";
import type { ChatActions, CitationRef } from "./chat-context.ts";
import type { Host } from "./host.ts";

/** How long the pointer rests on a citation before its lines are shown, and may be away before they go. */
const showAfterMs = 300;
const hideAfterMs = 150;

export type PreviewTarget = CitationRef & { anchor: HTMLElement };

/** Which citation's lines are shown. The pointer may move onto the card; Escape puts it away. */
export function usePreview(host: Host) {
  const [target, setTarget] = useState<PreviewTarget>();
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const actions = useMemo(() => {
    function later(ms: number, change: () => void): void {
      clearTimeout(timer.current);
      timer.current = setTimeout(change, ms);
    }
    const preview: ChatActions["preview"] = (next) => {
      if (next === undefined) return later(hideAfterMs, () => setTarget(undefined));
      const { turn, citation, anchor, isAtOnce } = next;
      later(isAtOnce ? 0 : showAfterMs, () => {
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
  return { target, ...actions };
}
