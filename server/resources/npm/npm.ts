import { CitewellError } from "../../errors.ts";
import { createFetch, type FetchSettings } from "../../lib/fetch.ts";
import type { RefreshPolicy } from "../../protocol/resource.ts";
import { createContentRevisions } from "../content-revision.ts";
import type { StoredTree } from "../shelf.ts";
import type { Snapshot } from "../snapshot.ts";
import type { OnProgress, Source } from "../source.ts";
import type { Store, StoredState } from "../store.ts";
import { openTree, snapshotOf } from "../tree.ts";
import { type Walk, walkTree } from "../walk.ts";
import { excludeNestedPackages, type Installed } from "./installed.ts";
import { revisionOf, revisionOfHash, versionOfRevision } from "./integrity.ts";
import { readNpmConfig } from "./npm-config.ts";
import type { NpmConfigLocation } from "./npm-places.ts";
import { createNpmSource, type Wanted } from "./npm-source.ts";
import { pickVersion } from "./packument.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { chooseVersion, isExact } from "./version-choice.ts";

/** A package to read, under the name that answers give it. */
export interface NpmSpec {
  name: string;
  package: string;
  /** A version, range or tag; without one, that of the workspace. */
  version?: string | null | undefined;
  notes?: string | null | undefined;
}

export interface Npm {
  /**
   * @throws PackageNotFound, VersionNotFound, IntegrityMismatch, RegistryFailed, RegistryTimeout, StorageFailed,
   * LockTimeout
   */
  open(
    spec: NpmSpec,
    options: {
      /** Whether what is fetched goes when the snapshot does. */
      isOneOff: boolean;
      /** For ranges and tags; a version is fetched once. */
      refresh: RefreshPolicy;
      signal: AbortSignal;
      onProgress?: OnProgress | undefined;
    },
  ): Promise<Snapshot>;
  /** How it stands, without asking a registry. */
  describe(spec: NpmSpec, options: { refresh: RefreshPolicy; signal: AbortSignal }): Promise<StoredState>;
}

export interface NpmOptions {
  /** Where the workspace and npm's configuration are looked for. */
  location: NpmConfigLocation;
  /** How the network is reached where npm's configuration says nothing about it. */
  network: FetchSettings;
  store: Store;
}

/** Packages: read from the workspace where they are installed, else fetched as the user's npm would. */
export function createNpm({ location, network, store }: NpmOptions): Npm {
  const contentRevisions = createContentRevisions();
  return {
    async open(spec, { isOneOff, refresh, signal, onProgress }) {
      const choice = await chooseVersion(spec, location);
      if (choice.type === "installed") {
        const { installed, origin } = choice;
        const { walk, revision } = await readInstalled(installed, { signal });
        const label = `${installed.name} ${installed.version} (${origin})`;
        const info = { resource: spec.name, type: "npm", revision, label, fetchedAt: null } as const;
        return snapshotOf(installed.folder, walk, { info, notes: spec.notes, isLiving: true });
      }
      const { wanted, origin } = choice;
      const source = await sourceOf(wanted);
      const tree = isOneOff
        ? await store.openOneOff(source, { signal, onProgress })
        : await store.open(source, { refresh: refreshOf(wanted, refresh), signal, onProgress });
      const label = `${wanted.name} ${versionOfRevision(tree.revision)} (${origin})`;
      return openStored(tree, { spec, label, signal });
    },

    async describe(spec, { refresh, signal }) {
      try {
        const choice = await chooseVersion(spec, location);
        if (choice.type === "installed") {
          const { walk, revision } = await readInstalled(choice.installed, { signal });
          const sizeBytes = walk.files.reduce((sum, file) => sum + file.sizeBytes, 0);
          return { state: "ready", revision, fetchedAt: null, sizeBytes, fileCount: walk.files.length };
        }
        const { key } = await sourceOf(choice.wanted);
        return await store.describe(key, { refresh: refreshOf(choice.wanted, refresh) });
      } catch (error) {
        // One package that cannot be looked up must not hide the others of a list; opening it tells why.
        if (!(error instanceof CitewellError)) throw error;
        return { state: "failed", revision: null, fetchedAt: null, sizeBytes: null, fileCount: null };
      }
    },
  };

  async function sourceOf(wanted: Wanted): Promise<Source> {
    return createNpmSource(wanted, await openRegistry(wanted.name, { location, network }));
  }

  /** By the checksum of what was installed where it is known, else by what the files hold. */
  async function readInstalled(
    { folder, version, integrity }: Installed,
    { signal }: { signal: AbortSignal },
  ): Promise<{ walk: Walk; revision: string }> {
    const walk = await walkTree(folder, { exclude: excludeNestedPackages, signal });
    if (integrity !== undefined) return { walk, revision: revisionOf(version, integrity) };
    return { walk, revision: revisionOfHash(version, await contentRevisions.of(folder, walk.files, { signal })) };
  }
}

/**
 * The newest version of a package, as the user's registry says.
 * @throws PackageNotFound, VersionNotFound, RegistryFailed, RegistryTimeout
 */
export async function latestVersion(
  name: string,
  { signal, ...reach }: Pick<NpmOptions, "location" | "network"> & { signal: AbortSignal },
): Promise<string> {
  const registry = await openRegistry(name, reach);
  return pickVersion(await registry.packument(name, { form: "short", signal }), "latest");
}

/** npm's configuration is read each time: it may have changed since the last question. */
async function openRegistry(
  name: string,
  { location, network }: Pick<NpmOptions, "location" | "network">,
): Promise<Registry> {
  const config = await readNpmConfig(location);
  const ca = [...(network.ca ?? []), ...(config.network.ca ?? [])];
  const fetch = createFetch({ ...network, ...config.network, ca });
  return createRegistry({ url: config.registryOf(name), config, fetch });
}

function refreshOf(wanted: Wanted, refresh: RefreshPolicy): RefreshPolicy {
  return isExact(wanted.version) ? "manual" : refresh;
}

async function openStored(
  tree: StoredTree,
  { spec, label, signal }: { spec: NpmSpec; label: string; signal: AbortSignal },
): Promise<Snapshot> {
  const { directory, revision, fetchedAt, stale, skipped } = tree;
  const release = async () => tree[Symbol.asyncDispose]();
  try {
    return await openTree(directory, {
      info: { resource: spec.name, type: "npm", revision, label, fetchedAt, ...(stale ? { stale } : {}) },
      notes: spec.notes,
      exclude: excludeNestedPackages,
      alsoSkipped: skipped,
      release,
      signal,
    });
  } catch (error) {
    await release();
    throw error;
  }
}
