import { randomUUID } from "node:crypto";
import type * as z from "zod";
import { CitewellError } from "../../errors.ts";
import {
  formatGitPlace,
  GitPlace,
  GitToken,
  GitTokenReplacement,
  NewGitToken,
  type Project,
} from "../../protocol/hosted.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";
import { requestFetchIn } from "./git-access.ts";
import { seal } from "./sealing.ts";
import type { SealingKeys } from "./sealing-keys.ts";

/** The channel on which the files of a project's private snapshots are given up, by its id. */
export const privateDropped = "citewell_private_dropped";

/** Who changes what with which keys. */
export interface TokenServices {
  store: Store;
  keys: SealingKeys;
  project: Pick<Project, "id">;
  /** Who did it, for the audit log. */
  actor: string;
}

const columns = `id, host, path, name, username, hint, created_at as "createdAt", last_used_at as "lastUsedAt", failure,
  failing_since as "failingSince"`;
const Row = GitToken.extend({
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable(),
  failingSince: Timestamp.nullable(),
});

/** The tokens of a project, by host and path. */
export async function listGitTokens(store: Pick<Store, "asProject">, { id }: Pick<Project, "id">): Promise<GitToken[]> {
  const result = await store.asProject(id, ({ query }) =>
    query(`select ${columns} from git_token where project = $1 order by host, lower(path)`, [id]),
  );
  return allRows(Row, result);
}

/**
 * Adds a token for a host, or for a path on it, and requests a fetch of the resources there.
 * @throws InvalidRequest, AlreadyExists (for the same place), SecretsKeyInvalid
 */
export async function addGitToken(
  { store, keys, project: { id: project }, actor }: TokenServices,
  input: z.input<typeof NewGitToken>,
): Promise<GitToken> {
  const { token, host: place, name, username } = parse(NewGitToken, input);
  const { host, path } = place;
  const id = randomUUID();
  return store.asProject(project, async (queries) => {
    const row = { table: "git_token" as const, project, id };
    const { sealed, keyVersion } = await seal(queries, { keys, secret: token, place: row });
    const result = await queries.query(
      `insert into git_token (id, project, host, path, name, username, hint, sealed, key_version)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       on conflict (project, host, lower(path)) do nothing returning ${columns}`,
      [id, project, host, path, name, username, hintOf(token), sealed, keyVersion],
    );
    const added = firstRow(Row, result);
    if (added === undefined) {
      throw new CitewellError("AlreadyExists", `a token for ${formatGitPlace(place)} already exists`, {
        hint: "replace or remove it",
      });
    }
    await afterChange(queries, project, { actor, action: "token.added", token: added });
    return added;
  });
}

/** Replaces the token for a host. @throws InvalidRequest, TokenNotFound, SecretsKeyInvalid */
export async function replaceGitToken(
  { store, keys, project: { id: project }, actor }: TokenServices,
  { host, token: given }: { host: string; token: string },
): Promise<GitToken> {
  const { token } = parse(GitTokenReplacement, { token: given });
  const { id } = await findToken(store, project, host);
  return store.asProject(project, async (queries) => {
    const place = { table: "git_token" as const, project, id };
    const { sealed, keyVersion } = await seal(queries, { keys, secret: token, place });
    const result = await queries.query(
      `update git_token set hint = $3, sealed = $4, key_version = $5, created_at = now(), last_used_at = null,
         failure = null, failing_since = null where project = $1 and id = $2 returning ${columns}`,
      [project, id, hintOf(token), sealed, keyVersion],
    );
    const replaced = firstRow(Row, result);
    if (replaced === undefined) throw notFound(host);
    await afterChange(queries, project, { actor, action: "token.replaced", token: replaced });
    return replaced;
  });
}

/** Removes the token for a host, and what was fetched with tokens of the project. @throws TokenNotFound */
export async function removeGitToken(
  { store, project: { id: project }, actor }: Omit<TokenServices, "keys">,
  host: string,
): Promise<GitToken> {
  const token = await findToken(store, project, host);
  return store.asProject(project, async (queries) => {
    await queries.query("delete from git_token where project = $1 and id = $2", [project, token.id]);
    await afterChange(queries, project, { actor, action: "token.removed", token });
    await queries.query("select pg_notify($1, $2)", [privateDropped, project]);
    return token;
  });
}

async function afterChange(
  queries: Queries,
  project: string,
  { actor, action, token }: { actor: string; action: string; token: GitToken },
): Promise<void> {
  await recordAudit(queries, project, { actor, action, target: formatGitPlace(token), detail: { name: token.name } });
  await requestFetchIn(queries, project, token);
}

/** @param place as the user types it, or the token's id */
async function findToken(store: Store, project: string, place: string): Promise<GitToken> {
  const text = formatGitPlace(GitPlace.safeParse(place).data ?? { host: place, path: "" }).toLowerCase();
  const tokens = await listGitTokens(store, { id: project });
  const found = tokens.find((token) => formatGitPlace(token).toLowerCase() === text || token.id === place);
  if (found === undefined) throw notFound(place);
  return found;
}

function notFound(host: string): CitewellError {
  return new CitewellError("TokenNotFound", `this project has no token for ${JSON.stringify(host.slice(0, 100))}`, {
    hint: "citewell hosted token list shows those that exist",
  });
}

/** Enough to recognise a token by, of those that are long enough to give it away. */
function hintOf(token: string): string {
  return token.length < 20 ? "" : token.slice(0, 4);
}

/** Messages never repeat a token: its field's name hides its value. @throws InvalidRequest */
function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  throw new CitewellError("InvalidRequest", describeIssues(error, input));
}
