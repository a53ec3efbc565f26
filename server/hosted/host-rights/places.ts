import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { HostKind } from "../../protocol/followed-accounts.ts";
import type { Project } from "../../protocol/hosted.ts";
import { dueChannel } from "../jobs/queue.ts";
import type { HostPlace } from "../projects/open-host.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";

/** An account of a git host that decides who uses its resources. */
const HostRights = z.object({
  id: z.uuid(),
  kind: HostKind,
  host: z.string(),
  account: z.string(),
  /** When the host was last asked about all its resources. */
  checkedAt: Timestamp.nullable(),
  /** What the host did not answer the last time. */
  failure: z.string().nullable(),
});
export type HostRights = z.infer<typeof HostRights>;

/** Who changes what. */
interface RightsServices {
  store: Store;
  project: Pick<Project, "id">;
  /** Who did it, for the audit log. */
  actor: string;
}

/** The accounts of a project whose host decides, by place. */
export async function listHostRights(
  store: Pick<Store, "asProject">,
  { id }: Pick<Project, "id">,
): Promise<HostRights[]> {
  const result = await store.asProject(id, ({ query }) =>
    query(
      `select id, kind, host, account, checked_at as "checkedAt", failure from host_rights where project = $1
       order by host, lower(account)`,
      [id],
    ),
  );
  return allRows(HostRights, result);
}

/**
 * Lets a host decide who uses the resources of an account. They are for owners and admins until the host has answered; what
 * admins chose for them is lost. @throws AlreadyExists
 */
export async function letHostDecide(
  { store, project: { id: project }, actor }: RightsServices,
  { kind, host, account }: HostPlace,
): Promise<void> {
  await store.asProject(project, async (queries) => {
    const { query } = queries;
    const added = await query(
      "insert into host_rights (project, kind, host, account) values ($1, $2, $3, $4) on conflict do nothing returning id",
      [project, kind, host, account],
    );
    const id = firstRow(HostRights.pick({ id: true }), added)?.id;
    if (id === undefined) {
      throw new CitewellError("AlreadyExists", `${host} decides already who may use what ${host}/${account} has`);
    }
    const closed = await query(
      `update resource set is_limited = true, rights_from = $2
       where project = $1 and rights_source(project, spec->>'url') = $2 returning name`,
      [project, id],
    );
    await query(forgetMembers, [project, closed.rows.map(({ name }) => name)]);
    await recordAudit(queries, project, { actor, action: "host.rights-on", target: `${host}/${account}` });
    await query("select pg_notify($1, '')", [dueChannel]);
  });
}

/**
 * Ends that a host decides for an account. Its resources are for owners and admins until an admin chooses members; those that
 * another account has, too, are decided by that one. @throws ResourceNotFound
 */
export async function letAdminsDecide(
  { store, project: { id: project }, actor }: RightsServices,
  id: string,
): Promise<void> {
  await store.asProject(project, async (queries) => {
    const { query } = queries;
    const closed = await query("select name from resource where project = $1 and rights_from::text = $2", [
      project,
      id,
    ]);
    const removed = await query(
      "delete from host_rights where project = $1 and id::text = $2 returning host || '/' || account as target",
      [project, id],
    );
    const target = firstRow(z.object({ target: z.string() }), removed)?.target;
    if (target === undefined) throw new CitewellError("ResourceNotFound", "no host decides for such an account");
    const names = closed.rows.map(({ name }) => name);
    await query(
      `update resource set rights_from = rights_source(project, spec->>'url')
       where project = $1 and name = any ($2::text[])`,
      [project, names],
    );
    await query(forgetMembers, [project, names]);
    await recordAudit(queries, project, { actor, action: "host.rights-off", target });
    await query("update host_rights set run_at = now() where project = $1", [project]);
    await query("select pg_notify($1, '')", [dueChannel]);
  });
}

const forgetMembers = "delete from resource_access where project = $1 and resource = any ($2::text[])";
