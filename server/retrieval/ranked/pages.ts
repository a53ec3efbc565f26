interface Scored {
  score: number;
}

/**
 * What stands from `offset` on, as long as `limit`. What is found is cut into pages of that length, each best first, and
 * none changes with what is found later, even if that is better: whoever goes on with the same limit sees everything once.
 */
export function createPages<Found extends Scored>({ offset, limit }: { offset: number; limit: number }) {
  const told: Found[] = [];
  let waiting: Found[] = [];
  return {
    /** What one file gives, in the order of files. */
    add(found: readonly Found[]): void {
      waiting.push(...found);
      while (waiting.length >= limit) {
        const best = bestFirst(waiting);
        told.push(...best.slice(0, limit));
        waiting = best.slice(limit);
      }
    },
    isFull: () => told.length >= offset + limit,
    page: () => [...told, ...bestFirst(waiting)].slice(offset, offset + limit),
  };
}

function bestFirst<Found extends Scored>(found: readonly Found[]): Found[] {
  return [...found].sort((a, b) => b.score - a.score);
}
