import { type Reference, suggestName } from "../../../server/protocol/reference.ts";
import { limits } from "../../../server/protocol/resource-fields.ts";
import type { ResourceListing, ResourceSpec } from "../../../server/protocol/resource.ts";
import { versionOf } from "./revision.ts";

/** What can be added: a reference that is no name. */
export type Addable = Exclude<Reference, { type: "name" | "invalid" }>;

/** A row of the list as it is configured. What does not apply is left out, so that it is not written either. */
export function toSpec(listing: ResourceListing): ResourceSpec {
  const { name, url, branch, searchPath, searchPaths, path, version, refresh, specialNotes } = listing;
  const notes = specialNotes === null ? {} : { specialNotes };
  switch (listing.type) {
    case "git":
      return {
        type: "git",
        name,
        url: url ?? "",
        branch: branch ?? "main",
        ...(searchPath === null ? {} : { searchPath }),
        ...(searchPaths === null ? {} : { searchPaths }),
        ...(refresh === null ? {} : { refresh }),
        ...notes,
      };
    case "local":
      return { type: "local", name, path: path ?? "", ...notes };
    case "npm":
      return {
        type: "npm",
        name,
        package: listing.package ?? "",
        ...(version === null ? {} : { version }),
        ...(refresh === null ? {} : { refresh }),
        ...notes,
      };
  }
}

export interface Details {
  name: string;
  branch?: string | undefined;
  searchPaths?: readonly string[] | undefined;
  version?: string | undefined;
}

/** What a reference is written as. A page's branch and package's version count where the details name none. */
export function specOf(reference: Addable, { name, branch, searchPaths = [], version }: Details): ResourceSpec {
  switch (reference.type) {
    case "git": {
      const paths = searchPaths.length === 0 ? {} : { searchPaths: [...searchPaths] };
      return { type: "git", name, url: reference.url, branch: branch ?? reference.branch ?? "main", ...paths };
    }
    case "local":
      return { type: "local", name, path: reference.path };
    case "npm": {
      const wanted = version ?? reference.version;
      return { type: "npm", name, package: reference.package, ...(wanted === undefined ? {} : { version: wanted }) };
    }
  }
}

/** The resource at the revision that is on disk; undefined where there is none, or it can have none. */
export function pinnedSpec(listing: ResourceListing): ResourceSpec | undefined {
  const spec = toSpec(listing);
  if (listing.revision === null) return undefined;
  if (spec.type === "git") return { ...spec, branch: listing.revision };
  return spec.type === "npm" ? { ...spec, version: versionOf(listing.revision) } : undefined;
}

/** The search paths of a git resource with others in their place. */
export function withSearchPaths(listing: ResourceListing, paths: readonly string[]): ResourceSpec {
  return toSpec({ ...listing, searchPath: null, searchPaths: paths.length === 0 ? null : [...paths] });
}

/** What a reference is called where nobody says otherwise; with a number behind it where the name is taken. */
export function freeName(reference: Addable, taken: readonly string[]): string {
  const name = suggestName(reference);
  if (!taken.includes(name)) return name;
  for (let count = 2; ; count++) {
    const suffix = `-${count}`;
    const numbered = `${name.slice(0, limits.nameLength - suffix.length)}${suffix}`;
    if (!taken.includes(numbered)) return numbered;
  }
}
