import { CitewellError } from "../errors.ts";
import { type PackageType, packageReference, withoutPrefix } from "../protocol/kinds/names.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import { quoteValue } from "../protocol/validation.ts";
import { ecosystems } from "../resources/packages/ecosystems.ts";
import type { Target } from "./targets.ts";

/** A version of a package, perhaps of another one than the project uses. */
export interface WantedPackage {
  name: string;
  /** A version, range or tag. */
  version: string;
}

/**
 * What `--to` may mean, likeliest first: a version, also where the ecosystem gives its major another name
 * (`example.com/pkg/v5`), or another package, with or without a version: `org.demo:other@5`.
 */
export function wantedPackages(
  to: string | undefined,
  { type, name }: { type: PackageType; name: string },
): [WantedPackage, ...WantedPackage[]] {
  if (to === undefined) return [{ name, version: "latest" }];
  const written = withoutPrefix(type, to);
  if (written !== undefined || isPackageName.test(to)) {
    const [, other = "", version = "latest"] = /^(.[^@]*)(?:@(.+))?$/.exec(written ?? to) ?? [];
    return [{ name: other, version }];
  }
  const own = { name, version: to };
  const moved = ecosystems[type].nameAt?.(name, to) ?? name;
  return moved === name ? [own] : [{ name: moved, version: to }, own];
}

/** No version, range or tag has a slash, a colon or an `@`. */
const isPackageName = /[/:@]/;

/** A version of a package as a target. @throws InvalidRequest (no such form of a version) */
export function packageTarget(type: PackageType, { name, version }: WantedPackage): Target {
  const reference = parseReference(packageReference(type, name, version));
  if (isOneOff(reference)) return reference;
  throw new CitewellError("InvalidRequest", `${quoteValue(version)} is no version of ${name}`);
}
