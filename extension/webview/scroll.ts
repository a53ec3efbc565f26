import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Host } from "./host.ts";

/** This near the end counts as at the end, in pixels. */
const nearEnd = 32;
/** How long after the last movement the place is kept, in milliseconds. */
const keepAfterMs = 200;

/**
 * Follows the end of the conversation while the reader is there, and otherwise keeps the reader's position. A page without
 * turns starts at its top. `turns` are undefined until the host has sent them.
 */
export function useFollowing(
  log: RefObject<HTMLElement | null>,
  { host, turns }: { host: Host; turns: readonly unknown[] | undefined },
) {
  const [isAtEnd, setAtEnd] = useState(host.kept.scrollTop === null);
  const isFollowing = useRef(isAtEnd);
  const isEmpty = useRef(true);
  const isPlaced = useRef(false);
  const keeping = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  useLayoutEffect(() => {
    const element = log.current;
    if (element === null || turns === undefined) return;
    isEmpty.current = turns.length === 0;
    if (isEmpty.current) {
      element.scrollTop = 0;
      return;
    }
    if (isFollowing.current) element.scrollTop = element.scrollHeight;
    else if (!isPlaced.current) element.scrollTop = host.kept.scrollTop ?? 0;
    isPlaced.current = true;
  }, [turns]);

  // What changes size by itself: folds, colours of code, the view.
  useEffect(() => {
    const element = log.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => {
      if (isFollowing.current && !isEmpty.current) element.scrollTop = element.scrollHeight;
    });
    for (const observed of [element, ...element.children]) observer.observe(observed);
    return () => observer.disconnect();
  }, [turns === undefined]);

  function handleScroll(): void {
    const element = log.current;
    if (element === null || !isPlaced.current || isEmpty.current) return;
    const isNow = element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd;
    isFollowing.current = isNow;
    setAtEnd(isNow);
    clearTimeout(keeping.current);
    keeping.current = setTimeout(() => host.keep({ scrollTop: isNow ? null : element.scrollTop }), keepAfterMs);
  }
  function follow(): void {
    isFollowing.current = true;
    setAtEnd(true);
    log.current?.scrollTo({ top: log.current.scrollHeight });
    host.keep({ scrollTop: null });
  }
  return { isAtEnd, handleScroll, follow };
}
