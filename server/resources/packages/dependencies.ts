import { messageOf } from "../../errors.ts";
import { kindOf } from "../../protocol/kinds/kinds.ts";
import { packageReference, type PackageType, packageTypes } from "../../protocol/kinds/names.ts";
import { ResourceName } from "../../protocol/resource-fields.ts";
import type { AskedFor, Ecosystem, VersionChoice } from "./ecosystem.ts";
import { ecosystems } from "./ecosystems.ts";
import { namedLimit } from "./named-in-text.ts";
import { foldersOf, type PackageLocation } from "./package-location.ts";
import { isPackageMissing } from "./registry-client.ts";

/** A package that the workspace depends on. */
export interface Dependency {
  type: PackageType;
  /** As a reference names it. */
  name: string;
  /** The package's real name, if it is known: an alias is installed under another one. */
  package: string;
  /** The installed version, else that of the lockfile; undefined if neither is known. */
  version: string | undefined;
  /** The version, range or tag that the manifest asks for, if neither is known. */
  wanted: string | undefined;
  /** Whether a reference without a version means this one, from the folder of the location. */
  isUsual: boolean;
}

/** A dependency that cannot be a resource. */
export interface SkippedDependency {
  name: string;
  reason: string;
}

/** What the workspace depends on. */
export interface Dependencies {
  usable: readonly Dependency[];
  skipped: readonly SkippedDependency[];
}

/** A dependency that a text names. */
export interface NamedDependency {
  type: PackageType;
  name: string;
  /** The installed version. */
  version: string;
}

/** The dependencies of the open projects in every ecosystem; undefined without a manifest of any. */
export async function readDependencies(location: PackageLocation): Promise<Dependencies | undefined> {
  const read = await Promise.all(packageTypes.map((type) => dependenciesOf(ecosystems[type], location)));
  const found = read.filter((list) => list !== undefined);
  if (found.length === 0) return undefined;
  return { usable: found.flatMap(({ usable }) => usable), skipped: found.flatMap(({ skipped }) => skipped) };
}

/** The installed dependencies of the open projects that a text names, in every ecosystem. */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const found = await Promise.all(packageTypes.map((type) => dependenciesNamedIn(text, ecosystems[type], location)));
  return found.flat();
}

/**
 * The dependencies of the open projects in one ecosystem, by name. The first project that depends on a package decides its
 * version, as where it is opened; an ecosystem that builds with several has the others as `syn-1.0.109`.
 */
export async function dependenciesOf(
  ecosystem: Ecosystem,
  location: PackageLocation,
): Promise<Dependencies | undefined> {
  const list = await ecosystem.dependencies(location);
  if (list === undefined) return undefined;
  const { asked, usual = (name) => ecosystem.choose({ package: name }, location) } = list;
  const byName = new Map<string, AskedFor[]>();
  for (const one of asked) {
    const known = byName.get(one.name);
    if (known === undefined) byName.set(one.name, [one]);
    else if (ecosystem.hasSeveralVersions === true) known.push(one);
  }
  const sorted = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const described = sorted.map(async ([name, each]) => {
    const usually = chosen(ecosystem, name, usual(name)).catch(() => undefined);
    return distinct(await Promise.all(each.map((it) => describe(it, { ecosystem, usually }))));
  });
  const all = (await Promise.all(described)).flat();
  return { usable: all.filter((it) => "package" in it), skipped: all.filter((it) => "reason" in it) };
}

/** The installed dependencies of the open projects that a text names, in one ecosystem. */
export async function dependenciesNamedIn(
  text: string,
  ecosystem: Ecosystem,
  location: PackageLocation,
): Promise<NamedDependency[]> {
  const { type } = ecosystem;
  const isNamed = ecosystem.nameTest(text);
  const found = new Map<string, NamedDependency>();
  for (const cwd of foldersOf(location)) {
    const around = { ...location, cwd, folders: [] };
    for (const dependency of await ecosystem.namesNear(around)) {
      const { name } = dependency;
      if (found.size === namedLimit || found.has(name) || !isNamed(dependency)) continue;
      const choice = await ecosystem.choose({ package: name }, around).catch(() => undefined);
      if (choice === undefined || choice.type === "published") continue;
      const { version } = choice.type === "installed" ? choice.installed : choice.cached;
      found.set(name, { type, name, version });
    }
  }
  return [...found.values()];
}

type Chosen = Pick<Dependency, "package" | "version" | "wanted">;

/** A version where it is on disk or locked, else what the manifest asks for. */
async function chosen({ hasAliases }: Ecosystem, name: string, choosing: Promise<VersionChoice>): Promise<Chosen> {
  const choice = await choosing;
  const found =
    choice.type === "published" ? choice.wanted : choice.type === "cached" ? choice.cached : choice.installed;
  const isRange = choice.type === "published" && choice.isLocked !== true;
  const [version, wanted] = isRange ? [undefined, found.version] : [found.version, undefined];
  return { package: hasAliases === true ? found.name : name, version, wanted };
}

async function describe(
  { name, reason, choose, faultOf }: AskedFor,
  { ecosystem, usually }: { ecosystem: Ecosystem; usually: Promise<Chosen | undefined> },
): Promise<Dependency | SkippedDependency> {
  if (reason !== undefined) return { name, reason };
  const { type } = ecosystem;
  if (!canBeResource(type, name)) return { name, reason: "no resource can have this name" };
  try {
    const found = await chosen(ecosystem, name, choose());
    const usual = await usually;
    const isUsual =
      usual?.package === found.package && usual.version === found.version && usual.wanted === found.wanted;
    const fault = isUsual ? undefined : await faultOf?.(found.version);
    return fault === undefined ? { type, name, ...found, isUsual } : { name, reason: fault };
  } catch (error) {
    if (isPackageMissing(error)) return { name, reason: messageOf(error) };
    throw error;
  }
}

function canBeResource(type: PackageType, name: string): boolean {
  const kind = kindOf({ type });
  const reference = { type, canonical: packageReference(type, name), package: name };
  return kind.faultOf?.(reference) === undefined && ResourceName.safeParse(kind.suggestName(reference)).success;
}

/** One of each version, the usual one first. */
function distinct(found: readonly (Dependency | SkippedDependency)[]): (Dependency | SkippedDependency)[] {
  const usable = found.filter((it) => "package" in it).toSorted((a, b) => Number(b.isUsual) - Number(a.isUsual));
  const byVersion = new Map(usable.toReversed().map((it) => [`${it.package} ${it.version} ${it.wanted}`, it]));
  const [first, ...others] = [...byVersion.values()].toReversed();
  if (first === undefined) return found.slice(0, 1);
  return [
    first,
    ...others.flatMap((it) => (it.version === undefined ? [] : [{ ...it, name: `${it.name}-${it.version}` }])),
  ];
}
