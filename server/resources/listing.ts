import { listedFields, type ResourceListing, type ResourceSpec } from "../protocol/resource.ts";
import type { StoredState } from "./source-store.ts";

/** All fields of all kinds, `null` if not applicable (docs/contract.md, `GET /resources`). */
export function toListing(
  spec: ResourceSpec,
  { state: stored, origin }: { state: StoredState; origin: ResourceListing["origin"] },
): ResourceListing {
  const { state, revision, fetchedAt, sizeBytes, fileCount, failure, installedVersion } = stored;
  const own = { origin, state, revision, fetchedAt, sizeBytes, fileCount, failure };
  return { ...listedFields(spec), ...own, ...(installedVersion === undefined ? {} : { installedVersion }) };
}
