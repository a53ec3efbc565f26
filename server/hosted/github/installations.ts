import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { GitHubAccount, type Project } from "../../protocol/hosted.ts";
import { type GitAccess, type RepositoryScope, requestFetchIn } from "../secrets/git-access.ts";
import { privateDropped } from "../secrets/git-tokens.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";
import type { GitHubApp } from "./github-app.ts";

const columns = `id, host, account, created_at as "createdAt", last_used_at as "lastUsedAt", failure,
  failing_since as "failingSince"`;
const Row = GitHubAccount.extend({
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  failingSince: Timestamp.nullable(),
});

/** Who changes the connections of a project. */
interface ConnectionServices {
  store: Store;
  project: Pick<Project, "id">;
  /** Who did it, for the audit log. */
  actor: string;
}

/** The GitHub accounts of a project, by name. */
export async function listGitHubAccounts(
  store: Pick<Store, "asProject">,
  { id }: Pick<Project, "id">,
): Promise<GitHubAccount[]> {
  const result = await store.asProject(id, ({ query }) =>
    query(`select ${columns} from github_installation where project = $1 order by host, lower(account)`, [id]),
  );
  return allRows(Row, result);
}

/** Connects an account, or reconnects it after a new installation, and requests a fetch of its resources. */
export async function connectGitHubAccount(
  { store, project: { id: project }, actor }: ConnectionServices,
  { host, account, installation }: { host: string; account: string; installation: string },
): Promise<void> {
  await store.asProject(project, async (queries) => {
    await queries.query(
      `insert into github_installation (project, host, account, installation) values ($1, $2, $3, $4)
       on conflict (project, host, lower(account)) do update
         set installation = excluded.installation, account = excluded.account, failure = null, failing_since = null`,
      [project, host, account, installation],
    );
    await afterChange(queries, project, { actor, action: "github.connected", scope: { host, path: account } });
  });
}

/** Disconnects an account and removes the project's private snapshots. @throws TokenNotFound */
export async function disconnectGitHubAccount(
  { store, project: { id: project }, actor }: ConnectionServices,
  id: string,
): Promise<void> {
  if (!z.uuid().safeParse(id).success) throw notConnected();
  await store.asProject(project, async (queries) => {
    const result = await queries.query(
      `delete from github_installation where project = $1 and id = $2 returning ${columns}`,
      [project, id],
    );
    const removed = firstRow(Row, result);
    if (removed === undefined) throw notConnected();
    const scope = { host: removed.host, path: removed.account };
    await afterChange(queries, project, { actor, action: "github.disconnected", scope });
    await queries.query("select pg_notify($1, $2)", [privateDropped, project]);
  });
}

const InstallationRow = Row.pick({ id: true, host: true, account: true }).extend({ installation: z.string() });

/** The accounts of a project at the app's host, as git gets access to their repositories. */
export async function readInstallationAccess(
  { query }: Pick<Queries, "query">,
  { app, project }: { app: GitHubApp; project: string },
): Promise<GitAccess[]> {
  const result = await query(
    "select id, host, account, installation from github_installation where project = $1 and host = $2",
    [project, app.host],
  );
  return allRows(InstallationRow, result).map(({ id, host, account, installation }) => {
    // Cached, because a fetch contacts its repository several times.
    const made = new Map<string, string | undefined>();
    return {
      id,
      table: "github_installation",
      host,
      path: account,
      name: account,
      async open(url, { signal }) {
        const repository = repositoryOf(url);
        if (!made.has(repository)) {
          made.set(repository, await app.createToken({ id: installation, account }, repository, { signal }));
        }
        const token = made.get(repository);
        return token === undefined ? undefined : `x-access-token:${token}`;
      },
      async openApi({ signal }) {
        return { username: "", token: await app.createListingToken({ id: installation, account }, { signal }) };
      },
    };
  });
}

/** The name behind the owner in a URL. */
function repositoryOf(url: string): string {
  const [, , name = ""] = new URL(url).pathname.split("/");
  return name.replace(/\.git$/, "");
}

function notConnected(): CitewellError {
  return new CitewellError("TokenNotFound", "this project has no such GitHub account");
}

async function afterChange(
  queries: Queries,
  project: string,
  { actor, action, scope }: { actor: string; action: string; scope: RepositoryScope },
): Promise<void> {
  await recordAudit(queries, project, { actor, action, target: `${scope.host}/${scope.path}`, detail: {} });
  await requestFetchIn(queries, project, scope);
}
