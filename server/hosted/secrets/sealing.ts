import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { CitewellError } from "../../errors.ts";
import type { Queries } from "../store/store.ts";
import { keysVariable, type SealingKeys } from "./sealing-keys.ts";

/** The tables with sealed columns. */
export const sealedTables = ["git_token", "webhook"] as const;

/** The row of a secret. A secret that was copied to another row does not open there. */
export interface SealedPlace {
  table: (typeof sealedTables)[number];
  project: string;
  id: string;
}

/** A sealed secret, as its row stores it. */
export interface Sealed {
  /** 12 bytes of nonce, 16 of tag, and the ciphertext. */
  sealed: Uint8Array;
  keyVersion: string;
}

/** Held by a rotation, and shared by those who seal. */
export const rotationLock = "hashtextextended('citewell secrets', 0)";
const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Seals a secret for a row, with the current key. The row is written in the same transaction, so that a rotation sees it:
 * it waits for those that began before it, and later ones use its key.
 * @throws SecretsKeyInvalid
 */
export async function seal(
  { query }: Pick<Queries, "query">,
  { keys, secret, place }: { keys: SealingKeys; secret: string; place: SealedPlace },
): Promise<Sealed> {
  await query(`select pg_advisory_xact_lock_shared(${rotationLock})`);
  const { key, version } = await keys.current();
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(associatedData(place));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return { sealed: Buffer.concat([nonce, cipher.getAuthTag(), text]), keyVersion: version };
}

/** Opens the secret of a row. @throws SecretsKeyInvalid (no such key, or the row was changed) */
export async function unseal(keys: SealingKeys, { sealed, keyVersion }: Sealed, place: SealedPlace): Promise<string> {
  const known = await keys.read();
  const found = known.find(({ version }) => version === keyVersion);
  if (found === undefined) throw wrongKey(keyVersion, { keys, versions: known.map(({ version }) => version) });
  try {
    const decipher = createDecipheriv(algorithm, found.key, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(associatedData(place)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    const text = decipher.update(sealed.subarray(nonceBytes + tagBytes));
    return Buffer.concat([text, decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new CitewellError("SecretsKeyInvalid", "a stored secret was changed, or copied from another row", {
      hint: "remove it and enter it again",
      cause,
    });
  }
}

/** The error for a secret that none of the keys opens. */
export function wrongKey(
  keyVersion: string,
  { keys, versions }: { keys: Pick<SealingKeys, "place">; versions: readonly string[] },
): CitewellError {
  const [message, has] =
    versions.length === 0
      ? [`stored secrets cannot be opened: ${keysVariable} is not set`, ""]
      : [`stored secrets were sealed with another key than those in ${keys.place}`, `, not ${versions.join(", ")}`];
  return new CitewellError("SecretsKeyInvalid", message, {
    hint: `the key ${keyVersion} is needed${has}; if it is lost, replace the tokens and the webhook's secret`,
  });
}

function associatedData({ table, project, id }: SealedPlace): Uint8Array {
  return Buffer.from(JSON.stringify(["citewell", table, project, id]));
}
