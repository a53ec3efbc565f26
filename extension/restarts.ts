/** The fourth end within three minutes is the last; each start until then waits longer. */
const delaysMs = [1000, 3000, 9000];
const windowMs = 180_000;

export interface Restarts {
  /** How long to wait before the next start, in milliseconds; undefined: it is no use. `now` in milliseconds. */
  next(now: number): number | undefined;
  /** The person has asked for a new start: all begins anew. */
  forgive(): void;
}

/** Decides when a process that has ended is started again. */
export function createRestarts(): Restarts {
  let ends: number[] = [];
  return {
    next(now) {
      ends = [...ends.filter((end) => now - end < windowMs), now];
      return delaysMs[ends.length - 1];
    },
    forgive() {
      ends = [];
    },
  };
}
