import { setImmediate } from "node:timers/promises";

/** Called between steps of a long computation: lets other work run when it is due. @throws the signal's reason */
export type Pace = () => Promise<void>;

/** How long one stretch of computing may keep others waiting: below a frame of the editor. */
const stretchMs = 12;

export function createPace(signal: AbortSignal | undefined): Pace {
  let since = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - since < stretchMs) return;
    await setImmediate();
    signal?.throwIfAborted();
    since = performance.now();
  };
}
