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

/** What is shown first: source, then what is written about it, tests last. */
export function kindOrder(kind: FileKind): number {
  return ["code", "config", "docs", "other", "test"].indexOf(kind);
}
