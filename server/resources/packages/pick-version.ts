import { CitewellError } from "../../errors.ts";
import { nearest } from "../../lib/nearest.ts";
import type { Wanted } from "./ecosystem.ts";

/** What an ecosystem knows of its versions. `compare` sorts the highest first. */
export interface VersionRules {
  compare(a: string, b: string): number;
  isVersion(text: string): boolean;
  isSame(version: string, wanted: string): boolean;
  isPrerelease(version: string): boolean;
  satisfies(version: string, wanted: string): boolean;
}

/**
 * The version for a version, range or `latest`: the highest of those that are no pre-releases, else of all. One that was
 * withdrawn is meant by its number alone.
 * @throws VersionNotFound
 */
export function pickVersion(
  versions: readonly string[],
  { name, version: wanted }: Pick<Wanted, "name" | "version">,
  {
    compare,
    isVersion,
    isSame,
    isPrerelease,
    satisfies,
    isWithdrawn,
  }: VersionRules & { isWithdrawn(version: string): boolean },
): string {
  const known = versions.toSorted(compare);
  const best = (from: readonly string[]) => from.find((version) => !isPrerelease(version)) ?? from[0];
  const usable = known.filter((version) => !isWithdrawn(version));
  const picked =
    known.find((version) => isSame(version, wanted)) ??
    best(wanted === "latest" ? usable : usable.filter((version) => satisfies(version, wanted)));
  if (picked !== undefined) return picked;
  const close = isVersion(wanted) ? neighbours(wanted, known, compare) : nearest(wanted, known);
  throw noVersion(name, wanted, { newest: best(usable) ?? known[0], close });
}

/** A VersionNotFound. `close` are those that the wanted one may be meant to be. */
export function noVersion(
  name: string,
  wanted: string,
  { newest, close, noun = "version" }: { newest: string | undefined; close: readonly string[]; noun?: string },
): CitewellError {
  const near = close.length === 0 ? "" : `did you mean ${close.join(" or ")}? `;
  const last = newest === undefined ? "the registry has no version of it" : `the newest is ${newest}`;
  return new CitewellError("VersionNotFound", `${name} has no ${noun} "${wanted}"`, { hint: `${near}${last}` });
}

/** The next higher and the next lower version; the known versions are sorted, highest first. */
export function neighbours(wanted: string, known: readonly string[], compare: VersionRules["compare"]): string[] {
  const higher = known.findLast((version) => compare(version, wanted) < 0);
  const lower = known.find((version) => compare(version, wanted) > 0);
  return [higher, lower].filter((version) => version !== undefined);
}
