interface Scored {
  score: number;
}

/**
 * The page that begins after `offset`, best first. What was found before is cut into pages of the same length, each as it
 * would be if it were the last: the next one goes on where it ends, although what is found later may be better.
 */
export function createPages<Found extends Scored>({ offset, limit }: { offset: number; limit: number }) {
  let told = 0;
  let end = offset % limit || limit;
  let waiting: Found[] = [];
  return {
    /** What one file gives, in the order of files. */
    add(found: readonly Found[]): void {
      waiting.push(...found);
      while (told + waiting.length >= end && end <= offset) {
        waiting = bestFirst(waiting).slice(end - told);
        told = end;
        end += limit;
      }
    },
    isFull: () => told + waiting.length >= end,
    last: () => (told < offset ? [] : bestFirst(waiting).slice(0, limit)),
  };
}

function bestFirst<Found extends Scored>(found: readonly Found[]): Found[] {
  return [...found].sort((a, b) => b.score - a.score);
}
