import * as z from "zod";
import type { ErrorTag } from "../../protocol/error-tags.ts";
import type { FetchProgress } from "../../protocol/hosted.ts";
import { firstRow } from "../store/rows.ts";
import type { Engine, Queries } from "../store/store.ts";

/** A fetch of a resource that this process runs. Its lease ends unless it is renewed. */
export interface Job {
  project: string;
  resource: string;
  lease: string;
}

/** The channel on which workers hear that a fetch waits. */
export const waitingChannel = "citewell_job_waiting";
/** The channel on which workers hear that a git host is to be asked for repositories or rights. */
export const dueChannel = "citewell_account_due";
/** The channel on which a fetch that ended is reported, as `<project>/<resource>`. */
export const endedChannel = "citewell_job_ended";

/** How many fetches of one project run at a time, so that a project with many does not delay the others. */
const runningPerProject = 2;
/** After so many failures in a row, only the daily fetch or a request tries again. */
const attemptsInRow = 8;
const firstRetrySeconds = 30;
const lastRetrySeconds = 3600;

/**
 * Requests a fetch of resources, or of all of a project. A request joins the one that waits; a retry is made at once.
 */
export async function requestFetch(
  { query }: Queries,
  project: string,
  { resources }: { resources?: readonly string[] | undefined } = {},
): Promise<void> {
  await query(
    `insert into job (project, resource, requested_at)
     select project, name, now() from resource where project = $1 and ($2::text[] is null or name = any ($2::text[]))
     on conflict (project, resource) do update
       set requested_at = coalesce(job.requested_at, now()), run_at = least(job.run_at, now())`,
    [project, resources ?? null],
  );
  await query("select pg_notify($1, '')", [waitingChannel]);
}

/**
 * How many fetches a request would cause: all but those that it joins. It also locks the waiting ones, so that no
 * worker takes one before the transaction requests it. Its time is that of the clock: `now()` is the start of the
 * transaction, and another that began later may have requested a fetch while this one waited.
 */
export async function countCaused(
  { query }: Queries,
  project: string,
  { resources }: { resources?: readonly string[] | undefined },
): Promise<number> {
  const result = await query(
    `with waiting as (
       select from job where project = $1 and ($2::text[] is null or resource = any ($2::text[]))
         and requested_at is not null and run_at <= clock_timestamp() for update)
     select (count(*) - (select count(*) from waiting))::int as count from resource
     where project = $1 and ($2::text[] is null or name = any ($2::text[]))`,
    [project, resources ?? null],
  );
  return firstRow(z.object({ count: z.number() }), result)?.count ?? 0;
}

/** Twice as long after each failure in a row, up to an hour, and not the same for all that failed at once. */
const retryDelay = `least(${firstRetrySeconds} * 2 ^ attempts, ${lastRetrySeconds}) * (0.75 + random() / 2) * interval '1 s'`;

/**
 * Takes the next fetch that is due, if any: of the project with the fewest running ones, the one that waits longest.
 */
export async function claimJob(engine: Pick<Engine, "tx">, { leaseMs }: { leaseMs: number }): Promise<Job | undefined> {
  return engine.tx(async (queries) => {
    // Two nodes must not both find a project below its number of running fetches.
    await queries.query("select pg_advisory_xact_lock(hashtextextended('citewell job', 0))");
    await endExpired(queries);
    const result = await queries.query(
      `with running as (select project, count(*) as count from job where lease is not null group by project)
       update job set lease = gen_random_uuid(), lease_until = now() + $1::float8 * interval '1 ms',
         started_at = now(), requested_at = null, progress = null
       where (project, resource) = (
         select j.project, j.resource from job j left join running r on r.project = j.project
         where j.requested_at is not null and j.run_at <= now() and j.lease is null and coalesce(r.count, 0) < $2
         order by coalesce(r.count, 0), j.run_at, j.resource limit 1)
       returning project, resource, lease`,
      [leaseMs, runningPerProject],
    );
    return firstRow(z.object({ project: z.string(), resource: z.string(), lease: z.string() }), result);
  });
}

/**
 * A job whose process was killed is run again: at once the first time, later with a delay, as it may be the cause.
 * Until the retries end, the failure says nothing about the resource.
 */
async function endExpired({ query }: Queries): Promise<void> {
  await query(
    `update job set lease = null, lease_until = null, attempts = attempts + 1, failure = $1,
       failure_tag = case when attempts + 1 < $2 then $3 end,
       failed_since = coalesce(failed_since, now()),
       requested_at = case when attempts + 1 < $2 then coalesce(requested_at, now()) else requested_at end,
       run_at = case when attempts = 0 then now() else now() + ${retryDelay} end
     where lease_until <= now()`,
    ["the process that fetched it ended", attemptsInRow, "NotReadyYet" satisfies ErrorTag],
  );
}

/** Renews the lease of a job. False if it is lost: the job was taken over, or its resource removed. */
export async function renewLease(
  { query }: Queries,
  { lease }: Job,
  { leaseMs }: { leaseMs: number },
): Promise<boolean> {
  const { count } = await query("update job set lease_until = now() + $2::float8 * interval '1 ms' where lease = $1", [
    lease,
    leaseMs,
  ]);
  return count > 0;
}

/** Records how far a job is, unless its lease is lost. */
export async function writeProgress(
  { query }: Queries,
  { lease }: Job,
  { phase, fraction, message }: FetchProgress,
): Promise<void> {
  const progress = JSON.stringify({ phase, fraction, message });
  await query("update job set progress = $2::jsonb where lease = $1", [lease, progress]);
}

/** Ends a job that succeeded. */
export async function completeJob({ query }: Queries, job: Job): Promise<void> {
  await query(
    `update job set lease = null, lease_until = null, attempts = 0, failure = null, failure_tag = null, failed_since = null,
       finished_at = now() where lease = $1`,
    [job.lease],
  );
  await reportEnd({ query }, job);
}

/** Ends a job that failed, and requests it again for later, unless it would fail again. */
export async function failJob(
  { query }: Pick<Queries, "query">,
  job: Job,
  failure: string,
  { isFinal = false, tag }: { isFinal?: boolean; tag?: ErrorTag } = {},
): Promise<void> {
  await query(
    `update job set lease = null, lease_until = null, attempts = attempts + 1, failure = $2, failure_tag = $4,
       failed_since = coalesce(failed_since, now()),
       requested_at = case when attempts + 1 < $3 then coalesce(requested_at, now()) else requested_at end,
       run_at = now() + ${retryDelay}
     where lease = $1`,
    [job.lease, failure, isFinal ? 0 : attemptsInRow, tag ?? null],
  );
  await reportEnd({ query }, job);
}

/** Returns a job that this process could not finish before its end; another one takes it at once. */
export async function releaseJob({ query }: Pick<Queries, "query">, { lease }: Job): Promise<void> {
  await query(
    `update job set lease = null, lease_until = null, requested_at = coalesce(requested_at, now()), run_at = now()
     where lease = $1`,
    [lease],
  );
  await query("select pg_notify($1, '')", [waitingChannel]);
}

/** Ends the leases of earlier processes. Call it only for a database that serves one process: they were killed. */
export async function expireLeases({ query }: Queries): Promise<void> {
  await query("update job set lease_until = now() where lease is not null");
}

/**
 * Requests the daily fetches that are due: of resources that were asked about within seven days. The time of day comes
 * from a hash of the resource, so that they are spread over the day.
 */
export async function requestDailyFetches({ query }: Queries): Promise<void> {
  const offset = `make_interval(secs => (('x' || substr(md5(j.project::text || '/' || j.resource), 1, 7))::bit(28)::int % 86400))`;
  const { count } = await query(
    `update job j set requested_at = now(), run_at = now() from resource r
     where r.project = j.project and r.name = j.resource and r.asked_at > now() - interval '7 days'
       and j.requested_at is null and j.lease is null
       and coalesce(j.started_at, '-infinity') < date_trunc('day', now() - ${offset}, 'UTC') + ${offset}`,
  );
  if (count > 0) await query("select pg_notify($1, '')", [waitingChannel]);
}

async function reportEnd({ query }: Pick<Queries, "query">, { project, resource }: Job): Promise<void> {
  await query("select pg_notify($1, $2)", [endedChannel, `${project}/${resource}`]);
}
