import { AuditEntry } from "../../protocol/hosted.ts";
import { allRows, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";

/** Adds an entry to a project's audit log; entries cannot be changed or removed. Give it no secrets. */
export async function recordAudit(
  { query }: Queries,
  project: string,
  { actor, action, target, detail = {} }: Omit<AuditEntry, "at" | "detail"> & { detail?: AuditEntry["detail"] },
): Promise<void> {
  await query("insert into audit (project, actor, action, target, detail) values ($1, $2, $3, $4, $5::jsonb)", [
    project,
    actor,
    action,
    target,
    JSON.stringify(detail),
  ]);
}

/** The newest entries of a project, newest first. */
export async function listAudit(store: Store, project: string, { limit = 100 } = {}): Promise<AuditEntry[]> {
  const result = await store.asProject(project, ({ query }) =>
    query(`select at, actor, action, target, detail from audit where project = $1 order by id desc limit $2`, [
      project,
      limit,
    ]),
  );
  return allRows(AuditEntry.extend({ at: Timestamp }), result);
}
