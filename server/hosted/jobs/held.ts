import * as z from "zod";
import { toCitewellError } from "../../errors.ts";
import { requireDisk } from "../limits/disk.ts";
import { countFetches, readFetchesLeft, readLimits } from "../limits/project-limits.ts";
import { isRefusal } from "../limits/refusal.ts";
import { allRows } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { requestFetch } from "./queue.ts";
import { listFailed } from "./states.ts";

/** The `run_at` of a fetch that waits for the limits of its project. */
const held = "'infinity'::timestamptz";

/**
 * Queues fetches of many resources at once, as far as the project's limits allow now: the others wait until
 * `releaseHeld` finds that they do. One that already waits is joined.
 */
export async function holdFetches({ query }: Queries, project: string, resources: readonly string[]): Promise<void> {
  await query(
    `insert into job (project, resource, requested_at, run_at)
     select project, name, now(), ${held} from resource where project = $1 and name = any ($2::text[])
     on conflict (project, resource) do update set requested_at = now(), run_at = ${held}
       where job.requested_at is null or job.run_at > now()`,
    [project, resources],
  );
}

/** The held fetches of a project after a release. */
export interface HeldFetches {
  released: number;
  /** How many wait for a limit. */
  waiting: number;
}

/** Requests the held fetches of a project that its limits allow now: fetches an hour, and space on disk. */
export async function releaseHeld(store: Pick<Store, "asProject" | "query">, project: string): Promise<HeldFetches> {
  const limits = await readLimits(store, project);
  return store.asProject(project, async (queries) => {
    // As requestWithin does.
    await queries.query("select pg_advisory_xact_lock(hashtextextended($1, 3))", [project]);
    const result = await queries.query(
      `select resource from job where project = $1 and run_at = ${held} and requested_at is not null order by resource`,
      [project],
    );
    const waiting = allRows(z.object({ resource: z.string() }), result).map(({ resource }) => resource);
    const hasDisk = await requireDisk(queries, project, limits.diskGb).then(() => true, unlessRefused);
    const left = limits.fetches === null ? waiting.length : await readFetchesLeft(queries, project, limits.fetches);
    const released = hasDisk ? waiting.slice(0, left) : [];
    if (released.length > 0) {
      await countFetches(queries, project, { count: released.length, limit: limits.fetches });
      await requestFetch(queries, project, { resources: released });
    }
    return { released: released.length, waiting: waiting.length - released.length };
  });
}

/** Fetches again what failed, as far as the limits allow now: the rest waits. @param options.followed of an account only */
export async function retryFailed(
  store: Pick<Store, "asProject" | "query">,
  project: string,
  options: { followed?: string | undefined } = {},
): Promise<HeldFetches> {
  await store.asProject(project, async (queries) =>
    holdFetches(queries, project, await listFailed(queries, project, options)),
  );
  return releaseHeld(store, project);
}

/** The projects with held fetches. */
export async function listHolding({ query }: Pick<Queries, "query">): Promise<string[]> {
  const result = await query(`select distinct project from job where run_at = ${held}`);
  return allRows(z.object({ project: z.string() }), result).map(({ project }) => project);
}

/** @throws any other error */
function unlessRefused(error: unknown): false {
  if (isRefusal(toCitewellError(error))) return false;
  throw error;
}
