import { createHash } from "node:crypto";

/** SHA-256 of a text as UTF-8, in hexadecimal. */
export function contentHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A call for each takes longer than the hash itself; of a list of many paths as a whole, the C library keeps some megabytes. */
const itemsAtOnce = 250;

/** SHA-256, in hexadecimal, of what is made of the items, one after the other. */
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
