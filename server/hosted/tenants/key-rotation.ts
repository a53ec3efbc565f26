import { CitewellError } from "../../errors.ts";
import type { ApiKey } from "../../protocol/api-keys.ts";
import type { Project } from "../../protocol/hosted.ts";
import { firstRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";
import { generateKey, hashKey, hintOf } from "./key-text.ts";
import { findKey, keyColumns, KeyRow, listKeys } from "./keys.ts";

/** How long a key that was replaced still works. */
export const rotationOverlapHours = 24;

/**
 * Replaces a key by a new one with the same name, scopes, resources, owner and lifetime. The old one works for another day, or as long as
 * `overlapHours` says, so that its users can change over.
 * @throws KeyNotFound, InvalidRequest (replaced already)
 */
export async function rotateKey(
  store: Store,
  { id: project }: Pick<Project, "id">,
  idOrName: string,
  { actor, overlapHours = rotationOverlapHours }: { actor: string; overlapHours?: number },
): Promise<{ key: string; listing: ApiKey }> {
  const old = await findCurrent(store, { id: project }, idOrName);
  const key = generateKey();
  const listing = await store.asProject(project, async (queries) => {
    const result = await queries.query(
      `insert into api_key (project, name, hash, hint, scopes, resources, account, expires_at)
       select project, name, $3, $4, scopes, resources, account, now() + (expires_at - created_at)
       from api_key where project = $1 and id = $2 and replaced_by is null for update returning ${keyColumns}`,
      [project, old.id, hashKey(key), hintOf(key)],
    );
    const row = firstRow(KeyRow, result);
    if (row === undefined) throw new CitewellError("InvalidRequest", `the key "${old.name}" was already replaced`);
    await queries.query(
      `update api_key set replaced_by = $3, expires_at = least(expires_at, now() + make_interval(hours => $4::int))
       where project = $1 and id = $2`,
      [project, old.id, row.id, overlapHours],
    );
    const detail = { replacedBy: row.id };
    await recordAudit(queries, project, { actor, action: "key.rotated", target: old.id, detail });
    return row;
  });
  return { key, listing };
}

/** A key that was replaced has the name of the new one; a name means the new one. */
async function findCurrent(store: Store, project: Pick<Project, "id">, idOrName: string): Promise<ApiKey> {
  const named = (await listKeys(store, project)).filter(
    ({ name, replacedBy, revokedAt }) => name === idOrName && replacedBy === null && revokedAt === null,
  );
  const [current, ...others] = named;
  return current !== undefined && others.length === 0 ? current : findKey(store, project, idOrName);
}
