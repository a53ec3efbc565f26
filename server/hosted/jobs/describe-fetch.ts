import type { FetchProgress, FetchState } from "../../protocol/hosted.ts";

/** A sentence on a fetch that is not done; undefined if it is. */
export function describeFetch({
  state,
  since,
  failure,
  nextTryAt,
  needsToken,
  progress,
}: FetchState): string | undefined {
  switch (state) {
    case "ready":
      return undefined;
    case "waiting":
    case "running":
      return describeFetching({ state, since, progress });
    case "failed": {
      const next = nextTryAt === null ? "sync tries again" : `next try at ${nextTryAt}`;
      const token = needsToken === null ? "" : `; a private repository needs a token of the project for ${needsToken}`;
      return `fetch failing since ${since}: ${failure}${token}; ${next}`;
    }
  }
}

/** A fetch that has not ended. */
export function describeFetching({ state, since, progress }: Pick<FetchState, "state" | "since" | "progress">): string {
  if (state === "waiting") return "waiting to be fetched";
  return `being fetched since ${since}${progress === null ? "" : `: ${describeProgress(progress)}`}`;
}

/** `receiving files, 42 %`; without the percentage if the message already has numbers. */
export function describeProgress({ phase, fraction, message }: FetchProgress): string {
  return fraction === undefined || phase === "index" ? message : `${message}, ${Math.floor(fraction * 100)} %`;
}
