import { countFetches, readLimits } from "./project-limits.ts";
import type { Queries, Store } from "../store/store.ts";

/** What is fetched of a resource for questions: another revision by its name, or its history, whose revision is empty. */
export interface KeptRevision {
  resource: string;
  revision: string;
}

/**
 * Counts a fetch for a question, unless the same one was requested within 15 minutes: it may still be running.
 * @throws LimitReached, OperationNotAllowed
 */
export async function requestRevision(
  store: Store,
  project: string,
  { resource, revision }: KeptRevision,
): Promise<void> {
  const { fetches: limit } = await readLimits(store, project);
  await store.asProject(project, async (queries) => {
    const { count } = await queries.query(
      `insert into kept_revision as k (project, resource, revision) values ($1, $2, $3)
       on conflict (project, resource, revision) do update set used_at = now()
         where k.used_at < now() - interval '15 minutes'
       returning 1 as one`,
      [project, resource, revision],
    );
    await countFetches(queries, project, { count, limit });
  });
}

/** Records the size of what is used, at most once an hour. */
export async function recordRevision(
  store: Pick<Store, "asProject">,
  project: string,
  { resource, revision, bytes }: KeptRevision & { bytes: number },
): Promise<void> {
  await store.asProject(project, ({ query }) =>
    query(
      `insert into kept_revision as k (project, resource, revision, bytes)
       select $1, name, $3, $4 from resource where project = $1 and name = $2
       on conflict (project, resource, revision) do update set used_at = now(), bytes = excluded.bytes
         where k.bytes <> excluded.bytes or k.used_at < now() - interval '1 hour'`,
      [project, resource, revision, bytes],
    ),
  );
}

/** Deletes the rows of what nodes no longer keep (`one-offs.ts`). */
export async function deleteUnusedRevisions({ query }: Pick<Queries, "query">): Promise<void> {
  await query("delete from kept_revision where used_at < now() - interval '7 days'");
}
