import path from "node:path";
import { aliasNote, fromRegistry, notPublished } from "../choices.ts";
import type { PublishedChoice, RequestedPackage, VersionChoice } from "../ecosystem.ts";
import { integrityOf } from "../integrity.ts";
import { foldersOf, type PackageLocation } from "../package-location.ts";
import { type CargoConfig, cratesIo, readCargoConfig } from "./cargo-config.ts";
import { type LockedCrate, usedBy } from "./lockfile.ts";
import { type CargoProject, type CrateDependency, createFinder, openProject } from "./manifest.ts";
import { normalizeName } from "./names.ts";
import { findCheckout, findOnDisk } from "./places.ts";
import { findStandardLibrary } from "./standard-library.ts";
import { isExact, isSameVersion, satisfies, toWanted } from "./requirements.ts";

/** The projects of the open folders, and Cargo's configuration around each: read once for a list of dependencies. */
export interface CargoWorkspaces {
  projects: readonly { project: CargoProject; config: CargoConfig; location: PackageLocation }[];
  /** The configuration around the working directory. */
  config: CargoConfig;
  location: PackageLocation;
}

export async function openWorkspaces(location: PackageLocation): Promise<CargoWorkspaces> {
  const opened = foldersOf(location).map(async (cwd) => {
    const project = await openProject(cwd);
    const around = { ...location, cwd };
    return project === undefined ? [] : [{ project, config: await readCargoConfig(around), location: around }];
  });
  return { projects: (await Promise.all(opened)).flat(), config: await readCargoConfig(location), location };
}

/** @throws PackageNotFound (the project has another origin for the crate, and it is not on disk) */
export async function chooseVersion(requested: RequestedPackage, location: PackageLocation): Promise<VersionChoice> {
  return (await findStandardLibrary(requested, location)) ?? chooseFrom(requested, await openWorkspaces(location));
}

/**
 * The requested version, else the one of `Cargo.lock`, else what `Cargo.toml` asks for, else `latest`: of a crate at
 * several versions the one that the crate around the asking folder uses. A folder of the project is read in place.
 */
export async function chooseFrom(
  { package: name, version }: RequestedPackage,
  { projects, config, location }: CargoWorkspaces,
): Promise<VersionChoice> {
  let other: LockedCrate | undefined;
  for (const each of projects) {
    const { project } = each;
    if (!version) {
      const found = await chooseIn(name, each);
      if (found !== undefined) return found;
      continue;
    }
    const locked = (await project.lock())?.named(name) ?? [];
    const same = locked.find((crate) => isSameVersion(crate.version, version));
    if (same?.source !== undefined) return placeOf(same, { ...each, origin: "from Cargo.lock" });
    const own = same === undefined ? undefined : await chooseIn(name, each);
    if (own?.type === "installed") return own;
    other ??= locked[0];
  }
  const wanted = { name: other?.name ?? name, version: version || "latest" };
  if (isExact(wanted.version) && location.isAnonymous !== true) {
    const origin = config.originOf(cratesIo);
    const sought = { ...wanted, checksum: undefined };
    const found = origin === undefined ? undefined : await findOnDisk(sought, { origin, location });
    if (found !== undefined) return found;
  }
  return fromRegistry(wanted.name, version, { isExact, installedVersion: other?.version });
}

const fetching = "run cargo fetch";

interface Asking {
  project: CargoProject;
  config: CargoConfig;
  location: PackageLocation;
}

/** Undefined if nothing in the project names the crate. */
async function chooseIn(name: string, asking: Asking): Promise<VersionChoice | undefined> {
  const { project, location } = asking;
  const declared = await findDeclared(name, project);
  const real = declared?.name ?? name;
  const alias = aliasNote(name, real, normalizeName);
  const locked = await pickLocked(real, { declared, project });
  if (locked?.picked.source === undefined) {
    const folder = await findFolder(real, { declared, project });
    if (folder !== undefined) {
      const at = path.relative(location.cwd, folder.folder).split(path.sep).join("/") || ".";
      const installed = { ...folder, integrity: undefined };
      return { type: "installed", installed, origin: `read in place, ${at}${alias}` };
    }
  }
  if (locked?.picked.source !== undefined) {
    const others = locked.others.length === 0 ? "" : `; other versions: ${locked.others.join(", ")}`;
    const place = await placeOf(locked.picked, { ...asking, origin: `from Cargo.lock${alias}` });
    return { ...place, origin: `${place.origin}${others}` };
  }
  if (declared === undefined) return undefined;
  const elsewhere = declared.git ?? declared.folder;
  if (elsewhere !== undefined) throw notPublished(declared.name, { by: "Cargo.toml", origin: elsewhere, fetching });
  const version = toWanted(declared.requirement);
  const origin = isExact(version) ? "from Cargo.toml" : `${version} of Cargo.toml`;
  return { type: "published", wanted: { name: declared.name, version }, origin: `${origin}${alias}` };
}

/** The dependency of the crate around, else of the workspace, that a name or an alias means. */
export async function findDeclared(name: string, project: CargoProject): Promise<CrateDependency | undefined> {
  return createFinder(project.crate.dependencies)(name) ?? project.find(name);
}

/**
 * The entry that the crate around uses, and the other versions. Where another crate of the workspace alone declares the
 * name, its requirement counts only if the crate around does not use it at all, or if the name is an alias.
 */
async function pickLocked(
  name: string,
  { declared, project }: { declared: CrateDependency | undefined; project: CargoProject },
): Promise<{ picked: LockedCrate; others: string[] } | undefined> {
  const { crate } = project;
  const lock = await project.lock();
  const all = lock?.named(name) ?? [];
  if (lock === undefined || all.length === 0) return undefined;
  const around = lock.locals.filter((it) => it.name === crate.name);
  const used = usedBy(lock, around.length === 0 ? lock.locals : around, name);
  const isAllowed = ({ version }: LockedCrate) => !declared?.requirement || satisfies(version, declared.requirement);
  const isOwn = declared !== undefined && crate.dependencies.includes(declared);
  const isAlias = declared !== undefined && normalizeName(declared.alias) !== normalizeName(declared.name);
  const [picked] = [
    ...(isOwn || isAlias ? [...used, ...all].filter(isAllowed) : []),
    ...used,
    ...all.filter(isAllowed),
    ...all,
  ];
  if (picked === undefined) return undefined;
  return { picked, others: all.filter((it) => it !== picked).map(({ version }) => version) };
}

/** The folder of a crate that the project has itself, or takes from a path. */
async function findFolder(
  name: string,
  { declared, project }: { declared: CrateDependency | undefined; project: CargoProject },
): Promise<{ folder: string; name: string; version: string } | undefined> {
  const locals = await project.locals();
  const found =
    locals.find(({ folder }) => folder === declared?.folder) ??
    locals.find((crate) => crate.name !== undefined && normalizeName(crate.name) === normalizeName(name));
  if (found?.name === undefined) return undefined;
  return { folder: found.folder, name: found.name, version: found.version ?? "0.0.0" };
}

/** Where an entry of the lockfile is: on disk, else published. @throws PackageNotFound (from git, and not on disk) */
async function placeOf(
  { name, version, source = "", checksum }: LockedCrate,
  { config, location, origin }: Asking & { origin: string },
): Promise<VersionChoice> {
  const replaced = config.originOf(source);
  const found =
    replaced === undefined
      ? await findCheckout({ name, version, source }, location)
      : await findOnDisk({ name, version, checksum }, { origin: replaced, location });
  if (found !== undefined) return { ...found, origin: `${origin}, ${found.origin}` };
  const address = source.replace(/^[a-z]+\+|[?#].*$/g, "");
  if (replaced === undefined) throw notPublished(name, { by: "Cargo.lock", origin: address, fetching });
  const integrity = checksum === undefined ? undefined : integrityOf([`sha256:${checksum}`]);
  const published: PublishedChoice = { type: "published", wanted: { name, version, integrity }, origin };
  return { ...published, isLocked: true };
}
