import type { ResourceListing, ResourceSpec } from "../protocol/resource.ts";
import type { StoredState } from "./source-store.ts";

/** Every field of every kind, `null` where it does not apply (spec/wire.md, `GET /resources`). */
export function toListing(
  spec: ResourceSpec,
  { state, origin }: { state: StoredState; origin: ResourceListing["origin"] },
): ResourceListing {
  return {
    type: spec.type,
    name: spec.name,
    origin,
    url: spec.type === "git" ? spec.url : null,
    branch: spec.type === "git" ? spec.branch : null,
    searchPath: spec.type === "git" ? (spec.searchPath ?? null) : null,
    searchPaths: spec.type === "git" ? (spec.searchPaths ?? null) : null,
    path: spec.type === "local" ? spec.path : null,
    package: spec.type === "npm" ? spec.package : null,
    version: spec.type === "npm" ? (spec.version ?? null) : null,
    specialNotes: spec.specialNotes ?? null,
    refresh: spec.type === "local" ? null : (spec.refresh ?? null),
    ...state,
  };
}
