import semver from "semver";
import { CitewellError } from "../../../errors.ts";
import { aliasNote, fromRegistry, notPublished } from "../choices.ts";
import { createCachedSource } from "./cached-source.ts";
import { type Declared, findDeclared } from "./declared.ts";
import { findInstalled, findMember } from "./installed.ts";
import type { Installed, RequestedPackage, VersionChoice } from "../ecosystem.ts";
import { isIntegrity } from "../integrity.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { findLocked } from "./lockfiles.ts";
import type { Locked } from "./lockfiles/lockfile.ts";
import type { Specified } from "./specifier.ts";
import { findCached } from "./yarn-cache.ts";

/**
 * The requested version, else the installed one, else that of the lockfile, else what the manifest asks for, else
 * `latest`. Another version is never used instead, and a registry never replaces another origin or a patch. If exactly
 * this version is on disk, installed or in yarn's cache, it is read there.
 * @throws PackageNotFound (the project has another origin for the package, or patches it, and it is not on disk)
 */
export async function chooseVersion(requested: RequestedPackage, location: PackageLocation): Promise<VersionChoice> {
  const { package: name, version } = requested;
  const isAskedFor = (found: { name: string; version: string }) =>
    !version || (found.name === name && found.version === semver.clean(version, { loose: true }));

  const folders = foldersOf(location);
  let installedVersion: string | undefined;
  for (const cwd of folders) {
    const installed = await findInstalled(name, { cwd });
    if (installed?.name === name) installedVersion ??= installed.version;
    if (installed === undefined || !isAskedFor(installed)) continue;
    return describeInstalled(name, installed, await findDeclared(name, { cwd }));
  }
  const projects = await Promise.all(folders.map((cwd) => readProject(name, cwd)));
  for (const { found } of projects) {
    const { locator } = found?.locked ?? {};
    if (found === undefined || locator === undefined || !isAskedFor(locator)) continue;
    const cached = await findCached(locator, { project: found.folder, location });
    const patched = locator.isPatched ? ", patched" : "";
    const origin = `from yarn's cache${aliasNote(name, locator.name)}${patched}`;
    if (cached !== undefined) return { type: "cached", cached, source: createCachedSource(cached), origin };
  }
  if (version) return fromRegistry(name, version, { isExact, installedVersion });
  for (const project of projects) {
    const choice = await chooseIn(name, project);
    if (choice !== undefined) return choice;
  }
  return fromRegistry(name, version, { isExact });
}

interface Project {
  declared: Declared;
  /** Undefined also where the lockfile is older than the manifest. */
  found: Awaited<ReturnType<typeof findLocked>>;
}

async function readProject(name: string, cwd: string): Promise<Project> {
  const declared = await findDeclared(name, { cwd });
  const found = await findLocked(name, { cwd, dependent: declared });
  return { declared, found: isCurrent(declared.specified, found?.locked) ? found : undefined };
}

/** Whether a lockfile's entry is for what the manifest asks for. */
function isCurrent(specified: Specified | undefined, locked: Locked | undefined): boolean {
  if (specified === undefined || locked?.type !== "published") return true;
  if (specified.type === "registry") return specified.name === locked.name;
  return specified.origin.startsWith("catalog:");
}

/** Undefined if nothing in the project names the package. */
async function chooseIn(name: string, { declared, found }: Project): Promise<VersionChoice | undefined> {
  const { specified, by, folder } = declared;
  const { file, locked } = found ?? {};
  if (locked?.type !== "published") {
    const origin = specified?.type === "elsewhere" ? specified.origin : "workspace:";
    const member = origin.startsWith("workspace:") ? await findMember(memberName(name, origin), folder) : undefined;
    if (member !== undefined) return { type: "installed", installed: member, origin: "a package of this workspace" };
    if (locked?.type === "elsewhere" && file !== undefined)
      throw notPublished(name, { by: file, origin: locked.origin });
    if (specified?.type === "elsewhere") throw notPublished(name, { by, origin: specified.origin });
    if (specified === undefined) return undefined;
  }
  const exact = specified?.type === "registry" && isExact(specified.version) ? specified.version : undefined;
  const version = locked?.type === "published" ? locked.version : exact;
  if (declared.isPatched(version)) {
    throw new CitewellError("PackageNotFound", `the project patches ${name}, and it is not installed`, {
      hint: `install it, so that it is read with the patch, or name a version to read without it: npm:${name}@${version ?? "latest"}`,
    });
  }
  if (locked?.type === "published") {
    const integrity = locked.integrity !== undefined && isIntegrity(locked.integrity) ? locked.integrity : undefined;
    const wanted = { name: locked.name, version: locked.version, integrity };
    return { type: "published", wanted, origin: `from ${file}${aliasNote(name, locked.name)}`, isLocked: true };
  }
  if (specified?.type !== "registry") return undefined;
  const range = isExact(specified.version) ? `from ${by}` : `${specified.version} of ${by}`;
  return { type: "published", wanted: specified, origin: `${range}${aliasNote(name, specified.name)}` };
}

/** A package that the project patches is not the published one, whatever checksum is recorded for it. */
function describeInstalled(name: string, installed: Installed, declared: Declared): VersionChoice {
  const isPatched = declared.isPatched(installed.version);
  return {
    type: "installed",
    installed: isPatched ? { ...installed, integrity: undefined } : installed,
    origin: `installed in node_modules${aliasNote(name, installed.name)}${isPatched ? ", patched" : ""}`,
  };
}

/** pnpm writes an alias as `workspace:other@*`. */
function memberName(name: string, specifier: string): string {
  return /^workspace:((?:@[^/@]+\/)?[^/@]+)@/.exec(specifier)?.[1] ?? name;
}

/** Whether the request is for an exact version: published versions never change. */
export function isExact(version: string): boolean {
  return semver.valid(version, { loose: true }) !== null;
}
