/** A counting semaphore. */
export interface Semaphore {
  /** Waits for a permit, which the caller releases. First in, first out. */
  acquire(): Promise<void>;
  release(): void;
}

/** Allows `count` permits at a time. */
export function createSemaphore(count: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    async acquire() {
      if (free > 0) free--;
      else await new Promise<void>((resolve) => waiting.push(resolve));
    },
    release() {
      const next = waiting.shift();
      if (next === undefined) free++;
      else next();
    },
  };
}
