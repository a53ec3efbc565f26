import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { ApiKey, KeyScope } from "../../protocol/api-keys.ts";
import { Project } from "../../protocol/hosted.ts";
import { Role } from "../../protocol/hosted-accounts.ts";
import { describeIssues } from "../../protocol/validation.ts";
import { allRows, firstRow, Timestamp } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";
import { generateKey, hashKey, hintOf, isKey } from "./key-text.ts";
import { requireRegistered } from "./resource-names.ts";

/** The columns of `KeyRow`. */
export const keyColumns = `id, name, hint, scopes, resources, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt", replaced_by as "replacedBy",
  (select email from account where account.id = api_key.account) as member`;
/** A row of keys. */
export const KeyRow = ApiKey.extend({
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  revokedAt: Timestamp.nullable(),
  lastUsedAt: Timestamp.nullable(),
});
const NewKey = ApiKey.pick({ name: true, scopes: true }).extend({
  resources: ApiKey.shape.resources.default(null),
  days: z.int("days must be a whole number").min(1).max(3650).optional(),
});

/** What a new key gets. */
export interface KeyOptions {
  /** Default: a new one. */
  id?: string | undefined;
  name: string;
  scopes: readonly KeyScope[];
  /** The names of the resources that it may use; null or absent: all, also those that are added later. */
  resources?: readonly string[] | null | undefined;
  /** The number of days until it expires; without it, it never does. */
  days?: number | undefined;
  /** The member whose own key it is; the project's by default. Only resources that the member may use can be named. */
  account?: string | undefined;
  /** Who did it, for the audit log. */
  actor?: string;
}

/** What a member's own key or access token can do at most, by the member's role. */
export const scopesByRole: Readonly<Record<Role, readonly KeyScope[]>> = {
  member: ["ask", "read"],
  admin: KeyScope.options,
  owner: KeyScope.options,
};

/**
 * Creates a key of a project. The key's text is returned here and nowhere else: only its hash is stored.
 * @throws InvalidRequest, ResourceNotFound, AlreadyExists (the id)
 */
export async function createKey(
  store: Store,
  { id: project }: Pick<Project, "id">,
  { id, account, actor = "operator", ...options }: KeyOptions,
): Promise<{ key: string; listing: ApiKey }> {
  const parsed = NewKey.safeParse(options);
  if (!parsed.success) throw new CitewellError("InvalidRequest", describeIssues(parsed.error, options));
  const { name, scopes, days } = parsed.data;
  const resources = parsed.data.resources && [...new Set(parsed.data.resources)];
  const key = generateKey();
  const reader = account === undefined ? undefined : ({ kind: "account", id: account } as const);
  const create = async (queries: Queries) => {
    if (resources !== null) await requireRegistered(queries, project, resources);
    const result = await queries.query(
      `insert into api_key (project, name, hash, hint, scopes, resources, expires_at, id, account)
       values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7::int), coalesce($8::uuid, gen_random_uuid()), $9)
       on conflict (id) do nothing returning ${keyColumns}`,
      [
        project,
        name,
        hashKey(key),
        hintOf(key),
        [...new Set(scopes)],
        resources,
        days ?? null,
        id ?? null,
        account ?? null,
      ],
    );
    const row = firstRow(KeyRow, result);
    if (row === undefined) {
      throw new CitewellError("AlreadyExists", `this form has already made the key "${name}"`, {
        hint: "its text is shown once; if it is lost, revoke the key and create another",
      });
    }
    const detail = { name, scopes, ...(resources === null ? {} : { resources }) };
    await recordAudit(queries, project, { actor, action: "key.created", target: row.id, detail });
    return row;
  };
  return { key, listing: await store.asProject(project, create, { reader }) };
}

/** The keys of a project, or those of one member, oldest first, revoked and expired ones included. */
export async function listKeys(
  store: Store,
  { id }: Pick<Project, "id">,
  { account }: { account?: string } = {},
): Promise<ApiKey[]> {
  const result = await store.asProject(id, ({ query }) =>
    query(
      `select ${keyColumns} from api_key where project = $1 and ($2::uuid is null or account = $2::uuid)
       order by created_at, id`,
      [id, account ?? null],
    ),
  );
  return allRows(KeyRow, result);
}

/** Revokes a key at once, by its id or its name. @throws KeyNotFound, InvalidRequest (several keys have the name) */
export async function revokeKey(
  store: Store,
  project: Pick<Project, "id">,
  idOrName: string,
  { actor = "operator" }: { actor?: string } = {},
): Promise<ApiKey> {
  const found = await findKey(store, project, idOrName);
  return store.asProject(project.id, async (queries) => {
    const result = await queries.query(
      `update api_key set revoked_at = now() where project = $1 and id = $2 returning ${keyColumns}`,
      [project.id, found.id],
    );
    await recordAudit(queries, project.id, { actor, action: "key.revoked", target: found.id });
    return KeyRow.parse(result.rows[0]);
  });
}

/** A key that is not revoked. @throws KeyNotFound, InvalidRequest (several keys have the name) */
export async function findKey(store: Store, project: Pick<Project, "id">, idOrName: string): Promise<ApiKey> {
  const keys = (await listKeys(store, project)).filter(({ revokedAt }) => revokedAt === null);
  const [found, ...others] = keys.filter(({ id, name }) => id === idOrName || name === idOrName);
  if (found === undefined) {
    throw new CitewellError("KeyNotFound", `no key "${idOrName}" in this project`, {
      hint: "citewell hosted key list shows the keys and their ids",
    });
  }
  if (others.length > 0) {
    throw new CitewellError("InvalidRequest", `several keys are named "${idOrName}"`, { hint: "give the key's id" });
  }
  return found;
}

/** Who sent a request: a key and its project. */
export interface KeyHolder {
  key: Pick<ApiKey, "id" | "name" | "scopes" | "resources">;
  project: Pick<Project, "id" | "name">;
}

const HolderRow = ApiKey.pick({ id: true, name: true, scopes: true, resources: true }).extend({
  role: Role.nullable(),
  project: Project.shape.id,
  projectName: Project.shape.name,
  isRevoked: z.boolean(),
  isExpired: z.boolean(),
  isFirstUse: z.boolean(),
  isUseUnrecorded: z.boolean(),
});

/**
 * Finds the holder of a key, and records its use at most once a minute. It asks the database each time (one indexed
 * look-up), so that a revocation takes effect on every node at once.
 * @throws KeyInvalid
 */
export async function authenticate(store: Store, key: string): Promise<KeyHolder> {
  if (!isKey(key)) throw invalid("this is no API key: one starts with cw_ and has 52 characters");
  const result = await store.query(
    `select k.id, k.name, k.scopes, k.resources, k.project, m.role, p.name as "projectName",
       k.revoked_at is not null as "isRevoked",
       coalesce(k.expires_at <= now(), false) as "isExpired",
       k.last_used_at is null as "isFirstUse",
       coalesce(k.last_used_at < now() - interval '1 minute', true) as "isUseUnrecorded"
     from api_key k join project p on p.id = k.project
       left join member m on m.project = k.project and m.account = k.account where k.hash = $1`,
    [hashKey(key)],
  );
  const row = firstRow(HolderRow, result);
  if (row === undefined) throw invalid("this API key is not known here");
  if (row.isRevoked) throw invalid(`the API key "${row.name}" was revoked`);
  if (row.isExpired) throw invalid(`the API key "${row.name}" has expired`);
  if (row.isUseUnrecorded) await recordUse(store, row);
  const { role } = row;
  // The role may have changed since the key was made.
  const scopes = role === null ? row.scopes : row.scopes.filter((scope) => scopesByRole[role].includes(scope));
  return { key: { ...row, scopes }, project: { id: row.project, name: row.projectName } };
}

async function recordUse(store: Store, { id, project, isFirstUse }: z.infer<typeof HolderRow>): Promise<void> {
  await store.asProject(project, async (queries) => {
    await queries.query("update api_key set last_used_at = now() where project = $1 and id = $2", [project, id]);
    if (isFirstUse) {
      await recordAudit(queries, project, { actor: `key:${id}`, action: "key.first-used", target: id });
    }
  });
}

function invalid(message: string): CitewellError {
  return new CitewellError("KeyInvalid", message, {
    hint: "send Authorization: Bearer <key> with a key of the project",
  });
}
