import { formatLines, type LineRange } from "../protocol/citation.ts";
import type { FileReference } from "./retrieval.ts";

/** Definitions that repeat one that is shown, and are not shown themselves. */
export interface Repeats {
  /** The overloads in the same file. */
  overloads: readonly LineRange[];
  /** The same text elsewhere. */
  copies: readonly (FileReference & LineRange)[];
  /** Others of the name, in tests. */
  tests: readonly (FileReference & LineRange)[];
}

const namedLimit = 5;

/** `overloads at 10-12; the same in lib/a.js:3-9`, with places as `nameOf` writes them. */
export function formatRepeats(
  { overloads, copies, tests }: Repeats,
  nameOf: (place: FileReference & LineRange) => string,
): string {
  const parts = [
    nameFew("overloads at", overloads.map(formatLines)),
    nameFew("the same in", copies.map(nameOf)),
    nameFew("others in tests:", tests.map(nameOf)),
  ];
  return parts.filter((part) => part !== undefined).join("; ");
}

function nameFew(what: string, places: readonly string[]): string | undefined {
  if (places.length === 0) return undefined;
  const more = places.length - namedLimit;
  return `${what} ${places.slice(0, namedLimit).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
