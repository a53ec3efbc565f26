import { CitewellError } from "../../errors.ts";
import { formatAge } from "../../lib/age.ts";
import type { FetchSettings } from "../../lib/fetch.ts";
import { type PackageType, packageReference } from "../../protocol/kinds/names.ts";
import { packageKinds } from "../../protocol/kinds/packages.ts";
import type { RefreshPolicy } from "../../protocol/resource-fields.ts";
import type { ContentRevisions } from "../content-revision.ts";
import type { StoredTree } from "../shelf.ts";
import type { OpenOptions } from "../kind-source.ts";
import { permalinkOf } from "../git/permalink.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Source } from "../source.ts";
import type { StoredState } from "../source-store.ts";
import type { Store } from "../store.ts";
import { openTree, snapshotOf } from "../tree.ts";
import { type Walk, walkTree } from "../walk.ts";
import type {
  Ecosystem,
  Installed,
  InstalledChoice,
  ListedVersion,
  Registry,
  RegistryReach,
  RepositoryCommit,
  VersionChoice,
} from "./ecosystem.ts";
import { revisionOf, revisionOfHash, versionOfRevision } from "./integrity.ts";
import type { PackageLocation } from "./package-location.ts";
import { createPublishedSource } from "./published-source.ts";

/** A package to read, with its name in answers. */
export interface PackageSpec {
  name: string;
  package: string;
  /** A version, range or tag. Default: the workspace's version. */
  version?: string | null | undefined;
  notes?: string | null | undefined;
}

/** Opens packages of one ecosystem. */
export interface Packages {
  /**
   * @throws PackageNotFound, PackageUnreadable, VersionNotFound, IntegrityMismatch, RegistryFailed, RegistryTimeout,
   * StorageFailed, LockTimeout
   */
  open(
    spec: PackageSpec,
    options: OpenOptions & {
      /** Whether to store it in the cache of one-offs. */
      isOneOff: boolean;
      /** Applies to ranges and tags; a version is fetched once. */
      refresh: RefreshPolicy;
    },
  ): Promise<Snapshot>;
  /** The package on disk: installed, else of the given or the current revision; undefined if there is none. */
  openStored(
    spec: PackageSpec,
    options: { isOneOff?: boolean; revision?: string | undefined; signal: AbortSignal },
  ): Promise<Snapshot | undefined>;
  /** Fetches the newest revision; installed packages and versions on disk are kept. @throws as `open` */
  refresh(spec: PackageSpec, options: OpenOptions): Promise<void>;
  /** The versions in the registry, the highest first. @throws PackageNotFound, RegistryFailed, RegistryTimeout */
  listVersions(spec: PackageSpec, options: { signal: AbortSignal }): Promise<ListedVersion[]>;
  /** The state on disk, without contacting a registry. */
  describe(spec: PackageSpec, options: { refresh: RefreshPolicy; signal: AbortSignal }): Promise<StoredState>;
}

/** The dependencies of `createPackages`. */
export interface PackagesOptions {
  /** The places of the workspace and the package manager's configuration. */
  location: PackageLocation;
  /** Network settings that this configuration does not set. Called when a registry is needed: reading them is slow. */
  network: () => Promise<FetchSettings>;
  store: Store;
  revisions: ContentRevisions;
  /** Fetches a commit, as a resource of the kind `git` would. */
  commitSource: (commit: RepositoryCommit) => Source;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Sources that are unpacked into the store before they are read. */
type Unpacked = Exclude<VersionChoice, { type: "installed" }>;

/**
 * Reads packages from the installation, else from an archive on disk, else fetches them as the user's package manager
 * would.
 */
export function createPackages(
  ecosystem: Ecosystem,
  { location, network, store, revisions, commitSource, now }: PackagesOptions,
): Packages {
  const { type, isExact, exclude } = ecosystem;
  const choose = (spec: PackageSpec) => chooseFor(ecosystem, spec, location);
  return {
    async open(spec, { isOneOff, refresh, ...options }) {
      const { signal } = options;
      const choice = await choose(spec);
      if (choice.type === "installed") return openInstalled(choice, { spec, signal });
      const tree = await store.open(await sourceOf(choice), {
        refresh: refreshOf(choice, refresh),
        ...(isOneOff ? { oneOff: spec.name } : {}),
        ...options,
      });
      return openStored(tree, { spec, choice, signal });
    },

    async openStored(spec, { signal, ...wanted }) {
      const choice = await choose(spec);
      if (choice.type === "installed") return openInstalled(choice, { spec, signal });
      const { key } = await sourceOf(choice);
      const tree = await store.openStored(key, { ...wanted, signal });
      return tree === undefined ? undefined : openStored(tree, { spec, choice, signal });
    },

    async refresh(spec, options) {
      const choice = await choose(spec);
      if (choice.type === "installed") return;
      const source = await sourceOf(choice);
      const isFixed = refreshOf(choice, "always") === "manual";
      if (isFixed && (await store.describe(source.key, { refresh: "manual" })).revision !== null) return;
      await store.refresh(source, options);
    },

    async listVersions(spec, { signal }) {
      const choice = await choose(spec);
      const name = nameIn(choice);
      if (ecosystem.openRegistry === undefined) {
        throw new CitewellError("RegistryFailed", `no registry is asked for ${packageReference(type, name)}`, {
          hint: "packages of its kind are read where they are installed",
        });
      }
      return (await registryOf(ecosystem, name, { location, network: await network() })).list(name, { signal });
    },

    async describe(spec, { refresh, signal }) {
      try {
        const choice = await choose(spec);
        if (choice.type === "installed") {
          const { walk, revision } = await readInstalled(choice.installed, { signal });
          const sizeBytes = walk.files.reduce((sum, file) => sum + file.sizeBytes, 0);
          return { state: "ready", revision, fetchedAt: null, sizeBytes, fileCount: walk.files.length, failure: null };
        }
        const { key } = await sourceOf(choice);
        const stored = await store.describe(key, { refresh: refreshOf(choice, refresh) });
        const installedVersion = otherVersion(choice, stored.revision);
        return installedVersion === undefined ? stored : { ...stored, installedVersion };
      } catch (error) {
        // A failed look-up must not hide the other packages of a list.
        if (!(error instanceof CitewellError)) throw error;
        const failure = error.message;
        return { state: "failed", revision: null, fetchedAt: null, sizeBytes: null, fileCount: null, failure };
      }
    },
  };

  async function sourceOf(choice: Unpacked): Promise<Source> {
    if (choice.type === "cached")
      return "key" in choice.source ? choice.source : builtFrom(choice.source, choice.cached);
    const { wanted, origin } = choice;
    const registry = await registryOf(ecosystem, wanted.name, { location, network: await network() });
    const source = createPublishedSource(type, wanted, registry);
    return isExact(wanted.version)
      ? { ...source, resolving: `taking ${wanted.name} ${wanted.version} ${origin}` }
      : source;
  }

  /** Packages of one version are often built from one commit, which is fetched once. */
  function builtFrom({ commit, url }: RepositoryCommit, { version }: { version: string }): Source {
    const source = commitSource({ commit, url });
    return {
      ...source,
      key: [type, version, source.key].join("\n"),
      resolve: async (options) => revisionOfHash(version, await source.resolve(options)),
      fetch: (directory, options) => source.fetch(directory, { ...options, revision: commit }),
    };
  }

  function labelOf(choice: Unpacked, { revision, fetchedAt }: StoredTree): string {
    const { name } = choice.type === "cached" ? choice.cached : choice.wanted;
    const isPinned = refreshOf(choice, "daily") === "manual";
    const age = isPinned ? "" : `, fetched ${formatAge(now() - Date.parse(fetchedAt))}`;
    const other = otherVersion(choice, revision);
    const installed = other === undefined ? "" : `; ${other} is installed here`;
    return `${name} ${versionOfRevision(revision)} (${choice.origin}${age}${installed})`;
  }

  async function openInstalled(
    { installed, origin }: InstalledChoice,
    { spec, signal }: { spec: PackageSpec; signal: AbortSignal },
  ): Promise<Snapshot> {
    const { walk, revision } = await readInstalled(installed, { signal });
    const label = `${installed.name} ${installed.version} (${origin})`;
    const info = { resource: spec.name, type, revision, label, fetchedAt: null };
    return snapshotOf(installed.folder, walk, { info, notes: spec.notes, isLiving: true });
  }

  /** The revision is the checksum of the installed archive if known, else that of the contents of the files. */
  async function readInstalled(
    { folder, version, integrity, exclude: others = exclude }: Installed,
    { signal }: { signal: AbortSignal },
  ): Promise<{ walk: Walk; revision: string }> {
    const walk = await walkTree(folder, { exclude: others, signal });
    if (integrity !== undefined) return { walk, revision: revisionOf(version, integrity) };
    return { walk, revision: revisionOfHash(version, await revisions.of(folder, walk.files, { signal })) };
  }

  function refreshOf(choice: Unpacked, refresh: RefreshPolicy): RefreshPolicy {
    return choice.type === "cached" || isExact(choice.wanted.version) ? "manual" : refresh;
  }

  async function openStored(
    tree: StoredTree,
    { spec, choice, signal }: { spec: PackageSpec; choice: Unpacked; signal: AbortSignal },
  ): Promise<Snapshot> {
    const { directory, walk, revision, fetchedAt, stale, skipped, isPrivate, diskBytes } = tree;
    const release = async () => tree[Symbol.asyncDispose]();
    const built = choice.type === "cached" && "commit" in choice.source ? choice.source : undefined;
    const label = labelOf(choice, tree);
    try {
      return await openTree(directory, {
        walk,
        info: { resource: spec.name, type, revision, label, fetchedAt, ...(stale ? { stale } : {}) },
        notes: spec.notes,
        exclude,
        alsoSkipped: skipped,
        isPrivate,
        diskBytes,
        permalink: (path, lines) => built && permalinkOf(built.url, built.commit, path, lines),
        release,
        signal,
      });
    } catch (error) {
      await release();
      throw error;
    }
  }
}

/**
 * A service for others reads packages from registries only, and nothing that is installed or cached on its computer.
 * @throws ResourceNotOffered
 */
async function chooseFor(ecosystem: Ecosystem, spec: PackageSpec, location: PackageLocation): Promise<VersionChoice> {
  const { type } = ecosystem;
  if (location.isAnonymous !== true) return ecosystem.choose(spec, location);
  requireOffered({ type, package: spec.package });
  const choice = await ecosystem.choose(spec, location);
  if (choice.type === "published") return choice;
  throw new CitewellError("ResourceNotOffered", `${packageReference(type, spec.package)} is not read from a registry`, {
    hint: "add its repository instead",
  });
}

/**
 * Refuses the standard library, which a service for others does not read from its computer.
 * @throws ResourceNotOffered
 */
export function requireOffered({ type, package: name }: { type: PackageType; package: string }): void {
  const { standardLibrary } = packageKinds[type];
  if (standardLibrary?.includes(name) !== true) return;
  const { label, repository } = standardLibrary;
  throw new CitewellError(
    "ResourceNotOffered",
    `this service does not offer ${label} (${packageReference(type, name)}), which it would read from its own computer`,
    { hint: `add its repository instead: ${repository}` },
  );
}

/**
 * The newest version of a package in the user's registry.
 * @throws PackageNotFound, VersionNotFound, RegistryFailed, RegistryTimeout
 */
export async function latestVersion(
  ecosystem: Ecosystem,
  name: string,
  { signal, ...reach }: RegistryReach & { signal: AbortSignal },
): Promise<string> {
  const registry = await registryOf(ecosystem, name, reach);
  const { version } = await registry.find({ name, version: "latest" }, { withPages: false, signal });
  return version;
}

/**
 * Contacts the user's registry if a package would be fetched from it, and fails unless it has the version.
 * @throws PackageNotFound, VersionNotFound, RegistryFailed, RegistryTimeout
 */
export async function requirePublished(
  ecosystem: Ecosystem,
  spec: Pick<PackageSpec, "package" | "version">,
  { location, network, signal }: Pick<PackagesOptions, "location" | "network"> & { signal: AbortSignal },
): Promise<void> {
  const choice = await ecosystem.choose(spec, location);
  if (choice.type !== "published") return;
  const registry = await registryOf(ecosystem, choice.wanted.name, { location, network: await network() });
  await registry.find(choice.wanted, { withPages: false, signal });
}

async function registryOf(ecosystem: Ecosystem, name: string, reach: RegistryReach): Promise<Registry> {
  const registry = await ecosystem.openRegistry?.(name, reach);
  if (registry !== undefined) return registry;
  throw new CitewellError("PackageNotFound", `${name} is not installed, and no registry is asked for it`, {
    hint: ecosystem.onDisk.fix,
  });
}

/** The name in the registry: an alias is none. */
function nameIn(choice: VersionChoice): string {
  if (choice.type === "installed") return choice.installed.name;
  return choice.type === "cached" ? choice.cached.name : choice.wanted.name;
}

/** The installed version, if it differs from the requested one. */
function otherVersion(choice: Unpacked, revision: string | null): string | undefined {
  if (choice.type === "cached" || choice.installedVersion === undefined || revision === null) return undefined;
  return choice.installedVersion === versionOfRevision(revision) ? undefined : choice.installedVersion;
}
