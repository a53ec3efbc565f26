import { createHash } from "node:crypto";

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export function contentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Batch size: one call per item costs more than hashing, one call for a long list leaves megabytes in the C heap. */
const itemsAtOnce = 250;

/** SHA-256, in hexadecimal, of the concatenated texts of the items. */
export function listHash<Item>(items: readonly Item[], toText: (item: Item) => string): string {
  const hash = createHash("sha256");
  for (let start = 0; start < items.length; start += itemsAtOnce) {
    hash.update(
      items
        .slice(start, start + itemsAtOnce)
        .map(toText)
        .join(""),
    );
  }
  return hash.digest("hex");
}
