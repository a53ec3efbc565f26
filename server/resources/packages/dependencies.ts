import { type PackageType, packageTypes } from "../../protocol/kinds/names.ts";
import { ecosystems } from "./ecosystems.ts";
import type { PackageLocation } from "./package-location.ts";

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
  const read = await Promise.all(packageTypes.map((type) => ecosystems[type].dependencies(location)));
  const found = read.filter((list) => list !== undefined);
  if (found.length === 0) return undefined;
  return { usable: found.flatMap(({ usable }) => usable), skipped: found.flatMap(({ skipped }) => skipped) };
}

/** The installed dependencies of the open projects that a text names, in every ecosystem. */
export async function findNamedDependencies(text: string, location: PackageLocation): Promise<NamedDependency[]> {
  const found = await Promise.all(packageTypes.map((type) => ecosystems[type].dependenciesNamedIn(text, location)));
  return found.flat();
}
