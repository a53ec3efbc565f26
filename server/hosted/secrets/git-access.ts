import * as z from "zod";
import type { HostCredential } from "../git-hosts/host-client.ts";
import { requestFetch } from "../jobs/queue.ts";
import { allRows } from "../store/rows.ts";
import type { Queries } from "../store/store.ts";
import { unseal } from "./sealing.ts";
import type { SealingKeys } from "./sealing-keys.ts";

/** Repositories of a git host: all, or those below a path. */
export interface RepositoryScope {
  /** As in URLs: `github.com`, `git.example.com:8443`. */
  host: string;
  /** `acme`, or `acme/lib` for one; empty for all. Upper and lower case are the same. */
  path: string;
}

/** Credentials for git, and the repositories that they are for. */
export interface GitAccess extends RepositoryScope {
  id: string;
  /** The row in which its use is recorded. */
  table: "git_token" | "github_installation";
  name: string;
  /**
   * `user:password` for a repository; undefined if it has none for this one.
   * @throws SecretsKeyInvalid, RepositoryFailed (no token is made)
   */
  open(url: string, options: { signal: AbortSignal }): Promise<string | undefined>;
  /** The credential for the host's API. @throws as `open` */
  openApi(options: { signal: AbortSignal }): Promise<HostCredential>;
}

/** The host of a git URL, as tokens name it. */
export function gitHostOf(url: string): string {
  return new URL(url).host;
}

/** The credentials for a repository: those with the longest matching path. */
export function findAccess<Scope extends RepositoryScope>(scopes: readonly Scope[], url: string): Scope | undefined {
  return scopes
    .filter((scope) => isInScope(scope, url))
    .toSorted((a, b) => b.path.length - a.path.length)
    .at(0);
}

function isInScope({ host, path }: RepositoryScope, url: string): boolean {
  const { host: own, pathname } = new URL(url);
  const repository = `${pathname
    .toLowerCase()
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")}/`;
  return own === host && (path === "" || repository.startsWith(`/${path.toLowerCase()}/`));
}

const Spec = z.object({ name: z.string(), url: z.string().nullable() });

/** Requests a fetch of a project's resources in a scope. */
export async function requestFetchIn(queries: Queries, project: string, scope: RepositoryScope): Promise<void> {
  const result = await queries.query("select name, spec->>'url' as url from resource where project = $1", [project]);
  const there = allRows(Spec, result).filter(({ url }) => url !== null && isInScope(scope, url));
  if (there.length > 0) await requestFetch(queries, project, { resources: there.map(({ name }) => name) });
}

const Row = z.object({
  id: z.string(),
  host: z.string(),
  path: z.string(),
  name: z.string(),
  username: z.string(),
  sealed: z.instanceof(Uint8Array),
  keyVersion: z.string(),
});

/** Hosts accept any user name with a token, but for the few whose tokens have one of their own. */
const usualUsername = "x-access-token";

/** The tokens of a project, still sealed. */
export async function readGitAccess(
  { query }: Pick<Queries, "query">,
  { keys, project }: { keys: SealingKeys; project: string },
): Promise<GitAccess[]> {
  const result = await query(
    `select id, host, path, name, username, sealed, key_version as "keyVersion" from git_token where project = $1`,
    [project],
  );
  return allRows(Row, result).map(({ id, host, path, name, username, ...sealed }) => {
    const openToken = () => unseal(keys, sealed, { table: "git_token", project, id });
    return {
      id,
      table: "git_token",
      host,
      path,
      name,
      open: async () => `${username === "" ? usualUsername : username}:${await openToken()}`,
      openApi: async () => ({ username, token: await openToken() }),
    };
  });
}

/**
 * Git settings that send a credential only to its host, as environment variables: command lines can be read
 * by other users of the computer. See https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpextraHeader
 */
export function credentialVariables({
  host,
  credential,
}: {
  host: string;
  credential: string;
}): Record<string, string> {
  return {
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.https://${host}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${Buffer.from(credential).toString("base64")}`,
  };
}

/** Records the use of credentials, and whether the host refused them. */
export async function recordAccessUse(
  { query }: Pick<Queries, "query">,
  {
    project,
    access,
    failure,
  }: { project: string; access: Pick<GitAccess, "id" | "table">; failure: string | undefined },
): Promise<void> {
  await query(
    `update ${access.table} set last_used_at = now(), failure = $2,
       failing_since = case when $2::text is null then null else coalesce(failing_since, now()) end
     where project = $3 and id = $1`,
    [access.id, failure ?? null, project],
  );
}
