import { compareNumbers } from "../lib/compare-numbers.ts";

/** The numbers of a version, without what follows them: `[2, 0]` of `v2.0rc1`. */
export function numbersOf(version: string): number[] {
  return (/^\D*(\d+(?:\.\d+)*)/.exec(version)?.[1] ?? "").split(".").filter(Boolean).map(Number);
}

/** Compares versions by their numbers alone: a release is where its pre-releases are. */
export function compareReleases(one: string, other: string): number {
  return compareNumbers(numbersOf(one), numbersOf(other));
}
