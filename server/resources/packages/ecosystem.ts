import type { FetchSettings } from "../../lib/fetch.ts";
import type { PackageType } from "../../protocol/kinds/names.ts";
import type { Source } from "../source.ts";
import type { Exclude } from "../walk.ts";
import type { PackageLocation } from "./package-location.ts";
import type { DownloadOptions } from "./registry-client.ts";

/**
 * What the engine (`packages.ts`) has to know of one ecosystem: which version a project means and where it is, how a
 * registry is asked, and what a project depends on. `ecosystems.ts` lists them.
 */
export interface Ecosystem {
  type: PackageType;
  /** @throws PackageNotFound (the project has another origin for the package, and it is not on disk) */
  choose(requested: RequestedPackage, location: PackageLocation): Promise<VersionChoice>;
  /**
   * The name of a package at a version or a query for one, where its major versions have names of their own:
   * `example.com/pkg/v2`. Absent where a package keeps its name.
   */
  nameAt?(name: string, version: string): string;
  /** Whether the request is for an exact version: published versions never change. */
  isExact(version: string): boolean;
  /**
   * The registry of a package. Reads the configuration each time: it may have changed since the last question. Absent where
   * a package is only read where it is on disk.
   */
  openRegistry?(name: string, reach: RegistryReach): Promise<Registry>;
  /** What is on this computer, for `doctor`. */
  onDisk: PackagesOnDisk;
  /** What of a package's folder is not its own. */
  exclude?: Exclude;
  /** How code names packages. */
  imports: ImportForms;
  /**
   * What asks for a package, by the metadata of what is installed; undefined if the project around `cwd` does not use it.
   * Absent where lockfiles have it.
   */
  dependentsOf?(name: string, location: PackageLocation): Promise<DependentsList | undefined>;
  /**
   * What the open projects and their members depend on directly, in the order in which they decide a version; undefined
   * without a manifest.
   */
  dependencies(location: PackageLocation): Promise<AskedForList | undefined>;
  /** Whether a project may build with several versions of a package, which are all listed. */
  hasSeveralVersions?: boolean;
  /** Whether a manifest may give a package another name than its own. */
  hasAliases?: boolean;
  /**
   * The dependencies of the project around one folder, for `nameTest`. It runs with every question: it reads the nearest
   * manifests alone.
   */
  namesNear(location: PackageLocation): Promise<readonly NearDependency[]>;
  /** The test whether a text names a dependency; `named-in-text.ts` has the usual one. */
  nameTest(text: string): (dependency: NearDependency) => boolean;
}

export interface PackagesOnDisk {
  /** What the packages are called: "Ruby gems". */
  noun: string;
  /** How they come to be on disk. */
  fix: string;
  /** Where a project's are, in words, each with its absolute path; empty if nothing is installed. */
  places(location: PackageLocation): Promise<string[]>;
}

export interface AskedForList {
  asked: readonly AskedFor[];
  /** As `choose` of the ecosystem without a version, from what was read for the list. */
  usual?(name: string): Promise<VersionChoice>;
}

/** A dependency in a manifest. */
export interface AskedFor {
  name: string;
  /** What the name means there. @throws PackageNotFound, as `choose` of the ecosystem */
  choose(): Promise<VersionChoice>;
  /** Why it is none that can be added: it is the project's own. */
  reason?: string;
  /** Why it cannot be added under a name that usually means another version, which is in none. */
  faultOf?(version: string | undefined): Promise<string | undefined>;
}

export interface NearDependency {
  name: string;
  /** Whether only other dependencies need it. */
  isIndirect?: boolean;
}

/** What asks for a package that a project uses. */
export interface DependentsList {
  /** The full name of the package. */
  name: string;
  /** The project itself has no version. `file` has the requirement. */
  by: readonly { name: string; version: string | undefined; wanted: string | undefined; file: string }[];
}

export interface ImportForms {
  /** The tags of the languages whose imports name packages of this ecosystem. */
  languages: readonly string[];
  /** What `choose` may know the package of a module by, likeliest first; `name` is what is imported from the module. */
  packagesOf(module: string, name: string): string[];
}

export interface RequestedPackage {
  package: string;
  /** A version, range or tag. Default: the workspace's version. */
  version?: string | null | undefined;
}

/** The version of a package to read, and where it was found, in words. */
export type VersionChoice = InstalledChoice | CachedChoice | PublishedChoice;

export interface InstalledChoice {
  type: "installed";
  installed: Installed;
  origin: string;
}

/**
 * An archive on disk, which is unpacked into the store before it is read; or the commit that a package on disk was built
 * from, where the package has no source.
 */
export interface CachedChoice {
  type: "cached";
  cached: { name: string; version: string };
  source: Source | RepositoryCommit;
  origin: string;
}

/** A commit of a git repository. */
export interface RepositoryCommit {
  url: string;
  /** All of it, in lower case. */
  commit: string;
}

export interface PublishedChoice {
  type: "published";
  wanted: Wanted;
  origin: string;
  installedVersion?: string | undefined;
  /** Whether a lockfile has the version; a manifest has only a range. */
  isLocked?: boolean;
  /** Whether neither the request nor the project says a version: it is the newest. */
  isUnasked?: boolean;
}

/** An installed package. */
export interface Installed {
  /** The real path of its folder. */
  folder: string;
  /** Its own name: an alias is installed under another one. */
  name: string;
  version: string;
  /** The integrity of its archive, if the installation recorded it. */
  integrity: string | undefined;
  /** What of the folder is not its own. Default: the ecosystem's. */
  exclude?: Exclude;
}

/** A package version to fetch. */
export interface Wanted {
  name: string;
  /** A version, range or tag. */
  version: string;
  /** The lockfile's checksums for that version. The archive must have one of them. */
  integrity?: string | undefined;
}

export interface RegistryReach {
  location: PackageLocation;
  /** Network settings that the package manager's configuration does not set. */
  network: FetchSettings;
}

/** A registry, contacted as the user's package manager would. */
export interface Registry {
  /** What identifies it in keys of the store: registries with the same have the same packages. */
  readonly id: string;
  /**
   * The release for a version, range or tag; with `withPages` also what its pages need.
   * @throws PackageNotFound, VersionNotFound, PackageUnreadable (too large), RegistryFailed, RegistryTimeout
   */
  find(wanted: Wanted, options: { withPages: boolean; signal: AbortSignal }): Promise<Release>;
  /**
   * The versions of a package that were not withdrawn, the highest first.
   * @throws as `find`
   */
  list(name: string, options: { signal: AbortSignal }): Promise<ListedVersion[]>;
}

/** A version in a registry's list. */
export interface ListedVersion {
  version: string;
  /** The ISO day of its publication; undefined where the list does not say it. */
  date: string | undefined;
}

/** A published version. */
export interface Release {
  version: string;
  /** The checksums of the archive, as subresource integrity. */
  integrity: string;
  /** A tarball is unpacked without its top folder. */
  archive: "tarball" | "zip";
  /** The folder of a zip, with a slash at its end, that has the package's files. Default: all of it. */
  folder?: string;
  /**
   * Writes the archive to a file, and checks it.
   * @throws IntegrityMismatch, PackageUnreadable (too large), RegistryFailed, RegistryTimeout
   */
  download(file: string, options: DownloadOptions): Promise<void>;
  /** Writes the content of the version's registry page beside its files, which are already in `directory`. */
  writePages(directory: string): Promise<void>;
}
