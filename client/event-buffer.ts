import type { AskEvent } from "../server/protocol/ask.ts";

/** One frame of a screen. Models write in many small pieces; what is drawn at once travels at once. */
const frameMs = 16;

export interface EventBuffer {
  push(event: AskEvent): void;
  /** Hands on what waits, at once. */
  flush(): void;
  /** Drops the waiting events: a client that gets the whole state needs none. */
  clear(): void;
}

/**
 * Hands events on in their order, the first at once, then at most once a frame, with the pieces of a text joined.
 * `schedule` calls back later, and returns how to call it off.
 */
export function createEventBuffer(
  post: (event: AskEvent) => void,
  { schedule = afterFrame }: { schedule?: (action: () => void) => () => void } = {},
): EventBuffer {
  let waiting: AskEvent[] = [];
  let callOff: (() => void) | undefined;

  function send(): void {
    const events = waiting;
    waiting = [];
    for (const event of events) post(event);
  }

  function onFrame(): void {
    callOff = waiting.length === 0 ? undefined : schedule(onFrame);
    send();
  }

  function stop(): void {
    callOff?.();
    callOff = undefined;
  }

  return {
    push(event) {
      addEvent(waiting, event);
      if (callOff !== undefined) return;
      callOff = schedule(onFrame);
      send();
    },
    flush() {
      stop();
      send();
    },
    clear() {
      stop();
      waiting = [];
    },
  };
}

/** Adds an event to a list; a piece of text is joined to the piece before it. */
export function addEvent(events: AskEvent[], event: AskEvent): void {
  const last = events.at(-1);
  const joined = last === undefined ? undefined : joinEvents(last, event);
  if (joined === undefined) events.push(event);
  else events[events.length - 1] = joined;
}

function joinEvents(first: AskEvent, second: AskEvent): AskEvent | undefined {
  if (first.type === "reasoning.delta" && second.type === "reasoning.delta") {
    return { ...first, delta: first.delta + second.delta };
  }
  if (first.type !== "text.delta" || second.type !== "text.delta") return undefined;
  const citations = [...(first.citations ?? []), ...(second.citations ?? [])];
  return {
    type: "text.delta",
    delta: first.delta + second.delta,
    ...(citations.length === 0 ? {} : { citations }),
  };
}

function afterFrame(action: () => void): () => void {
  const timer = setTimeout(action, frameMs);
  return () => clearTimeout(timer);
}
