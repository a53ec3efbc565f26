import * as z from "zod";
import { messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import { HostKind } from "../../protocol/followed-accounts.ts";
import { HostRefusal } from "../git-hosts/host-client.ts";
import { type HostServices, openHost } from "../projects/open-host.ts";
import { toPublicError } from "../public-error.ts";
import { allRows, firstRow } from "../store/rows.ts";
import { membersAt } from "./people.ts";

/** A host's last answer counts for so long while it does not answer: a night without it should not stop a team. */
export const answerHours = 24;
/** How often a host is asked. */
const checkMinutes = 60;
const retryMinutes = 5;

const Due = z.object({ id: z.uuid(), project: z.uuid(), kind: HostKind, host: z.string(), account: z.string() });
type Due = z.infer<typeof Due>;

/** Asks the hosts again for the accounts whose check is due. A failed check is repeated; the last answer counts meanwhile. */
export async function refreshDueRights({
  log,
  signal,
  ...services
}: HostServices & { log: Log; signal: AbortSignal }): Promise<void> {
  const { store } = services;
  while (!signal.aborted) {
    const claimed = await store.query(
      `update host_rights set run_at = now() + make_interval(mins => $1)
       where id = (select id from host_rights where run_at <= now() order by run_at limit 1 for update skip locked)
       returning id, project, kind, host, account`,
      [checkMinutes],
    );
    const due = firstRow(Due, claimed);
    if (due === undefined) return;
    try {
      const failure = await refresh(due, services, signal);
      await store.query("update host_rights set checked_at = now(), failure = $2 where id = $1", [due.id, failure]);
    } catch (error) {
      const { message } = toPublicError(error);
      const failure = signal.aborted ? null : message;
      await store.query(
        `update host_rights set failure = coalesce($2, failure),
           run_at = least(run_at, now() + make_interval(mins => $3)) where id = $1`,
        [due.id, failure, signal.aborted ? 0 : retryMinutes],
      );
      log.warn("rights-not-checked", { project: due.project, account: due.account, error: messageOf(error) });
    }
  }
}

/** `isHere`: it still belongs to the account, and was not moved to another one. */
const Repository = z.object({ name: z.string(), url: z.string(), isHere: z.boolean() });

/**
 * One request after the other, as hosts ask for. What a host does not answer about one repository is returned in words; it
 * does not keep the others from being checked.
 */
async function refresh(
  { id, project, ...place }: Due,
  services: HostServices,
  signal: AbortSignal,
): Promise<string | null> {
  const { store } = services;
  const people = await membersAt(store, project, place);
  const found = await store.query(
    `select name, spec->>'url' as url, rights_source(project, spec->>'url') is not distinct from $2 as "isHere"
     from resource where project = $1 and rights_from = $2 order by rights_checked_at nulls first, name`,
    [project, id],
  );
  const { api } = await openHost(services, project, place, { signal });
  const failures: string[] = [];
  for (const { name, url, isHere } of allRows(Repository, found)) {
    const repository = repositoryOf(url);
    try {
      const readers = isHere ? await api.readersOf(repository, { signal }) : new Set<string>();
      if (readers === undefined) {
        failures.push(`${place.host} shows no repository ${repository}: only owners and admins can use ${name}.`);
      }
      const accounts = people.filter(({ hostId }) => readers?.has(hostId) === true).map(({ account }) => account);
      await replaceMembers(services, { project, name, id, accounts });
    } catch (error) {
      if (!(error instanceof HostRefusal)) throw error;
      failures.push(`${error.message}, about ${repository}; ${error.hint}.`);
    }
  }
  const [first] = failures;
  if (first === undefined) return null;
  return failures.length === 1 ? first : `${first} ${failures.length - 1} other repositories were not answered either.`;
}

async function replaceMembers(
  { store }: HostServices,
  { project, name, id, accounts }: { project: string; name: string; id: string; accounts: readonly string[] },
): Promise<void> {
  await store.asProject(project, async ({ query }) => {
    await query(
      `delete from resource_access where project = $1 and resource = $2 and account <> all ($3::uuid[])
         and exists (select from resource where project = $1 and name = $2 and rights_from = $4)`,
      [project, name, accounts, id],
    );
    await query(
      `with checked as (
         update resource set rights_checked_at = now() where project = $1 and name = $2 and rights_from = $4
         returning project, name)
       insert into resource_access (project, resource, account, until)
       select r.project, r.name, m.account, now() + make_interval(hours => $5)
       from checked r join member m on m.project = r.project and m.account = any ($3::uuid[])
       on conflict (project, resource, account) do update set until = excluded.until`,
      [project, name, accounts, id, answerHours],
    );
  });
}

/** `acme/team/lib` of `https://git.example.com/acme/team/lib.git`. */
function repositoryOf(url: string): string {
  return new URL(url).pathname.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
}
