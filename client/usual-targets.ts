import type { ResourceListing } from "../server/protocol/resource.ts";

/**
 * What a request is about that names no resource (spec/wire.md, "The open project"): the built-in defaults, which no file
 * lists, apply only where no project is open.
 */
export function usualTargets<Listed extends Pick<ResourceListing, "origin">>(
  listings: readonly Listed[],
): readonly Listed[] {
  const hasProject = listings.some(({ origin }) => origin === "project");
  return hasProject ? listings.filter(({ origin }) => origin !== "default") : listings;
}
