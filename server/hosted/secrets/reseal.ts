import * as z from "zod";
import type { CitewellError } from "../../errors.ts";
import type { SecretsRotation } from "../../protocol/hosted.ts";
import { allRows } from "../store/rows.ts";
import type { Queries, Store } from "../store/store.ts";
import { rotationLock, seal, sealedTables, unseal, wrongKey } from "./sealing.ts";
import type { SealingKeys } from "./sealing-keys.ts";

const SealedRow = z.object({
  id: z.string(),
  project: z.string(),
  sealed: z.instanceof(Uint8Array),
  keyVersion: z.string(),
});

/**
 * Seals all secrets with the current key, in one transaction. Keys in our own file are replaced by a new one; those that
 * the operator sets stay, and only the first of them is needed afterwards.
 * @throws SecretsKeyInvalid (a secret does not open: nothing is changed)
 */
export async function rotateSecrets(store: Pick<Store, "tx">, keys: SealingKeys): Promise<SecretsRotation> {
  let replaced: string[] = [];
  const rotation = await store.tx(async (queries) => {
    await queries.query(`select pg_advisory_xact_lock(${rotationLock})`);
    replaced = (await keys.renewal?.begin()) ?? [];
    return resealAll(queries, keys);
  });
  await keys.renewal?.end(replaced);
  return rotation;
}

async function resealAll(queries: Queries, keys: SealingKeys): Promise<SecretsRotation> {
  const { query } = queries;
  const { version } = await keys.current();
  let resealed = 0;
  for (const table of sealedTables) {
    const result = await query(
      `select id, project, sealed, key_version as "keyVersion" from ${table} where key_version <> $1 for update`,
      [version],
    );
    for (const { id, project, ...row } of allRows(SealedRow, result)) {
      const place = { table, project, id };
      const secret = await unseal(keys, row, place);
      const { sealed, keyVersion } = await seal(queries, { keys, secret, place });
      await query(`update ${table} set sealed = $2, key_version = $3 where id = $1`, [id, sealed, keyVersion]);
      resealed++;
    }
  }
  return { resealed, keyVersion: version };
}

/** The error of the secrets that none of the keys opens; undefined if there are none. @throws SecretsKeyInvalid */
export async function findUnreadable(
  { query }: Pick<Queries, "query">,
  keys: SealingKeys,
): Promise<CitewellError | undefined> {
  const each = sealedTables.map((table) => `select key_version as "keyVersion" from ${table}`);
  const used = allRows(SealedRow.pick({ keyVersion: true }), await query(each.join(" union ")));
  if (used.length === 0) return undefined;
  const versions = (await keys.read()).map(({ version }) => version);
  const unknown = used.find(({ keyVersion }) => !versions.includes(keyVersion));
  return unknown && wrongKey(unknown.keyVersion, { keys, versions });
}
