import { usualTargets } from "../../../client/usual-targets.ts";
import type { ResourceListing } from "../../../server/protocol/resource.ts";

type Listed = Pick<ResourceListing, "name" | "origin">;

/**
 * The names that a question without mentions is about: those that are ticked, else the open projects and what a
 * configuration file lists; all where there is neither (docs/contract.md, "The open project").
 */
export function chosenNames(selection: readonly string[], listings: readonly Listed[]): readonly string[] {
  const ticked = listings.filter(({ name }) => selection.includes(name));
  return (ticked.length > 0 ? ticked : usualTargets(listings)).map(({ name }) => name);
}

/** The selection to keep for these names. The usual one is kept as empty, so that a new resource joins it. */
export function toSelection(chosen: ReadonlySet<string>, listings: readonly Listed[]): readonly string[] {
  const usualNames = new Set(usualTargets(listings).map(({ name }) => name));
  const isUsual = chosen.size === usualNames.size && [...chosen].every((name) => usualNames.has(name));
  return isUsual ? [] : listings.map(({ name }) => name).filter((name) => chosen.has(name));
}

/** The selection after boxes were ticked and cleared; `isNone` if no box is checked any more. */
export function selectionAfter(
  changes: readonly { name: string; isChecked: boolean }[],
  { selection, listings }: { selection: readonly string[]; listings: readonly Listed[] },
): { names: readonly string[]; isNone: boolean } {
  const chosen = new Set(chosenNames(selection, listings));
  for (const { name, isChecked } of changes) {
    if (isChecked) chosen.add(name);
    else chosen.delete(name);
  }
  return { names: toSelection(chosen, listings), isNone: chosen.size === 0 };
}
