import semver from "semver";
import { CitewellError } from "../../errors.ts";
import { findInstalled, type Installed } from "./installed.ts";
import { isIntegrity } from "./integrity.ts";
import { findLocked } from "./lockfiles.ts";
import { foldersOf, type NpmConfigLocation } from "./npm-places.ts";
import type { Wanted } from "./npm-source.ts";
import { type CachedPackage, findCached } from "./yarn-cache.ts";

/** Which version of a package a question is asked of, and where that was found, in words. */
export type VersionChoice =
  | { type: "installed"; installed: Installed; origin: string }
  | { type: "cached"; cached: CachedPackage; origin: string }
  | { type: "published"; wanted: Wanted; origin: string; installedVersion?: string | undefined };

/**
 * The version asked for; else what the workspace has installed; else what its lockfile names; else `latest`. Another
 * version is never taken in its place. A version that is on disk just so, installed or in yarn's cache, is read there.
 * @throws PackageNotFound (the lockfile takes the package from elsewhere, and it is not on disk)
 */
export async function chooseVersion(
  asked: { package: string; version?: string | null | undefined },
  location: NpmConfigLocation,
): Promise<VersionChoice> {
  const { package: name, version } = asked;
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

/** Whether what was asked for is the same for ever: a published version never changes. */
export function isExact(version: string): boolean {
  return semver.valid(version, { loose: true }) !== null;
}

function originOf(version: string): string {
  return isExact(version) ? "from the registry" : `${version} in the registry`;
}

function alias(asked: string, real: string): string {
  return asked === real ? "" : ` as ${asked}`;
}
