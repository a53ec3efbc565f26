import { aliasNote, fromRegistry, notPublished } from "../choices.ts";
import type { InstalledChoice, PublishedChoice, RequestedPackage } from "../ecosystem.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findManifestFolder, readManifests, type Requirement } from "./declared.ts";
import { findInstalled } from "./installed.ts";
import { findLocked } from "./lockfiles.ts";
import { normalizeName } from "./names.ts";
import { isExact, isSameVersion } from "./pep440.ts";
import { findStandardLibrary } from "./standard-library.ts";

/**
 * The requested version, else the one in an environment, else that of the lockfile, else what the manifest asks for,
 * else `latest`. A module's name means the installed package that has it, or the standard library
 * where no package of the project is meant. An index never replaces another origin.
 * @throws PackageNotFound (the project has another origin for the package, and it is not installed)
 */
export async function chooseVersion(
  { package: name, version }: RequestedPackage,
  location: PackageLocation,
): Promise<InstalledChoice | PublishedChoice> {
  const folders = foldersOf(location);
  let other: { name: string; version: string } | undefined;
  for (const cwd of folders) {
    const installed = await findInstalled(name, { ...location, cwd });
    if (installed === undefined) continue;
    const origin = `${installed.origin}${aliasNote(name, installed.name, normalizeName)}`;
    if (!version || isSameVersion(installed.version, version)) return { type: "installed", installed, origin };
    other ??= installed;
  }
  if (version) {
    return fromRegistry(other?.name ?? name, version, { isExact, installedVersion: other?.version });
  }
  for (const cwd of folders) {
    const choice = await chooseIn(name, cwd);
    if (choice !== undefined) return choice;
  }
  const standard = await findStandardLibrary(name, location);
  if (standard !== undefined) return standard;
  return fromRegistry(name, version, { isExact });
}

/** Undefined if nothing in the project names the package. */
async function chooseIn(name: string, cwd: string): Promise<PublishedChoice | undefined> {
  const declared = await findDeclared(name, cwd);
  const found = await findLocked(name, cwd);
  const registry = "an index";
  if (found?.locked.type === "elsewhere")
    throw notPublished(name, { by: found.file, origin: found.locked.origin, registry });
  if (declared?.elsewhere !== undefined)
    throw notPublished(name, { by: declared.file, origin: declared.elsewhere, registry });
  if (found !== undefined) {
    return { type: "published", wanted: found.locked, origin: `from ${found.file}`, isLocked: true };
  }
  if (declared === undefined) return undefined;
  const { specifiers, file } = declared;
  const exact = /^={2,3}([^,*]+)$/.exec(specifiers)?.[1];
  const wanted = { name: declared.name, version: exact ?? (specifiers || "latest") };
  return { type: "published", wanted, origin: `${exact === undefined ? `${wanted.version} of` : "from"} ${file}` };
}

async function findDeclared(name: string, cwd: string): Promise<(Requirement & { file: string }) | undefined> {
  const folder = await findManifestFolder(cwd);
  for (const { file, requirements } of folder === undefined ? [] : await readManifests(folder)) {
    const found = requirements.find((it) => normalizeName(it.name) === normalizeName(name));
    if (found !== undefined) return { ...found, file };
  }
  return undefined;
}
