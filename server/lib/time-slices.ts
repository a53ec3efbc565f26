import { setImmediate } from "node:timers/promises";

/** Runs short synchronous work in turns, so that however much of it there is, others get theirs, and can cancel it. */
export interface TimeSlices {
  run<Result>(work: () => Result): Promise<Result>;
}

/** How long one turn may hold the event loop. */
const sliceMs = 10;

export function createTimeSlices(): TimeSlices {
  let start = performance.now();
  let turn: Promise<void> | undefined;
  return {
    async run(work) {
      // The work follows the check at once: those who waited for one turn must not all run in it.
      while (performance.now() - start >= sliceMs) {
        turn ??= nextTurn();
        await turn;
      }
      return work();
    },
  };

  async function nextTurn(): Promise<void> {
    await setImmediate();
    start = performance.now();
    turn = undefined;
  }
}
