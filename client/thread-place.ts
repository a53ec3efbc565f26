import type { ThreadSummary } from "../server/protocol/threads.ts";

/** The conversations of this project, and those of others; each list in the order given. */
export function byPlace<Listed extends Pick<ThreadSummary, "isHere">>(
  threads: readonly Listed[],
): { here: readonly Listed[]; elsewhere: readonly Listed[] } {
  return {
    here: threads.filter(({ isHere }) => isHere !== false),
    elsewhere: threads.filter(({ isHere }) => isHere === false),
  };
}
