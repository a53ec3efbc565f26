import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { type AuditEntry, Project } from "../../protocol/hosted.ts";
import { type Account, Member, Role } from "../../protocol/hosted-accounts.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";

/** A project as one of its members sees it. */
export interface Membership {
  project: Pick<Project, "id" | "name">;
  role: Role;
}

const MembershipRow = z.object({ id: Project.shape.id, name: Project.shape.name, role: Role });

/** The projects of an account, by name. */
export async function projectsOf(
  { query }: Pick<Queries, "query">,
  { id }: Pick<Account, "id">,
): Promise<Membership[]> {
  const result = await query(
    "select p.id, p.name, m.role from member m join project p on p.id = m.project where m.account = $1 order by p.name",
    [id],
  );
  return allRows(MembershipRow, result).map(({ role, ...project }) => ({ project, role }));
}

/** Adds an entry about an account to the audit log of each of its projects. */
export async function recordForAccount(
  store: Store,
  account: Pick<Account, "id">,
  entry: Pick<AuditEntry, "actor" | "action"> & { detail?: AuditEntry["detail"] },
): Promise<void> {
  for (const { project } of await projectsOf(store, account)) {
    await store.asProject(project.id, (queries) => recordAudit(queries, project.id, { ...entry, target: account.id }));
  }
}

const MemberRow = Member.extend({ createdAt: Timestamp });

/** The members of a project, by address. */
export async function listMembers(store: Store, { id }: Pick<Project, "id">): Promise<Member[]> {
  const result = await store.asProject(id, ({ query }) =>
    query(
      `select m.account, a.email, m.role, m.created_at as "createdAt" from member m join account a on a.id = m.account
       where m.project = $1 order by a.email`,
      [id],
    ),
  );
  return allRows(MemberRow, result);
}

/** Adds a member. One that is there keeps the greater role. */
export async function addMember(
  queries: Queries,
  project: string,
  { account, role }: { account: string; role: Role },
): Promise<void> {
  const { query } = queries;
  await query(
    `insert into member as m (project, account, role) values ($1, $2, $3)
     on conflict (project, account) do update set role = excluded.role
     where array_position($4::text[], excluded.role) > array_position($4::text[], m.role)`,
    [project, account, role, Role.options],
  );
  await recordAudit(queries, project, {
    actor: `account:${account}`,
    action: "member.joined",
    target: account,
    detail: { role },
  });
}

/** A change to a member of a project. */
export interface MemberChange {
  project: Pick<Project, "id">;
  account: string;
  /** Who did it, for the audit log. */
  actor: string;
}

/** Demoting an owner also deletes the open invitations. @throws MemberNotFound, InvalidRequest (the only owner) */
export async function changeRole(store: Store, { role, ...change }: MemberChange & { role: Role }): Promise<void> {
  await changeMember(store, { ...change, keepsOwner: role === "owner", action: "member.changed", detail: { role } }, [
    "update member set role = $3 where project = $1 and account = $2",
    role,
  ]);
}

/**
 * Removes a member; the account remains. Removing an owner also deletes the open invitations. @throws MemberNotFound,
 * InvalidRequest (the only owner)
 */
export async function removeMember(store: Store, change: MemberChange): Promise<void> {
  await changeMember(store, { ...change, keepsOwner: false, action: "member.removed", detail: {} }, [
    "delete from member where project = $1 and account = $2",
  ]);
}

async function changeMember(
  store: Store,
  {
    project: { id: project },
    account,
    actor,
    keepsOwner,
    action,
    detail,
  }: MemberChange & { keepsOwner: boolean; action: string; detail: Record<string, unknown> },
  [sql, ...params]: [string, ...string[]],
): Promise<void> {
  if (!z.uuid().safeParse(account).success) throw noMember();
  await store.asProject(project, async (queries) => {
    // Owners that remove each other at the same time wait for each other here.
    const owners = await queries.query("select account from member where project = $1 and role = 'owner' for update", [
      project,
    ]);
    const isOwner = owners.rows.some((row) => row["account"] === account);
    if (isOwner && !keepsOwner && owners.count === 1) {
      throw new CitewellError("InvalidRequest", "a project keeps at least one owner", {
        hint: "make another member an owner first",
      });
    }
    const { count } = await queries.query(sql, [project, account, ...params]);
    if (count === 0) throw noMember();
    // They could use one to rejoin.
    const endedInvitations = isOwner && !keepsOwner ? await endInvitations(queries, project) : 0;
    const details = endedInvitations === 0 ? detail : { ...detail, endedInvitations };
    await recordAudit(queries, project, { actor, action, target: account, detail: details });
  });
}

async function endInvitations({ query }: Queries, project: string): Promise<number> {
  const open = "project = $1 and purpose = 'invite' and used_at is null and expires_at > now()";
  return (await query(`update link set used_at = now() where ${open}`, [project])).count;
}

function noMember(): CitewellError {
  return new CitewellError("MemberNotFound", "this account is not a member of the project");
}

/** The membership of an account in the project of a name; undefined without one. */
export async function findMembership(
  { query }: Pick<Queries, "query">,
  { id }: Pick<Account, "id">,
  name: string,
): Promise<Membership | undefined> {
  const result = await query(
    `select p.id, p.name, m.role from member m join project p on p.id = m.project where m.account = $1 and p.name = $2`,
    [id, name],
  );
  const row = firstRow(MembershipRow, result);
  return row && { project: { id: row.id, name: row.name }, role: row.role };
}
