import * as z from "zod";
import { ProjectLimits, ProjectUsage, stricterLimits } from "../../protocol/hosted.ts";
import { mapLimits } from "../../protocol/limit-fields.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import { limitReached } from "./refusal.ts";

/** US$ are stored in millionths. */
export const microsPerUsd = 1_000_000;

/** Bytes in a GB, as disks are sold. */
export const bytesPerGb = 1e9;

/** The first day of the current month, by the database's clock. */
export const currentMonth = "date_trunc('month', now(), 'UTC')::date";

/** The current hour, by the database's clock. */
const currentHour = "date_trunc('hour', now(), 'UTC')";

const StoredLimits = z.object(mapLimits((name) => ProjectLimits.shape[name].default(null)));

/** Who sets limits of a project: the operator of the service, who pays for the model, and the project's owners. */
export interface LimitSets {
  operator: ProjectLimits;
  own: ProjectLimits;
}

/** The limits of a project; null is none. */
export async function readLimitSets({ query }: Pick<Queries, "query">, project: string): Promise<LimitSets> {
  const { rows } = await query("select limits, own_limits from project where id = $1", [project]);
  return limitSetsOf(rows[0]);
}

/** The limits in a row of `project`. */
export function limitSetsOf(row: Record<string, unknown> | undefined): LimitSets {
  return { operator: StoredLimits.parse(row?.["limits"] ?? {}), own: StoredLimits.parse(row?.["own_limits"] ?? {}) };
}

/** The limits that apply to a project; null is none. */
export async function readLimits(queries: Pick<Queries, "query">, project: string): Promise<ProjectLimits> {
  const { operator, own } = await readLimitSets(queries, project);
  return stricterLimits(operator, own);
}

/** Changes the operator's limits that are given; null removes one. */
export async function setLimits(
  { query }: Pick<Queries, "query">,
  project: string,
  limits: Partial<Record<keyof ProjectLimits, number | null | undefined>>,
): Promise<void> {
  await query("update project set limits = limits || $2::jsonb where id = $1", [project, JSON.stringify(limits)]);
}

/** Replaces the owners' limits. */
export async function setOwnLimits(
  { query }: Pick<Queries, "query">,
  project: string,
  limits: ProjectLimits,
): Promise<void> {
  await query("update project set own_limits = $2::jsonb where id = $1", [project, JSON.stringify(limits)]);
}

/** The bytes on disk of the snapshots of the project $1, and of what questions fetched of its resources. */
export const diskBytesSql = `(select coalesce(sum(disk_bytes), 0) from resource where project = $1)
  + (select coalesce(sum(bytes), 0) from kept_revision where project = $1)`;

/** What a project uses now and has used this month, without what running questions have reserved. */
export async function readUsage({ query }: Pick<Queries, "query">, project: string): Promise<ProjectUsage> {
  const result = await query(
    `select to_char(now() at time zone 'UTC', 'YYYY-MM') as month,
       (select count(*)::int from running_question where project = $1 and lease_until > now()) as running,
       coalesce(u.questions, 0) as questions, coalesce(u.tokens, 0)::float8 as tokens,
       coalesce(u.micro_usd, 0)::float8 / ${microsPerUsd} as "costUsd",
       (select count(*)::int from resource where project = $1) as resources,
       coalesce((select fetches from fetch_usage where project = $1 and hour >= ${currentHour}), 0) as fetches,
       (${diskBytesSql})::float8 / ${bytesPerGb} as "diskGb"
     from (select 1) one left join usage u on u.project = $1 and u.month = ${currentMonth}`,
    [project],
  );
  return ProjectUsage.parse(result.rows[0]);
}

/**
 * Refuses another resource if a project has as many as it may. Call it in the transaction that adds one.
 * @param limit of the project
 * @throws OperationNotAllowed
 */
export async function requireResource({ query }: Queries, project: string, limit: number | null): Promise<void> {
  if (limit === null) return;
  await query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [project]);
  const counted = await query("select count(*)::int as count from resource where project = $1", [project]);
  const { count = 0 } = firstRow(z.object({ count: z.number() }), counted) ?? {};
  if (count < limit) return;
  throw limitReached({
    limit: `${limit} resources`,
    hint: "remove one, or ask an owner or the operator for a higher limit",
  });
}

/** How many more fetches an hour's limit allows. Call it in the transaction that counts them. */
export async function readFetchesLeft({ query }: Queries, project: string, limit: number): Promise<number> {
  const result = await query(
    `select greatest(0, $2 - coalesce((select fetches from fetch_usage where project = $1 and hour >= ${currentHour}), 0))::int
       as left`,
    [project, limit],
  );
  return firstRow(z.object({ left: z.number() }), result)?.left ?? 0;
}

const Counted = z.object({ fetches: z.number(), retryAfterSeconds: z.number(), next: z.string() });

/**
 * Counts fetches. Call it in the transaction that requests them, which an error undoes: calls of a project wait for each
 * other, so that two at once do not exceed the limit.
 * @param limit of the project in an hour
 * @throws LimitReached, OperationNotAllowed (more at once than an hour allows)
 */
export async function countFetches(
  { query }: Queries,
  project: string,
  { count, limit }: { count: number; limit: number | null },
): Promise<void> {
  if (count === 0) return;
  // A transaction may begin in one hour and wait here until the next.
  const counted = await query(
    `insert into fetch_usage as u (project, hour, fetches) values ($1, ${currentHour}, $2)
     on conflict (project) do update set hour = greatest(u.hour, excluded.hour),
       fetches = case when u.hour < excluded.hour then 0 else u.fetches end + excluded.fetches
     returning fetches, ceil(extract(epoch from hour + interval '1 hour' - now()))::int as "retryAfterSeconds",
       to_char((hour + interval '1 hour') at time zone 'UTC', 'HH24:MI') as next`,
    [project, count],
  );
  const { fetches: used, retryAfterSeconds, next } = Counted.parse(counted.rows[0]);
  if (limit === null || used <= limit) return;
  const left = Math.max(0, limit - (used - count));
  throw limitReached({
    limit: `${limit} fetches an hour`,
    wanted: count,
    left,
    ...(count > limit
      ? { hint: "sync fewer resources at once" }
      : { hint: `the next hour begins at ${next} (UTC)`, retryAfterSeconds }),
  });
}
