import { randomUUID } from "node:crypto";
import * as z from "zod";
import { CitewellError } from "../../errors.ts";
import { type NewWebhook, type Project, Webhook } from "../../protocol/hosted.ts";
import { firstRow, Timestamp } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import { recordAudit } from "../tenants/audit.ts";
import { generateToken } from "../tenants/secret-token.ts";
import { seal, unseal } from "./sealing.ts";
import type { SealingKeys } from "./sealing-keys.ts";

/** The path that git hosts send pushes to. */
export function webhookPath({ id }: Pick<Project, "id">): string {
  return `/hooks/${id}`;
}

/** The webhook of a project; undefined if it accepts no pushes. */
export async function findWebhook(store: Store, { id }: Pick<Project, "id">): Promise<Webhook | undefined> {
  const result = await store.asProject(id, ({ query }) =>
    query(`select created_at as "createdAt", last_received_at as "lastReceivedAt" from webhook where project = $1`, [
      id,
    ]),
  );
  return firstRow(Webhook.extend({ createdAt: Timestamp, lastReceivedAt: Timestamp.nullable() }), result);
}

/** Makes a secret for the project's webhook; an earlier one works no more. @throws SecretsKeyInvalid */
export async function createWebhook(
  store: Store,
  { keys, project, actor }: { keys: SealingKeys; project: Pick<Project, "id" | "name">; actor: string },
): Promise<NewWebhook> {
  const id = randomUUID();
  const secret = generateToken();
  await store.asProject(project.id, async (queries) => {
    const place = { table: "webhook" as const, project: project.id, id };
    const { sealed, keyVersion } = await seal(queries, { keys, secret, place });
    // The secret of the second of two concurrent requests is kept.
    await queries.query(
      `insert into webhook (id, project, sealed, key_version) values ($1, $2, $3, $4)
       on conflict (project) do update set id = excluded.id, sealed = excluded.sealed,
         key_version = excluded.key_version, created_at = now(), last_received_at = null`,
      [id, project.id, sealed, keyVersion],
    );
    await recordAudit(queries, project.id, { actor, action: "webhook.created", target: project.name });
  });
  return { secret, path: webhookPath(project), project: project.name };
}

/** Accepts no pushes any more. @throws TokenNotFound */
export async function removeWebhook(
  store: Store,
  { project, actor }: { project: Pick<Project, "id" | "name">; actor: string },
): Promise<void> {
  await store.asProject(project.id, async (queries) => {
    const { count } = await queries.query("delete from webhook where project = $1", [project.id]);
    if (count === 0) throw new CitewellError("TokenNotFound", "this project has no webhook");
    await recordAudit(queries, project.id, { actor, action: "webhook.removed", target: project.name });
  });
}

const SecretRow = z.object({ id: z.string(), sealed: z.instanceof(Uint8Array), keyVersion: z.string() });

/** The secret of a project's webhook; undefined without one. @throws SecretsKeyInvalid */
export async function openWebhookSecret(
  store: Store,
  { keys, project }: { keys: SealingKeys; project: string },
): Promise<string | undefined> {
  const result = await store.asProject(project, ({ query }) =>
    query(`select id, sealed, key_version as "keyVersion" from webhook where project = $1`, [project]),
  );
  const row = firstRow(SecretRow, result);
  return row && unseal(keys, row, { table: "webhook", project, id: row.id });
}
