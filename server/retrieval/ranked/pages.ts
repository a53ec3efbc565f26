interface Scored {
  score: number;
}

/**
 * The results from `offset` on, `limit` of them. Results are cut into pages of that length, each sorted best first. Later
 * results do not change earlier pages, so that paging with the same limit shows each result once.
 */
export function createPages<Found extends Scored>({ offset, limit }: { offset: number; limit: number }) {
  const told: Found[] = [];
  let waiting: Found[] = [];
  /** Whether results follow the page. */
  const hasMore = () => told.length + waiting.length > offset + limit;
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
    /** Whether further results change neither the page nor `hasMore`. */
    isSettled: () => told.length >= offset + limit && hasMore(),
    hasMore,
    page: () => [...told, ...bestFirst(waiting)].slice(offset, offset + limit),
  };
}

function bestFirst<Found extends Scored>(found: readonly Found[]): Found[] {
  return [...found].sort((a, b) => b.score - a.score);
}
