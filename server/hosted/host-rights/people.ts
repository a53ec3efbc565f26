import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { HostKind } from "../../protocol/followed-accounts.ts";
import type { Account } from "../../protocol/hosted-accounts.ts";
import { type HostPerson, openGitHost } from "../git-hosts/git-host.ts";
import { dueChannel } from "../jobs/queue.ts";
import type { HostPlace, HostServices } from "../projects/open-host.ts";
import { allRows } from "../store/rows.ts";
import type { Store } from "../store/store.ts";

/**
 * GitLab and Gitea are OpenID Connect providers, and the subject is the number of the user in their API: whoever signs in with
 * them has proved who they are there. https://docs.gitlab.com/integration/openid_connect_provider/#shared-information
 */
const isIssuer = (kind: string, host: string) =>
  `${kind} in ('gitlab', 'gitea') and rtrim(s.issuer, '/') = 'https://' || ${host}`;

const OwnHost = z.object({
  kind: HostKind,
  host: z.string(),
  /** The name of the account there; null if it has not been proved with a token or with GitHub's sign-in. */
  login: z.string().nullable(),
  /** Whether the person signed in with this host. */
  isIssuer: z.boolean(),
});
/** A host that decides rights in a project of an account. */
export type OwnHost = z.infer<typeof OwnHost>;

/** The hosts that decide rights in the projects of an account, by name. */
export async function hostsOf({ query }: Pick<Store, "query">, { id }: Pick<Account, "id">): Promise<OwnHost[]> {
  const result = await query(
    `select distinct on (h.host) h.kind, h.host, i.login,
       exists (select from identity s where s.account = m.account and ${isIssuer("h.kind", "h.host")}) as "isIssuer"
     from member m join host_rights h on h.project = m.project
       left join host_identity i on i.host = h.host and i.account = m.account
     where m.account = $1 order by h.host`,
    [id],
  );
  return allRows(OwnHost, result);
}

/** Records who an account is at a host. @throws AlreadyExists (another account is that person) */
export async function recordPerson(
  store: Store,
  { id: account }: Pick<Account, "id">,
  { host, id, login }: HostPerson & { host: string },
): Promise<void> {
  await store.tx(async ({ query }) => {
    await query("delete from host_identity where host = $1 and account = $2", [host, account]);
    const { count } = await query(
      `insert into host_identity (host, host_id, account, login) values ($1, $2, $3, $4)
       on conflict (host, host_id) do nothing`,
      [host, id, account, login],
    );
    if (count === 0) {
      throw new CitewellError("AlreadyExists", `${login} at ${host} belongs to another account here`, {
        hint: `sign in with that account, or prove another account at ${host}`,
      });
    }
    await query("select pg_notify($1, '')", [dueChannel]);
  });
}

/**
 * Records who an account is at one of its hosts, by a token of the person there. The host says whose token it is; it is not
 * stored. @throws InvalidRequest (no such host), SignInFailed (the host does not accept the token), AlreadyExists,
 * AddressNotAllowed, RepositoryTimeout
 */
export async function proveByToken(
  { store, fetches, allowHosts }: Pick<HostServices, "store" | "fetches" | "allowHosts">,
  account: Pick<Account, "id">,
  { host, ...credential }: { host: string; username: string; token: string },
  { signal }: { signal: AbortSignal },
): Promise<void> {
  const own = (await hostsOf(store, account)).find((one) => one.host === host);
  if (own === undefined) {
    throw new CitewellError("InvalidRequest", "no project of yours takes its rights from this host");
  }
  const api = openGitHost({ kind: own.kind, host, credential, allowHosts, ...fetches });
  const person = await api.person({ signal }).catch((cause: unknown) => {
    if (!(cause instanceof CitewellError) || cause.tag !== "RepositoryFailed") throw cause;
    throw new CitewellError("SignInFailed", cause.message, { ...(cause.hint && { hint: cause.hint }), cause });
  });
  await recordPerson(store, account, { ...person, host });
}

const Person = z.object({ account: z.uuid(), hostId: z.string() });

/** Who the members of a project are at a host, as far as they have proved it. */
export async function membersAt(
  { query }: Pick<Store, "query">,
  project: string,
  { kind, host }: Pick<HostPlace, "kind" | "host">,
): Promise<z.infer<typeof Person>[]> {
  const result = await query(
    `select m.account, p.host_id as "hostId" from member m join (
       select account, host_id from host_identity where host = $2
       union select s.account, s.subject from identity s where ${isIssuer("$3::text", "$2::text")}) p on p.account = m.account
     where m.project = $1`,
    [project, host, kind],
  );
  return allRows(Person, result);
}
