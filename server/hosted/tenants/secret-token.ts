import { createHash, randomBytes } from "node:crypto";

/** A random text of 256 bits, for a session or a link. */
export function generateToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What is stored of a random token. It has 256 bits, so a fast hash is enough. */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}
