import { setImmediate } from "node:timers/promises";

/** Splits synchronous work into slices, so that other tasks run in between and can cancel it. */
export interface TimeSlices {
  run<Result>(work: () => Result): Promise<Result>;
}

/** The maximum duration of a slice. */
const sliceMs = 10;

/** Creates a scheduler with its own time budget. */
export function createTimeSlices(): TimeSlices {
  let start = performance.now();
  let turn: Promise<void> | undefined;
  return {
    async run(work) {
      // Run the work right after the check: callers that waited for the same slice must not all run in it.
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
