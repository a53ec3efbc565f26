import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import type { FollowPlan } from "../../protocol/followed-accounts.ts";
import type { ListedRepository } from "../git-hosts/git-host.ts";
import { holdFetches, releaseHeld } from "../jobs/held.ts";
import { readLimits } from "../limits/project-limits.ts";
import { type HostPlace, type HostServices, openHost } from "../projects/open-host.ts";
import { recordAccessUse } from "../secrets/git-access.ts";
import { allRows, firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";
import { type AccountPlace, requireFollowed } from "./accounts.ts";
import { type Plan, planFollowing } from "./plan.ts";

/** A run of this process. Its lease ends unless it is renewed. */
export interface Run {
  project: string;
  id: string;
  lease: string;
}

/** Longer lists of a run are stored only so far; its counts are in the audit log. */
const storedRows = 500;

/**
 * What a run would change now. Nothing is stored.
 * @param id of the account, if it is followed already
 * @throws what `GitHost.list` throws, SecretsKeyInvalid
 */
export async function previewFollowing(
  services: HostServices,
  project: string,
  { id, ...place }: AccountPlace & { id?: string | undefined },
  { signal }: { signal: AbortSignal },
): Promise<FollowPlan> {
  const listed = await listAccount(services, project, place, { signal });
  const { specs: _specs, moves: _moves, ...plan } = await makePlan(services.store, project, { ...place, id, listed });
  return plan;
}

/**
 * Lists an account, and makes the project's resources follow it. Only a complete list changes anything.
 * @throws what `GitHost.list` throws, SecretsKeyInvalid; Cancelled (another process has taken the run over)
 */
export async function runFollowing(
  services: HostServices,
  run: Run,
  { signal }: { signal: AbortSignal },
): Promise<FollowPlan> {
  const { store } = services;
  const { project, id, lease } = run;
  const place = await store.asProject(project, (queries) => requireFollowed(queries, project, id));
  const listed = await listAccount(services, project, place, { signal });
  const limits = await readLimits(store, project);
  const plan = await store.asProject(project, async (queries) => {
    // As requireResource does, so that what is added by hand meanwhile is counted.
    await queries.query("select pg_advisory_xact_lock(hashtextextended($1, 1))", [project]);
    const { filters, addsLimited } = await requireLease(queries, { project, id, lease });
    const made = planFollowing({
      ...place,
      filters,
      listed,
      ...(await readResources(queries, project, id)),
      limit: limits.resources,
    });
    await apply(queries, { project, id, addsLimited }, made);
    await recordRun(queries, { project, id, target: `${place.host}/${place.account}` }, made);
    return made;
  });
  await releaseHeld(store, project);
  return plan;
}

async function listAccount(
  services: HostServices,
  project: string,
  place: HostPlace,
  { signal }: { signal: AbortSignal },
): Promise<ListedRepository[]> {
  const { api, access } = await openHost(services, project, place, { signal });
  const listed = await api.list(place.account, { signal });
  if (access !== undefined) {
    await services.store.asProject(project, (queries) =>
      recordAccessUse(queries, { project, access, failure: undefined }),
    );
  }
  return listed;
}

async function makePlan(
  store: Pick<Store, "asProject" | "query">,
  project: string,
  { id, ...place }: AccountPlace & { id: string | undefined; listed: readonly ListedRepository[] },
): Promise<Plan> {
  const { resources: limit } = await readLimits(store, project);
  const resources = await store.asProject(project, (queries) => readResources(queries, project, id));
  return planFollowing({ ...place, ...resources, limit });
}

const ResourceRow = z.object({
  name: z.string(),
  url: z.string().nullable(),
  branch: z.string().nullable(),
  followed: z.string().nullable(),
  hostId: z.string().nullable(),
});

/** The resources of a project: those of an account, and all others. */
async function readResources({ query }: Pick<Queries, "query">, project: string, id: string | undefined) {
  const result = await query(
    `select name, spec->>'url' as url, spec->>'branch' as branch, followed, host_id as "hostId"
     from resource where project = $1 order by name`,
    [project],
  );
  const rows = allRows(ResourceRow, result);
  const followed = rows.flatMap(({ name, url, branch, hostId, followed: from }) =>
    from !== null && from === id && hostId !== null ? [{ name, url: url ?? "", branch: branch ?? "", hostId }] : [],
  );
  const own = new Set(followed.map(({ name }) => name));
  return { followed, others: rows.filter(({ name }) => !own.has(name)) };
}

/** @throws Cancelled */
async function requireLease(queries: Queries, { project, id, lease }: Run) {
  const held = await queries.query(
    "select from followed_account where project = $1 and id = $2 and lease = $3 for update",
    [project, id, lease],
  );
  if (held.count === 0) throw new CitewellError("Cancelled", "the run was taken over, or the account is not followed");
  return requireFollowed(queries, project, id);
}

async function apply(
  queries: Queries,
  { project, id, addsLimited }: { project: string; id: string; addsLimited: boolean },
  plan: Plan,
): Promise<void> {
  const { query } = queries;
  const removed = plan.removed.map(({ name }) => name);
  await query("delete from resource where project = $1 and followed = $2 and name = any ($3::text[])", [
    project,
    id,
    removed,
  ]);
  const moves = [...plan.moves].map(([name, place]) => ({ name, place }));
  await query(
    `update resource r set spec = r.spec || m.place from jsonb_to_recordset($3::jsonb) as m (name text, place jsonb)
     where r.project = $1 and r.followed = $2 and r.name = m.name`,
    [project, id, JSON.stringify(moves)],
  );
  const added = [...plan.specs].map(([name, { spec, hostId }]) => ({ name, spec, host_id: hostId }));
  await query(
    `insert into resource (project, followed, name, spec, host_id, is_limited)
     select $1, $2, name, spec, host_id, $4 from jsonb_to_recordset($3::jsonb) as a (name text, spec jsonb, host_id text)`,
    [project, id, JSON.stringify(added), addsLimited],
  );
  await holdFetches(queries, project, [...plan.moves.keys(), ...plan.specs.keys()]);
}

async function recordRun(
  queries: Queries,
  { project, id, target }: { project: string; id: string; target: string },
  { listed, added, removed, moved, leftOut, held }: Plan,
): Promise<void> {
  const lastRun: FollowPlan = {
    listed,
    added: added.slice(0, storedRows),
    removed: removed.slice(0, storedRows),
    moved: moved.slice(0, storedRows),
    leftOut: leftOut.slice(0, storedRows),
    held,
  };
  await queries.query(
    `update followed_account set listed_at = now(), failure = null, failing_since = null, attempts = 0,
       last_run = $3::jsonb where project = $1 and id = $2`,
    [project, id, JSON.stringify(lastRun)],
  );
  if (added.length + removed.length + moved.length === 0) return;
  const names = (several: readonly { name: string }[]) => several.slice(0, storedRows).map(({ name }) => name);
  const detail = {
    added: added.length,
    removed: names(removed),
    moved: names(moved),
    leftOut: leftOut.length,
    held: held.length,
  };
  await recordAudit(queries, project, { actor: "worker", action: "account.followed-up", target, detail });
}

const Claimed = z.object({ project: z.string(), id: z.string(), lease: z.string() });
/** The time between two runs; they are not all at once. */
const usualMinutes = 60;

/**
 * Takes the run that is due the longest, if any. Until it ends, the next try is after a pause that grows, so that a run that
 * ends its process does not end all of them.
 */
export async function claimRun(
  { query }: Pick<Queries, "query">,
  { leaseMs }: { leaseMs: number },
): Promise<Run | undefined> {
  const result = await query(
    `update followed_account set lease = gen_random_uuid(), lease_until = now() + $1::float8 * interval '1 ms',
       attempts = attempts + 1, run_at = now() + least(2 ^ attempts, ${usualMinutes}) * interval '1 min'
     where id = (
       select id from followed_account where run_at <= now() and (lease is null or lease_until <= now())
       order by run_at limit 1 for update skip locked)
     returning project, id, lease`,
    [leaseMs],
  );
  return firstRow(Claimed, result);
}

/** Renews the lease of a run. False if it is lost. */
export async function renewRun({ query }: Pick<Queries, "query">, { lease }: Run, leaseMs: number): Promise<boolean> {
  const { count } = await query(
    "update followed_account set lease_until = now() + $2::float8 * interval '1 ms' where lease = $1",
    [lease, leaseMs],
  );
  return count > 0;
}

/** Ends a run. One that was requested meanwhile stays due. */
export async function endRun(
  { query }: Pick<Queries, "query">,
  { lease }: Run,
  { failure }: { failure?: string } = {},
): Promise<void> {
  await query(
    `update followed_account set lease = null, lease_until = null,
       run_at = case when run_at <= now() or $2::text is not null then run_at
         else now() + ${usualMinutes} * (0.9 + random() / 5) * interval '1 min' end,
       failure = $2, failing_since = case when $2::text is null then null else coalesce(failing_since, now()) end
     where lease = $1`,
    [lease, failure ?? null],
  );
}

/** Returns a run that this process could not finish before its end; another one takes it at once. */
export async function releaseRun({ query }: Pick<Queries, "query">, { lease }: Run): Promise<void> {
  await query(
    "update followed_account set lease = null, lease_until = null, attempts = 0, run_at = now() where lease = $1",
    [lease],
  );
}
