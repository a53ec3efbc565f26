/** A counting semaphore that shares its permits fairly between groups of callers. */
export interface FairSemaphore {
  /**
   * Waits for a permit, which the caller releases. A free permit goes to the waiting group that holds the fewest;
   * groups that hold equally many take turns. The order within a group is first in, first out.
   */
  acquire(group: string): Promise<void>;
  release(group: string): void;
}

/** Allows `count` permits at a time. */
export function createFairSemaphore(count: number): FairSemaphore {
  let free = count;
  const held = new Map<string, number>();
  /** The groups that wait, in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();

  return {
    async acquire(group) {
      if (free > 0) {
        free--;
        hold(group, 1);
        return;
      }
      await new Promise<void>((resolve) => {
        const callers = waiting.get(group) ?? [];
        callers.push(resolve);
        waiting.set(group, callers);
      });
    },
    release(group) {
      hold(group, -1);
      const next = nextGroup();
      if (next === undefined) free++;
      else wake(next);
    },
  };

  function hold(group: string, change: 1 | -1): void {
    const permits = heldBy(group) + change;
    if (permits === 0) held.delete(group);
    else held.set(group, permits);
  }

  function heldBy(group: string): number {
    return held.get(group) ?? 0;
  }

  function nextGroup(): string | undefined {
    let next: string | undefined;
    for (const group of waiting.keys()) if (next === undefined || heldBy(group) < heldBy(next)) next = group;
    return next;
  }

  /** Gives the permit at once, so that no caller that arrives in between takes it. */
  function wake(group: string): void {
    const [first, ...others] = waiting.get(group) ?? [];
    waiting.delete(group);
    if (others.length > 0) waiting.set(group, others);
    hold(group, 1);
    first?.();
  }
}
