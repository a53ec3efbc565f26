import { createHash, randomBytes } from "node:crypto";

/**
 * An API key is `cw_`, 32 random bytes as 43 characters of base64url, and 6 characters of a checksum, so that scanners for
 * leaked secrets recognise it with certainty.
 */
const keyPattern = /^cw_([\w-]{43})([\w-]{6})$/;
const hintLength = 7;

/** Makes a new key. */
export function generateKey(): string {
  const body = randomBytes(32).toString("base64url");
  return `cw_${body}${checksumOf(body)}`;
}

/** Whether a text has the form of a key and its checksum fits. */
export function isKey(text: string): boolean {
  const [, body = "", checksum] = keyPattern.exec(text) ?? [];
  return checksum === checksumOf(body);
}

/** What is stored of a key. It has 256 random bits, so a fast hash is enough. */
export function hashKey(key: string): Uint8Array {
  return createHash("sha256").update(key).digest();
}

/** The beginning of a key, by which people recognise it. */
export function hintOf(key: string): string {
  return key.slice(0, hintLength);
}

function checksumOf(body: string): string {
  return createHash("sha256").update(body).digest("base64url").slice(0, 6);
}
