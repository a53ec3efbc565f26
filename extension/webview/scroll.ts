import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Host } from "./host.ts";

/** This near the end counts as at the end, in pixels. */
const nearEnd = 32;
/** How long after the last movement the place is kept, in milliseconds. */
const keepAfterMs = 200;

/**
 * `question`: the end, until the last question is at the top of the view; `end`: the end. Undefined: the reader's
 * position.
 */
type Following = "question" | "end" | undefined;

/**
 * Follows an answer until its question reaches the top of the view, so that a long answer is read from its start.
 * Follows the end while the reader is there, and otherwise keeps the reader's position. A page without turns starts at
 * its top. `turns` are undefined until the host has sent them.
 */
export function useFollowing(
  log: RefObject<HTMLElement | null>,
  { host, turns }: { host: Host; turns: readonly { id: string }[] | undefined },
) {
  const { scrollTop: kept } = host.kept;
  const [isLatestInView, setLatestInView] = useState(typeof kept !== "number");
  const following = useRef<Following>(typeof kept === "number" ? undefined : (kept ?? "question"));
  const isEmpty = useRef(true);
  /** The position of the last placing; undefined before the first. */
  const placedAt = useRef<number | undefined>(undefined);
  const keeping = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const shownTurn = useRef<string | undefined>(undefined);
  const lastTurn = turns?.at(-1)?.id;

  function place(): void {
    const element = log.current;
    if (element === null || isEmpty.current) return;
    const end = element.scrollHeight - element.clientHeight;
    if (following.current === "end") element.scrollTop = end;
    if (following.current === "question") element.scrollTop = Math.min(end, topOfLastTurn(element));
    placedAt.current = element.scrollTop;
    setLatestInView(isLatestShown(element));
  }
  function followEnd(): void {
    following.current = "end";
    place();
    host.keep({ scrollTop: "end" });
  }

  useLayoutEffect(() => {
    const element = log.current;
    if (element === null || turns === undefined) return;
    const isFirst = placedAt.current === undefined;
    isEmpty.current = turns.length === 0;
    if (isFirst && typeof kept === "number") element.scrollTop = kept;
    else if (!isFirst && lastTurn !== shownTurn.current) {
      following.current = "question";
      host.keep({ scrollTop: null });
    }
    if (isEmpty.current) element.scrollTop = placedAt.current = 0;
    shownTurn.current = lastTurn;
    place();
  }, [turns]);

  // What changes size by itself: folds, colours of code, the view.
  useEffect(() => {
    const element = log.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(place);
    for (const observed of [element, ...element.children]) observer.observe(observed);
    return () => observer.disconnect();
  }, [turns === undefined]);

  function handleScroll(): void {
    const element = log.current;
    if (element === null || placedAt.current === undefined || isEmpty.current) return;
    const isNow = element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd;
    setLatestInView(isLatestShown(element));
    // The event of a placing comes later than it.
    if (Math.abs(element.scrollTop - placedAt.current) <= 1) return;
    following.current = isNow ? "end" : undefined;
    clearTimeout(keeping.current);
    keeping.current = setTimeout(() => host.keep({ scrollTop: isNow ? "end" : element.scrollTop }), keepAfterMs);
  }
  return { isLatestInView, handleScroll, followEnd };
}

/** The space above the question, in pixels. */
const questionMargin = 8;

function topOfLastTurn(log: HTMLElement): number {
  const top = boxOfLastTurn(log)?.top;
  if (top === undefined) return 0;
  return Math.max(0, top - log.getBoundingClientRect().top + log.scrollTop - questionMargin);
}

/** Whether the end of the last answer is in view; what follows it is not waited for. */
function isLatestShown(log: HTMLElement): boolean {
  const bottom = boxOfLastTurn(log)?.bottom;
  return bottom === undefined || bottom - log.getBoundingClientRect().bottom <= nearEnd;
}

function boxOfLastTurn(log: HTMLElement): DOMRect | undefined {
  return [...log.querySelectorAll("[data-turn]")].at(-1)?.getBoundingClientRect();
}
