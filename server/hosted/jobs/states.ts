import { FetchState } from "../../protocol/hosted.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import * as z from "zod";

const StateRow = FetchState.extend({
  resource: z.string(),
  since: Timestamp.nullable(),
  nextTryAt: Timestamp.nullable(),
});

const stateSql = `case when lease_until > now() then 'running' when attempts > 0 and failure is not null then 'failed'
  when requested_at is not null or lease is not null then 'waiting' else 'ready' end`;

/** When fetches that wait for a limit are released at the latest, unless the disk is full. */
const nextHour = "date_trunc('hour', now(), 'UTC') + interval '1 hour'";

/**
 * The state of the fetches of a project, by the name of the resource. Marks the resources in `asked`, or all
 * if it is empty, as asked about, at most once an hour.
 */
export async function readFetchStates(
  { query }: Queries,
  project: string,
  { asked }: { asked?: readonly string[] } = {},
): Promise<ReadonlyMap<string, FetchState>> {
  const result = await query(
    `with recorded as (
       update resource set asked_at = now()
       where project = $1 and (name = any ($2::text[]) or cardinality($2::text[]) = 0)
         and coalesce(asked_at < now() - interval '1 hour', true))
     select resource, state, failure, case when state = 'failed' then needs_token end as "needsToken",
       case when state = 'running' then progress end as progress,
       case state when 'running' then started_at when 'failed' then failed_since when 'waiting' then requested_at
         else finished_at end as since,
       case when state = 'failed' and requested_at is not null
         then least(run_at, case when run_at = 'infinity' then ${nextHour} end) end as "nextTryAt"
     from (select *, ${stateSql} as state from job where project = $1) j`,
    [project, asked ?? null],
  );
  return new Map(allRows(StateRow, result).map(({ resource, ...state }) => [resource, state]));
}

/** How far the fetches of some resources are. */
export interface FetchCounts {
  total: number;
  ready: number;
  failed: number;
  /** Waiting or running. */
  pending: number;
  /** Of the pending ones, those that wait for a limit of the project. */
  held: number;
}

const Count = z.object({
  followed: z.string().nullable(),
  total: z.number(),
  ready: z.number(),
  failed: z.number(),
  pending: z.number(),
  held: z.number(),
});

/** How far the fetches of a project are, by the id of the followed account; null: of the resources that people added. */
export async function readFetchCounts(
  { query }: Pick<Queries, "query">,
  project: string,
): Promise<ReadonlyMap<string | null, FetchCounts>> {
  const counted = (condition: string) => `count(*) filter (where ${condition})::int`;
  const result = await query(
    `select r.followed, count(*)::int as total, ${counted("j.state = 'ready'")} as ready,
       ${counted("j.state = 'failed'")} as failed, ${counted("coalesce(j.state, 'waiting') in ('waiting', 'running')")} as pending,
       ${counted("j.run_at = 'infinity' and j.requested_at is not null")} as held
     from resource r left join (select *, ${stateSql} as state from job where project = $1) j on j.resource = r.name
     where r.project = $1 group by r.followed`,
    [project],
  );
  return new Map(allRows(Count, result).map(({ followed, ...counts }) => [followed, counts]));
}

/** The names of the resources whose last fetch failed. @param options.followed of an account only */
export async function listFailed(
  { query }: Pick<Queries, "query">,
  project: string,
  { followed }: { followed?: string | undefined } = {},
): Promise<string[]> {
  const result = await query(
    `select j.resource from (select *, ${stateSql} as state from job where project = $1) j
     join resource r on r.project = $1 and r.name = j.resource
     where j.state = 'failed' and ($2::uuid is null or r.followed = $2::uuid)`,
    [project, followed ?? null],
  );
  return allRows(z.object({ resource: z.string() }), result).map(({ resource }) => resource);
}

const Obstacle = z.object({
  state: FetchState.shape.state,
  failure: z.string().nullable(),
  tag: z.string().nullable(),
  progress: FetchState.shape.progress,
  since: Timestamp.nullable(),
  ageMs: z.number(),
});

/** The fetch of one resource that is not done, with the tag of its failure; undefined if it is done, or there is none. */
export async function readUndone(
  { query }: Queries,
  project: string,
  resource: string,
): Promise<z.infer<typeof Obstacle> | undefined> {
  const result = await query(
    `select state, failure, failure_tag as tag, progress, since,
       coalesce(extract(epoch from now() - since) * 1000, 0)::float8 as "ageMs"
     from (select *, case when state = 'running' then started_at else requested_at end as since
       from (select *, ${stateSql} as state from job where project = $1 and resource = $2) j) j
     where state <> 'ready'`,
    [project, resource],
  );
  return firstRow(Obstacle, result);
}

const Totals = z.object({ running: z.number(), failed: z.number(), waiting: z.number(), waitedSeconds: z.number() });

/** The fetches of all projects: how many are in each state, and how long the oldest one that is due waits. */
export async function readJobTotals({ query }: Pick<Queries, "query">): Promise<z.infer<typeof Totals>> {
  const result = await query(
    `select count(*) filter (where state = 'running')::int as running,
       count(*) filter (where state = 'failed')::int as failed,
       count(*) filter (where state = 'waiting')::int as waiting,
       coalesce(extract(epoch from now() - min(greatest(requested_at, run_at))
         filter (where lease is null and requested_at is not null and run_at <= now())), 0)::float8 as "waitedSeconds"
     from (select *, ${stateSql} as state from job) j`,
  );
  return firstRow(Totals, result) ?? { running: 0, failed: 0, waiting: 0, waitedSeconds: 0 };
}
