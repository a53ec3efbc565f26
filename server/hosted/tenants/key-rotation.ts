import { CitewellError } from "../../errors.ts";
import type { ApiKey, Project } from "../../protocol/hosted.ts";
import { firstRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { recordAudit } from "./audit.ts";
import { generateKey, hashKey, hintOf } from "./key-text.ts";
import { findKey, keyColumns, KeyRow } from "./keys.ts";

/** How long a key that was replaced still works. */
export const rotationOverlapHours = 24;

/**
 * Replaces a key by a new one with the same name, scopes and lifetime. The old one works for another day, so that its
 * users can change over.
 * @throws KeyNotFound, InvalidRequest (replaced already)
 */
export async function rotateKey(
  store: Store,
  { id: project }: Pick<Project, "id">,
  id: string,
  { actor }: { actor: string },
): Promise<{ key: string; listing: ApiKey }> {
  const old = await findKey(store, { id: project }, id);
  const key = generateKey();
  const listing = await store.asProject(project, async (queries) => {
    const result = await queries.query(
      `insert into api_key (project, name, hash, hint, scopes, expires_at)
       select project, name, $3, $4, scopes, now() + (expires_at - created_at)
       from api_key where project = $1 and id = $2 and replaced_by is null for update returning ${keyColumns}`,
      [project, old.id, hashKey(key), hintOf(key)],
    );
    const row = firstRow(KeyRow, result);
    if (row === undefined) throw new CitewellError("InvalidRequest", `the key "${old.name}" was replaced already`);
    await queries.query(
      `update api_key set replaced_by = $3, expires_at = least(expires_at, now() + make_interval(hours => $4::int))
       where project = $1 and id = $2`,
      [project, old.id, row.id, rotationOverlapHours],
    );
    const detail = { replacedBy: row.id };
    await recordAudit(queries, project, { actor, action: "key.rotated", target: old.id, detail });
    return row;
  });
  return { key, listing };
}
