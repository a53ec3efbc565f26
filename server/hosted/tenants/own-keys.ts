import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { type ApiKey, OwnKeyRule } from "../../protocol/api-keys.ts";
import type { Project } from "../../protocol/hosted.ts";
import type { Role } from "../../protocol/hosted-accounts.ts";
import { firstRow } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";
import { createKey, type KeyOptions, listKeys, scopesByRole } from "./keys.ts";

/** How many keys that still work a member may have. */
const mostKeys = 20;

/** What members may give their own keys; null: they may make none. */
export async function readOwnKeyRule({ query }: Pick<Queries, "query">, project: string): Promise<OwnKeyRule | null> {
  const result = await query(`select settings -> 'ownKeys' as rule from project where id = $1`, [project]);
  return firstRow(z.object({ rule: OwnKeyRule.nullable().catch(null) }), result)?.rule ?? null;
}

/** @throws OperationNotAllowed (no admin allows it) */
export async function requireOwnKeys(queries: Pick<Queries, "query">, project: string): Promise<OwnKeyRule> {
  const rule = await readOwnKeyRule(queries, project);
  if (rule !== null) return rule;
  throw new CitewellError("OperationNotAllowed", "members of this project cannot make keys of their own", {
    hint: "an admin can allow it on the page Keys, or make a key for you",
  });
}

/** Changes what members may give their own keys. Keys that exist stay as they are. */
export async function setOwnKeyRule(
  store: Store,
  { id }: Pick<Project, "id">,
  { rule, actor }: { rule: OwnKeyRule | null; actor: string },
): Promise<void> {
  await store.query(
    `update project set settings = settings || jsonb_build_object('ownKeys', $2::jsonb) where id = $1`,
    [id, JSON.stringify(rule)],
  );
  await store.asProject(id, (queries) =>
    recordAudit(queries, id, { actor, action: "own-keys.changed", target: "members", detail: { ownKeys: rule } }),
  );
}

/** Whose key it is. */
export interface KeyOwner {
  account: string;
  role: Role;
}

/**
 * Creates a key of a member's own: it has the rights of the member, less what the options leave out.
 * @throws OperationNotAllowed (an admin does not allow it, or a scope that the role lacks), InvalidRequest (it would last too
 * long), LimitReached, ResourceNotFound (also for one that the member may not use), AlreadyExists (the id)
 */
export async function createOwnKey(
  store: Store,
  project: Pick<Project, "id">,
  { owner: { account, role }, ...options }: Omit<KeyOptions, "actor" | "account"> & { owner: KeyOwner },
): Promise<{ key: string; listing: ApiKey }> {
  const rule = await requireOwnKeys(store, project.id);
  const excess = options.scopes.find((scope) => !scopesByRole[role].includes(scope));
  if (excess !== undefined) {
    throw new CitewellError("OperationNotAllowed", `the scope ${excess} needs another role than ${role}`, {
      hint: `a key of yours can have ${scopesByRole[role].join(", ")}`,
    });
  }
  if (rule.days !== null && (options.days === undefined || options.days > rule.days)) {
    throw new CitewellError("InvalidRequest", `the key must expire within ${rule.days} days`, {
      hint: "an admin of the project sets this on the page Keys",
    });
  }
  const living = (await listKeys(store, project, { account })).filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now()),
  );
  if (living.length >= mostKeys) {
    throw new CitewellError("LimitReached", `you have ${mostKeys} keys of your own, the most that one can have`, {
      hint: "revoke one that is no longer used",
    });
  }
  return createKey(store, project, { ...options, account, actor: `account:${account}` });
}
