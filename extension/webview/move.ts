import type { ToWebview } from "./messages.ts";

type Move = Extract<ToWebview, { type: "move" }>["to"];

/** Puts the focus on the next or previous citation or question, counted from `from` if it is in the log, else from what is in view. */
export function moveFocus(log: HTMLElement, to: Move, from: Element | null): HTMLElement | undefined {
  const selector = to.endsWith("citation") ? ".markdown .chip" : ".question-text";
  const targets = [...log.querySelectorAll<HTMLElement>(selector)];
  const step = to.startsWith("next") ? 1 : -1;
  const index = indexFrom(targets, { log, step, from });
  const target = targets[Math.max(0, Math.min(index, targets.length - 1))];
  target?.scrollIntoView({ block: "nearest" });
  target?.focus({ preventScroll: true });
  return target;
}

function indexFrom(
  targets: readonly HTMLElement[],
  { log, step, from }: { log: HTMLElement; step: number; from: Element | null },
): number {
  if (from !== null && log.contains(from)) {
    const at = targets.findIndex((target) => target === from);
    if (at !== -1) return at + step;
    const isBehind = (target: Element) =>
      (from.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
    return step > 0 ? targets.findIndex(isBehind) : targets.findLastIndex((target) => !isBehind(target));
  }
  const { top, bottom } = log.getBoundingClientRect();
  const isSeen = (target: Element) => {
    const box = target.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  };
  const seen = step > 0 ? targets.findIndex(isSeen) : targets.findLastIndex(isSeen);
  return seen === -1 ? (step > 0 ? 0 : targets.length - 1) : seen;
}
