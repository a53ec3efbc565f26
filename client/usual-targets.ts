import type { ResourceListing } from "../server/protocol/resource.ts";

/**
 * What a request is about that names no resource (docs/contract.md, "The open project"): the open projects and what a
 * configuration file lists. The built-in defaults must be named.
 */
export function usualTargets<Listed extends Pick<ResourceListing, "origin">>(
  listings: readonly Listed[],
): readonly Listed[] {
  return listings.filter(({ origin }) => origin !== "default");
}
