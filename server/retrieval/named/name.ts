import type { FileKind } from "../../protocol/search.ts";

/** `next` of `Retry.next`, `Retry::next`, `Retry#next()` and of `next`. */
export function parseName(written: string): { name: string; owner: string | undefined } {
  const [name = "", owner] = written
    .trim()
    .replace(/\(.*\)$/, "")
    .split(/[.#:]+/)
    .filter((part) => part !== "")
    .toReversed();
  return { name, owner };
}

/** The order of results: source, then documents, then tests. */
export function kindOrder(kind: FileKind): number {
  return ["code", "config", "docs", "other", "test"].indexOf(kind);
}
