import { listedFields, type ResourceListing, type ResourceSpec } from "../protocol/resource.ts";
import type { StoredState } from "./source-store.ts";

/** All fields of all kinds, `null` if not applicable (spec/wire.md, `GET /resources`). */
export function toListing(
  spec: ResourceSpec,
  { state, origin }: { state: StoredState; origin: ResourceListing["origin"] },
): ResourceListing {
  return { ...listedFields(spec), origin, ...state };
}
