import { formatAge } from "../../lib/age.ts";
import { plainWords } from "../../protocol/kinds/kind.ts";
import { kindOf } from "../../protocol/kinds/kinds.ts";
import type { ResourceListing } from "../../protocol/resource.ts";

/** The state of a resource in one line: `ready · abc1234 · 3 days ago`. `now` is in milliseconds since the epoch. */
export function describeState(listing: ResourceListing, now: number): string {
  const { revision, fetchedAt } = listing;
  return [
    stateWords(listing),
    ...(revision === null ? [] : [/^[0-9a-f]{40,64}$/.test(revision) ? revision.slice(0, 7) : revision]),
    ...(fetchedAt === null ? [] : [formatAge(now - Date.parse(fetchedAt))]),
  ].join(" · ");
}

function stateWords(listing: ResourceListing): string {
  switch (listing.state) {
    case "ready":
      return "ready";
    case "absent":
      return kindOf(listing).absent(plainWords).words;
    case "stale":
      return "not refreshed";
    case "failed":
      return "could not be fetched";
  }
}
