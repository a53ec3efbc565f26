import semver from "semver";
import { CitewellError } from "../../errors.ts";
import { findInstalled, type Installed } from "./installed.ts";
import { isIntegrity } from "./integrity.ts";
import { findLocked } from "./lockfiles.ts";
import type { Wanted } from "./npm-source.ts";

/** Which version of a package a question is asked of, and where that was found, in words. */
export type VersionChoice =
  | { type: "installed"; installed: Installed; origin: string }
  | { type: "published"; wanted: Wanted; origin: string };

/**
 * The version asked for; else what the workspace has installed; else what its lockfile names; else `latest`. Another
 * version is never taken in its place. A version that is installed just so is read from there.
 * @throws PackageNotFound (the lockfile takes the package from elsewhere, and it is not installed)
 */
export async function chooseVersion(
  asked: { package: string; version?: string | null | undefined },
  { cwd }: { cwd: string },
): Promise<VersionChoice> {
  const { package: name, version } = asked;
  const installed = await findInstalled(name, { cwd });
  if (version) {
    const isInstalled = installed?.name === name && installed.version === semver.clean(version, { loose: true });
    if (isInstalled) return { type: "installed", installed, origin: "installed in node_modules" };
    return { type: "published", wanted: { name, version }, origin: originOf(version) };
  }
  if (installed !== undefined) {
    return { type: "installed", installed, origin: `installed in node_modules${alias(name, installed.name)}` };
  }
  const found = await findLocked(name, { cwd });
  if (found === undefined) {
    return { type: "published", wanted: { name, version: "latest" }, origin: originOf("latest") };
  }
  const { file, locked } = found;
  if (locked.type === "elsewhere") {
    throw new CitewellError("PackageNotFound", `${file} takes ${name} from ${locked.origin}, not from a registry`, {
      hint: "install it, so that it is read from node_modules, or add its repository or folder as a resource",
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
