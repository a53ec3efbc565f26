import * as z from "zod";
import type { FetchLimit } from "../../resources/fetch-limit.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import { bytesPerGb, diskBytesSql, readLimits } from "./project-limits.ts";
import { limitReached } from "./refusal.ts";

/**
 * Refuses fetches if the snapshots of a project fill its disk space.
 * @param limit of the project, in GB
 * @throws OperationNotAllowed
 */
export async function requireDisk({ query }: Queries, project: string, limit: number | null): Promise<void> {
  if (limit === null) return;
  const { rows } = await query(`select ${diskBytesSql} >= $2::float8 as full`, [project, limit * bytesPerGb]);
  if (rows[0]?.["full"] !== true) return;
  throw limitReached({
    limit: `${limit} GB on disk`,
    hint: "remove a resource, or ask an owner or the operator for a higher limit",
  });
}

/** What every snapshot of the service may have on disk. */
export function serviceFetchLimit(bytes: number): FetchLimit {
  return {
    bytes,
    name: `the ${bytes / bytesPerGb} GB that this service allows for a resource`,
    hint: "add a part of the repository with searchPaths",
  };
}

/**
 * What the snapshot of a resource may have on disk: what the project's other resources leave of its limit. Two fetches at
 * once may each use it.
 * @param options.revision what is fetched beside its snapshot (`KeptRevision`)
 */
export async function readFetchLimit(
  queries: Pick<Queries, "query">,
  project: string,
  { resource, revision = null }: { resource: string; revision?: string | null },
): Promise<FetchLimit | undefined> {
  const { diskGb: limit } = await readLimits(queries, project);
  if (limit === null) return undefined;
  const others = await queries.query(
    `select ((select coalesce(sum(disk_bytes), 0) from resource
         where project = $1 and (name <> $2 or $3::text is not null))
       + (select coalesce(sum(bytes), 0) from kept_revision
         where project = $1 and (resource <> $2 or revision is distinct from $3::text)))::float8 as bytes`,
    [project, resource, revision],
  );
  const { bytes: used = 0 } = firstRow(z.object({ bytes: z.number() }), others) ?? {};
  const bytes = Math.max(0, limit * bytesPerGb - used);
  return {
    bytes,
    name: `the ${Number((bytes / bytesPerGb).toPrecision(3))} GB that other resources leave of this project's ${limit} GB`,
    hint: "remove a resource, or add a part of the repository with searchPaths",
  };
}
