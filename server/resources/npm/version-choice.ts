import semver from "semver";
import { CitewellError } from "../../errors.ts";
import { findInstalled, type Installed } from "./installed.ts";
import { isIntegrity } from "./integrity.ts";
import { findLocked } from "./lockfiles.ts";
import { foldersOf, type NpmConfigLocation } from "./npm-places.ts";
import type { Wanted } from "./npm-source.ts";
import { type CachedPackage, findCached } from "./yarn-cache.ts";

/** The version of a package to read, and where it was found, in words. */
export type VersionChoice =
  | { type: "installed"; installed: Installed; origin: string }
  | { type: "cached"; cached: CachedPackage; origin: string }
  | { type: "published"; wanted: Wanted; origin: string; installedVersion?: string | undefined };

/**
 * The requested version, else the installed one, else that of the lockfile, else `latest`. Another version is never
 * used instead. If exactly this version is on disk, installed or in yarn's cache, it is read there.
 * @throws PackageNotFound (the lockfile has another origin for the package, and it is not on disk)
 */
export async function chooseVersion(
  requested: { package: string; version?: string | null | undefined },
  location: NpmConfigLocation,
): Promise<VersionChoice> {
  const { package: name, version } = requested;
  const isAskedFor = (found: { name: string; version: string }) =>
    !version || (found.name === name && found.version === semver.clean(version, { loose: true }));

  const folders = foldersOf(location);
  let installedVersion: string | undefined;
  for (const cwd of folders) {
    const installed = await findInstalled(name, { cwd });
    if (installed?.name === name) installedVersion ??= installed.version;
    if (installed === undefined || !isAskedFor(installed)) continue;
    return { type: "installed", installed, origin: `installed in node_modules${alias(name, installed.name)}` };
  }
  const lockfiles = await Promise.all(folders.map((cwd) => findLocked(name, { ...location, cwd })));
  const found = lockfiles.find((locked) => locked !== undefined);
  const { locator } = found?.locked ?? {};
  if (found !== undefined && locator !== undefined && isAskedFor(locator)) {
    const cached = await findCached(locator, { project: found.folder, location });
    const patched = locator.isPatched ? ", patched" : "";
    const origin = `from yarn's cache${alias(name, locator.name)}${patched}`;
    if (cached !== undefined) return { type: "cached", cached, origin };
  }
  if (version) return { type: "published", wanted: { name, version }, origin: originOf(version), installedVersion };
  if (found === undefined) {
    return { type: "published", wanted: { name, version: "latest" }, origin: originOf("latest") };
  }
  const { file, locked } = found;
  if (locked.type === "elsewhere") {
    throw new CitewellError("PackageNotFound", `${file} takes ${name} from ${locked.origin}, not from a registry`, {
      hint: "install it, so that it is read from disk, or add its repository or folder as a resource",
    });
  }
  const integrity = locked.integrity !== undefined && isIntegrity(locked.integrity) ? locked.integrity : undefined;
  const wanted = { name: locked.name, version: locked.version, integrity };
  return { type: "published", wanted, origin: `from ${file}${alias(name, locked.name)}` };
}

/** Whether the request is for an exact version: published versions never change. */
export function isExact(version: string): boolean {
  return semver.valid(version, { loose: true }) !== null;
}

function originOf(version: string): string {
  return isExact(version) ? "from the registry" : `${version} in the registry`;
}

function alias(requested: string, real: string): string {
  return requested === real ? "" : ` as ${requested}`;
}
