import { formatAge } from "../../server/lib/age.ts";
import { plainWords } from "../../server/protocol/kinds/kind.ts";
import { kindOf } from "../../server/protocol/kinds/kinds.ts";
import type { ResourceListing } from "../../server/protocol/resource.ts";
import { formatSize } from "../render/table.ts";

/** The state of a resource on disk: `ready, fetched 2 days ago, 1.2 MB`. */
export function stateOf(resource: ResourceListing, now: number): string {
  const { state, fetchedAt, sizeBytes, failure, installedVersion, indexed } = resource;
  if (state === "absent") return kindOf(resource).absent(plainWords).words;
  if (state === "failed") return failure === null ? "failed" : `failed: ${failure}`;
  const age = fetchedAt === null ? "" : `, fetched ${formatAge(now - Date.parse(fetchedAt))}`;
  const size = sizeBytes === null ? "" : `, ${formatSize(sizeBytes)}`;
  const reason = state === "stale" && failure !== null ? `, not updated: ${failure}` : "";
  const installed = installedVersion === undefined ? "" : `; ${installedVersion} is installed here`;
  const indexing = indexed === undefined ? "" : `, indexing ${Math.floor(100 * indexed)} %`;
  return `${state}${age}${size}${reason}${installed}${indexing}`;
}
