import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { FollowedAccount, type FollowFilters } from "../../protocol/followed-accounts.ts";
import type { FollowedListing, Project } from "../../protocol/hosted.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { dueChannel } from "../jobs/queue.ts";
import { readFetchCounts } from "../jobs/states.ts";
import type { HostPlace } from "../projects/open-host.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";

/** Where the repositories are, and which of them are followed. */
export interface AccountPlace extends HostPlace {
  filters: FollowFilters;
}

/** Who changes what. */
export interface FollowerServices {
  store: Store;
  project: Pick<Project, "id">;
  /** Who did it, for the audit log. */
  actor: string;
}

const columns = `id, kind, host, account, group_name as "group", filters, adds_limited as "addsLimited", created_at as "createdAt",
  coalesce(lease_until > now(), false) as "isRunning", run_at as "nextRunAt", listed_at as "listedAt", failure,
  failing_since as "failingSince", last_run as "lastRun"`;
const Row = FollowedAccount.extend({
  createdAt: Timestamp,
  nextRunAt: Timestamp,
  listedAt: Timestamp.nullable(),
  failingSince: Timestamp.nullable(),
});

/** The accounts that a project follows, by place. */
export async function listFollowed(
  store: Pick<Store, "asProject">,
  { id }: Pick<Project, "id">,
): Promise<FollowedAccount[]> {
  const result = await store.asProject(id, ({ query }) =>
    query(`select ${columns} from followed_account where project = $1 order by host, lower(account)`, [id]),
  );
  return allRows(Row, result);
}

/** Follows an account; its first run is due at once. @throws AlreadyExists */
export async function followAccount(
  { store, project: { id: project }, actor }: FollowerServices,
  { kind, host, account, filters, group, addsLimited = false }: AccountPlace & { group: string; addsLimited?: boolean },
): Promise<FollowedAccount> {
  return store.asProject(project, async (queries) => {
    const result = await queries.query(
      `insert into followed_account (project, kind, host, account, group_name, filters, adds_limited)
       values ($1, $2, $3, $4, $5, $6::jsonb, $7) on conflict do nothing returning ${columns}`,
      [project, kind, host, account, group, JSON.stringify(filters), addsLimited],
    );
    const added = firstRow(Row, result);
    if (added === undefined) {
      throw new CitewellError("AlreadyExists", `${host}/${account} is followed, or the group @${group} is taken`, {
        hint: "change the one that exists, or choose another name for the group",
      });
    }
    const detail = { kind, group, filters, addsLimited };
    await recordAudit(queries, project, { actor, action: "account.followed", target: `${host}/${account}`, detail });
    await queries.query("select pg_notify($1, '')", [dueChannel]);
    return added;
  });
}

/** Changes the filters of a followed account; a run with them is due at once. @throws ResourceNotFound */
export async function changeFilters(
  { store, project: { id: project }, actor }: FollowerServices,
  { id, filters, addsLimited }: { id: string; filters: FollowFilters; addsLimited: boolean },
): Promise<void> {
  await store.asProject(project, async (queries) => {
    const { host, account } = await requireFollowed(queries, project, id);
    await queries.query(
      `update followed_account set filters = $3::jsonb, adds_limited = $4, run_at = now()
       where project = $1 and id = $2`,
      [project, id, JSON.stringify(filters), addsLimited],
    );
    const target = `${host}/${account}`;
    await recordAudit(queries, project, {
      actor,
      action: "account.filters-changed",
      target,
      detail: { filters, addsLimited },
    });
    await queries.query("select pg_notify($1, '')", [dueChannel]);
  });
}

/** Makes a run due now. @throws ResourceNotFound */
export async function requestRun(
  store: Pick<Store, "asProject">,
  { id: project }: Pick<Project, "id">,
  id: string,
): Promise<void> {
  await store.asProject(project, async (queries) => {
    await requireFollowed(queries, project, id);
    await queries.query("update followed_account set run_at = now() where project = $1 and id = $2", [project, id]);
    await queries.query("select pg_notify($1, '')", [dueChannel]);
  });
}

/**
 * Removes the resources whose removal the last run held, if they are as many as the person saw. Those that the host lists
 * again come back with the next run.
 * @throws ResourceNotFound, InvalidRequest (there are more or fewer now)
 */
export async function removeHeld(
  { store, project: { id: project }, actor }: FollowerServices,
  { id, count }: { id: string; count: number },
): Promise<void> {
  await store.asProject(project, async (queries) => {
    const { host, account, lastRun } = await requireFollowed(queries, project, id);
    const held = (lastRun?.held ?? []).map(({ name }) => name);
    if (held.length !== count) {
      throw new CitewellError("InvalidRequest", `another run found ${held.length} resources to remove, not ${count}`, {
        hint: "look at the list again",
      });
    }
    await queries.query("delete from resource where project = $1 and followed = $2 and name = any ($3::text[])", [
      project,
      id,
      held,
    ]);
    await queries.query(
      `update followed_account set last_run = jsonb_set(last_run, '{held}', '[]') where project = $1 and id = $2`,
      [project, id],
    );
    const detail = { removed: held };
    await recordAudit(queries, project, {
      actor,
      action: "account.removals-confirmed",
      target: `${host}/${account}`,
      detail,
    });
  });
}

/** Follows an account no more. Its resources stay, as if they were added by hand, or go with it. @throws ResourceNotFound */
export async function unfollowAccount(
  { store, project: { id: project }, actor }: FollowerServices,
  { id, removesResources }: { id: string; removesResources: boolean },
): Promise<void> {
  await store.asProject(project, async (queries) => {
    const { host, account } = await requireFollowed(queries, project, id);
    if (removesResources)
      await queries.query("delete from resource where project = $1 and followed = $2", [project, id]);
    await queries.query("delete from followed_account where project = $1 and id = $2", [project, id]);
    const detail = { removesResources };
    await recordAudit(queries, project, { actor, action: "account.unfollowed", target: `${host}/${account}`, detail });
  });
}

/** @throws ResourceNotFound */
export async function requireFollowed(
  { query }: Pick<Queries, "query">,
  project: string,
  id: string,
): Promise<FollowedAccount> {
  if (z.uuid().safeParse(id).success) {
    const result = await query(`select ${columns} from followed_account where project = $1 and id = $2`, [project, id]);
    const found = firstRow(Row, result);
    if (found !== undefined) return found;
  }
  throw new CitewellError("ResourceNotFound", "this project follows no such account");
}

/** The followed accounts of a project, with how far their fetches are. */
export async function listFollowedStates(
  store: Pick<Store, "asProject">,
  { id }: Pick<Project, "id">,
): Promise<FollowedListing[]> {
  const [accounts, counts] = await Promise.all([
    listFollowed(store, { id }),
    store.asProject(id, (queries) => readFetchCounts(queries, id)),
  ]);
  return accounts.map(({ lastRun, ...account }) => {
    const { total = 0, ready = 0, failed = 0, held = 0 } = counts.get(account.id) ?? {};
    return { ...account, resources: total, fetched: ready, failed, held, heldRemovals: lastRun?.held.length ?? 0 };
  });
}

/** @param place as `github.com/acme` @throws ResourceNotFound */
export async function findFollowed(
  store: Pick<Store, "asProject">,
  project: Pick<Project, "id">,
  place: string,
): Promise<FollowedListing> {
  const accounts = await listFollowedStates(store, project);
  const wanted = place
    .replace(/^https:\/\//i, "")
    .replace(/\/+$/, "")
    .toLowerCase();
  const found = accounts.find(({ host, account }) => `${host}/${account}`.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw new CitewellError("ResourceNotFound", `this project does not follow ${quoteValue(place)}`, {
    hint: "citewell hosted follow list shows the accounts that it follows",
  });
}
