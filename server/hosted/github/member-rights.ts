import * as z from "zod";
import { CitewellError, messageOf } from "../../errors.ts";
import type { Log } from "../../lib/log.ts";
import type { Account } from "../../protocol/hosted-accounts.ts";
import { dueChannel } from "../jobs/queue.ts";
import { toPublicError } from "../public-error.ts";
import { allRows, firstRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";
import type { GitHubApp, GitHubPerson } from "./github-app.ts";
import { type ConnectionServices, notConnected, repositoryOf } from "./installations.ts";

/** GitHub's last answer counts for so long while GitHub does not answer: a night without it should not stop a team. */
export const answerHours = 24;
/** How often GitHub is asked. */
const checkMinutes = 60;
const retryMinutes = 5;

/** Records who an account is at GitHub, and has the rights of its projects checked. @throws AlreadyExists */
export async function proveGitHubAccount(
  store: Store,
  { id: account }: Pick<Account, "id">,
  { host, id, login }: GitHubPerson & { host: string },
): Promise<void> {
  await store.tx(async ({ query }) => {
    await query("delete from host_identity where host = $1 and account = $2", [host, account]);
    const { count } = await query(
      `insert into host_identity (host, host_id, account, login) values ($1, $2, $3, $4)
       on conflict (host, host_id) do nothing`,
      [host, id, account, login],
    );
    if (count === 0) {
      throw new CitewellError("AlreadyExists", `the GitHub account ${login} belongs to another account here`, {
        hint: "sign in with that account, or connect another GitHub account",
      });
    }
    await query(
      `update github_installation set rights_run_at = now()
       where limits_members and host = $1 and project in (select project from member where account = $2)`,
      [host, account],
    );
    await query("select pg_notify($1, '')", [dueChannel]);
  });
}

/** The name of an account at a host; undefined if it has not proved one. */
export async function gitHubLoginOf(
  { query }: Pick<Store, "query">,
  { id }: Pick<Account, "id">,
  host: string,
): Promise<string | undefined> {
  const result = await query("select login from host_identity where host = $1 and account = $2", [host, id]);
  return firstRow(z.object({ login: z.string() }), result)?.login;
}

/**
 * Whether GitHub decides who uses the resources of a connected account. From then on, and when that ends, they are for owners
 * and admins until GitHub has answered, or an admin has chosen members.
 * @throws TokenNotFound
 */
export async function letGitHubDecide(
  { store, project: { id: project }, actor }: ConnectionServices,
  { id, decides }: { id: string; decides: boolean },
): Promise<void> {
  if (!z.uuid().safeParse(id).success) throw notConnected();
  await store.asProject(project, async (queries) => {
    const { query } = queries;
    const changed = await query(
      `update github_installation set limits_members = $3, rights_run_at = case when $3 then now() end,
         rights_checked_at = null, rights_failure = null
       where project = $1 and id = $2 returning host || '/' || account as place`,
      [project, id, decides],
    );
    const place = firstRow(z.object({ place: z.string() }), changed)?.place;
    if (place === undefined) throw notConnected();
    const resources = await query(
      `update resource set is_limited = true, rights_from = $3 where project = $1
       and (rights_from = $2 or $3::uuid is not null and starts_with(host_place(spec->>'url'), lower($4) || '/'))
       returning name`,
      [project, id, decides ? id : null, place],
    );
    await query("delete from resource_access where project = $1 and resource = any ($2::text[])", [
      project,
      resources.rows.map(({ name }) => name),
    ]);
    const action = decides ? "github.rights-on" : "github.rights-off";
    await recordAudit(queries, project, { actor, action, target: place });
    await query("select pg_notify($1, '')", [dueChannel]);
  });
}

interface RefreshServices {
  store: Store;
  githubApp: GitHubApp | undefined;
  log: Log;
  signal: AbortSignal;
}

const Due = z.object({ id: z.uuid(), project: z.uuid(), account: z.string(), installation: z.string() });
type Due = z.infer<typeof Due>;

/** Asks GitHub again for the accounts whose check is due. A failed check is repeated; the last answer counts meanwhile. */
export async function refreshDueRights({ store, githubApp, log, signal }: RefreshServices): Promise<void> {
  if (githubApp === undefined) return;
  for (;;) {
    const claimed = await store.query(
      `update github_installation set rights_run_at = now() + make_interval(mins => $2)
       where id = (select id from github_installation where limits_members and host = $1 and rights_run_at <= now()
         order by rights_run_at limit 1 for update skip locked)
       returning id, project, account, installation`,
      [githubApp.host, checkMinutes],
    );
    const due = firstRow(Due, claimed);
    if (due === undefined || signal.aborted) return;
    try {
      await refresh(due, { store, githubApp, signal });
      await store.query(
        "update github_installation set rights_checked_at = now(), rights_failure = null where id = $1",
        [due.id],
      );
    } catch (error) {
      const next = "least(rights_run_at, now() + make_interval(mins => $3))";
      await store.query(`update github_installation set rights_failure = $2, rights_run_at = ${next} where id = $1`, [
        due.id,
        toPublicError(error).message,
        retryMinutes,
      ]);
      log.warn("rights-not-checked", { project: due.project, account: due.account, error: messageOf(error) });
    }
  }
}

const Person = z.object({ account: z.uuid(), hostId: z.string() });
/** `isHere`: it still belongs to the account, and was not moved to another one. */
const Repository = z.object({ name: z.string(), url: z.string(), isHere: z.boolean() });

/** One request after the other, as GitHub asks for: https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api */
async function refresh(
  { id, project, account, installation }: Due,
  { store, githubApp, signal }: { store: Store; githubApp: GitHubApp; signal: AbortSignal },
): Promise<void> {
  const members = await store.query(
    `select i.account, i.host_id as "hostId" from host_identity i join member m on m.account = i.account
     where m.project = $1 and i.host = $2`,
    [project, githubApp.host],
  );
  const people = allRows(Person, members);
  const found = await store.query(
    `select name, spec->>'url' as url, starts_with(host_place(spec->>'url'), lower($3) || '/') as "isHere"
     from resource where project = $1 and rights_from = $2`,
    [project, id, `${githubApp.host}/${account}`],
  );
  const token = await githubApp.createListingToken({ id: installation, account }, { signal });
  for (const { name, url, isHere } of allRows(Repository, found)) {
    const repository = repositoryOf(url);
    const readers = new Set(isHere ? await githubApp.collaboratorsOf({ account, repository }, { token, signal }) : []);
    const accounts = people.filter(({ hostId }) => readers.has(hostId)).map((person) => person.account);
    await store.asProject(project, async ({ query }) => {
      await query("delete from resource_access where project = $1 and resource = $2 and account <> all ($3::uuid[])", [
        project,
        name,
        accounts,
      ]);
      await query(
        `insert into resource_access (project, resource, account, until)
         select r.project, r.name, m.account, now() + make_interval(hours => $5)
         from resource r join member m on m.project = r.project and m.account = any ($3::uuid[])
         where r.project = $1 and r.name = $2 and r.rights_from = $4
         on conflict (project, resource, account) do update set until = excluded.until`,
        [project, name, accounts, id, answerHours],
      );
    });
  }
}
