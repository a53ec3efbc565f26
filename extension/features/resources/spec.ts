import type { Details } from "../../../server/protocol/kinds/kind.ts";
import { kindOf, type OneOff } from "../../../server/protocol/kinds/kinds.ts";
import { suggestName } from "../../../server/protocol/reference.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";
import { type ResourceListing, type ResourceSpec, toSpec } from "../../../server/protocol/resource.ts";

/** The spec of a reference. The branch of a page's URL applies if the details name none. */
export function specOf(reference: OneOff, details: Details): ResourceSpec {
  const page = "branch" in reference ? reference.branch : undefined;
  return kindOf(reference).toSpec(reference, { ...details, branch: details.branch ?? page });
}

/** The resource at the revision that is on disk; undefined where there is none, or it can have none. */
export function pinnedSpec(listing: ResourceListing): ResourceSpec | undefined {
  const { revision } = listing;
  return revision === null ? undefined : kindOf(listing).pin?.(toSpec(listing), revision);
}

/** The search paths of a git resource with others in their place. */
export function withSearchPaths(listing: ResourceListing, paths: readonly string[]): ResourceSpec {
  return toSpec({ ...listing, searchPath: null, searchPaths: paths.length === 0 ? null : [...paths] });
}

/** The default name of a reference, with a number if the name is taken. */
export function freeName(reference: OneOff, taken: readonly string[]): string {
  const name = suggestName(reference);
  if (!taken.includes(name)) return name;
  for (let count = 2; ; count++) {
    const suffix = `-${count}`;
    const numbered = `${name.slice(0, limits.nameLength - suffix.length)}${suffix}`;
    if (!taken.includes(numbered)) return numbered;
  }
}
