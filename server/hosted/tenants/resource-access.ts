import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { Account } from "../../protocol/hosted-accounts.ts";
import type { Project } from "../../protocol/hosted.ts";
import { quoteValue } from "../../protocol/validation.ts";
import { allRows } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";

const Limited = z.object({
  accounts: z.array(Account.shape.id),
  /** Whether a git host decides, and not the admins. */
  isOfHost: z.boolean(),
});
/** The members who may use a limited resource. Owners and admins, who may use all, are not among them. */
export type Limited = z.infer<typeof Limited>;
const LimitedRow = Limited.extend({ name: z.string() });

/**
 * The limited resources of a project, with the accounts that may use each. What a reader sees decides `use_rights` in the
 * database.
 */
export async function listLimited(
  { query }: Pick<Queries, "query">,
  project: string,
): Promise<ReadonlyMap<string, Limited>> {
  const result = await query(
    `select name, array(select a.account from resource_access a where a.project = r.project and a.resource = r.name
       and (a.until is null or a.until > now())) as accounts, rights_from is not null as "isOfHost"
     from resource r where project = $1 and is_limited`,
    [project],
  );
  return new Map(allRows(LimitedRow, result).map(({ name, ...limited }) => [name, limited]));
}

/** Limits a resource. Call it in the transaction that adds it, so that no one sees it before. */
export async function limitNew({ query }: Pick<Queries, "query">, project: string, name: string): Promise<void> {
  await query("update resource set is_limited = true where project = $1 and name = $2", [project, name]);
}

/** A change to who may use a resource. */
export interface AccessChange {
  resource: string;
  /** The accounts of members; null: all members. */
  accounts: readonly string[] | null;
  /** Who did it, for the audit log. */
  actor: string;
}

const EmailRow = z.object({ email: z.string() });

/** Limits a resource to some members, or opens it to all. @throws ResourceNotFound, MemberNotFound, OperationNotAllowed */
export async function changeAccess(
  store: Store,
  { id: project }: Pick<Project, "id">,
  { resource, accounts, actor }: AccessChange,
): Promise<void> {
  await store.asProject(project, async (queries) => {
    const { query } = queries;
    const changed = await query(
      `update resource set is_limited = $3 where project = $1 and name = $2 returning rights_from as "rightsFrom"`,
      [project, resource, accounts !== null],
    );
    if (changed.rows.some(({ rightsFrom }) => rightsFrom !== null)) {
      throw new CitewellError("OperationNotAllowed", `its git host decides who may use ${quoteValue(resource)}`, {
        hint: "an admin can change that on the page Repository tokens",
      });
    }
    if (changed.count === 0) throw new CitewellError("ResourceNotFound", `no resource named ${quoteValue(resource)}`);
    await query("delete from resource_access where project = $1 and resource = $2", [project, resource]);
    if (accounts === null) {
      return recordAudit(queries, project, { actor, action: "resource.opened", target: resource });
    }
    const unique = [...new Set(accounts)];
    const given = await query(
      `with given as (
         insert into resource_access (project, resource, account)
         select m.project, $2, m.account from member m where m.project = $1 and m.account::text = any ($3::text[])
         returning account)
       select a.email from given g join account a on a.id = g.account order by a.email`,
      [project, resource, unique],
    );
    const members = allRows(EmailRow, given).map(({ email }) => email);
    if (members.length < unique.length) {
      throw new CitewellError("MemberNotFound", "an account that was chosen is not a member of the project");
    }
    return recordAudit(queries, project, { actor, action: "resource.limited", target: resource, detail: { members } });
  });
}
