import { createHash } from "node:crypto";

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export function contentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
