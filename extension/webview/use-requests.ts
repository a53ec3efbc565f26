import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Host } from "./host.ts";
import type { ToWebview } from "./messages.ts";
import { moveFocus } from "./move.ts";
import type { Draft } from "./use-draft.ts";

export type ViewRequest = Extract<ToWebview, { type: "compose" | "move" }>;

/** Carries out each request of the host once, in its order, as soon as the box is there. */
export function useRequests(
  requests: readonly ViewRequest[],
  options: {
    host: Host;
    log: RefObject<HTMLElement | null>;
    lastFocused: RefObject<Element | null>;
    draft: Draft;
    isReady: boolean;
  },
): void {
  const { host, log, lastFocused, draft, isReady } = options;
  const done = useRef(0);
  useEffect(() => {
    if (!isReady) return;
    for (const request of requests.slice(done.current)) {
      // `draft.text` lacks the input since the last rendering.
      if (request.type === "compose") draft.setAndFocus(`${request.text ?? ""}${host.kept.draft}`);
      else if (log.current !== null) {
        const target = moveFocus(log.current, request.to, lastFocused.current);
        // The editor follows, as it does in the list of search results.
        if (request.to.endsWith("citation")) target?.click();
      }
    }
    done.current = requests.length;
  }, [requests, isReady]);
}
