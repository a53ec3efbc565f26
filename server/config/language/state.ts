import { formatAge } from "../../lib/age.ts";
import type { ResourceListing } from "../../protocol/resource.ts";

/** How a resource stands, in one line: `ready · abc1234 · 3 days ago`. `now` in milliseconds since the epoch. */
export function describeState(listing: ResourceListing, now: number): string {
  const { revision, fetchedAt } = listing;
  return [
    stateWords(listing),
    ...(revision === null ? [] : [/^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 7) : revision]),
    ...(fetchedAt === null ? [] : [formatAge(now - Date.parse(fetchedAt))]),
  ].join(" · ");
}

function stateWords({ type, state }: ResourceListing): string {
  switch (state) {
    case "ready":
      return "ready";
    case "absent":
      return type === "local" ? "the folder is not there" : "not fetched yet";
    case "stale":
      return "not refreshed";
    case "failed":
      return "could not be fetched";
  }
}
