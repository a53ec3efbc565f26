/** Lets so many at a time do something. */
export interface Turns {
  /** Waits until it is one's turn, which is to be given back. */
  take(): Promise<void>;
  /** The turn goes to who waits longest: nobody who arrives before that one has woken gets it, too. */
  giveBack(): void;
}

export function createTurns(count: number): Turns {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    giveBack() {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}
