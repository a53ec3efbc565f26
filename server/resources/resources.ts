import { CitewellError } from "../errors.ts";
import type { FetchSettings } from "../lib/fetch.ts";
import type { Reference } from "../protocol/reference.ts";
import { type BranchList, type RefreshPolicy, type ResourceSpec, searchPathsOf } from "../protocol/resource.ts";
import type { ContentRevisions } from "./content-revision.ts";
import { createGit, type GitSpec } from "./git/git.ts";
import { createLocal, type LocalSpec } from "./local.ts";
import type { NpmConfigLocation } from "./npm/npm-places.ts";
import { createNpm, type NpmSpec } from "./npm/npm.ts";
import type { Snapshot } from "./snapshot.ts";
import type { OnProgress } from "./source.ts";
import type { StoredState } from "./source-store.ts";
import type { Store } from "./store.ts";

/** A resource that is named in a question and not configured; its canonical form is its name. */
export type OneOff = Extract<Reference, { canonical: string }>;

export interface Resources {
  /**
   * A resource as it stands, to read and to cite from. A one-off is kept in a bounded cache (`one-offs.ts`).
   * @throws PathNotFound, RepositoryNotFound, BranchNotFound, PackageNotFound, PackageUnreadable, VersionNotFound,
   * SearchPathNotFound, AddressNotAllowed, RepositoryFailed, RegistryFailed, StorageFailed, LockTimeout and the like,
   * where nothing is on disk to answer from; InvalidRequest for a kind that is not offered
   */
  open(
    target: ResourceSpec | OneOff,
    options: { signal: AbortSignal; onProgress?: OnProgress | undefined },
  ): Promise<Snapshot>;
  /**
   * What is on disk, without the network: of what is fetched the given revision, else the current one; a folder or an
   * installed package as it stands, whatever revision is asked for. Undefined where there is nothing.
   * @throws PathNotFound, PackageNotFound, SearchPathNotFound; InvalidRequest for a kind that is not offered
   */
  openStored(
    target: ResourceSpec | OneOff,
    options: { revision?: string | undefined; signal: AbortSignal },
  ): Promise<Snapshot | undefined>;
  /**
   * Fetches the newest revision, whatever the policy; what is pinned, installed or a folder stays as it is.
   * @throws as `open`; then what is on disk stays
   */
  refresh(spec: ResourceSpec, options: { signal: AbortSignal; onProgress?: OnProgress | undefined }): Promise<void>;
  /**
   * The branches and tags of a repository, asked of its host.
   * @throws AddressNotAllowed, RepositoryNotFound, RepositoryFailed, RepositoryTimeout, ToolMissing; InvalidRequest where
   * git is not offered
   */
  listBranches(url: string, options: { signal: AbortSignal }): Promise<BranchList>;
  /** What is on disk of a resource. Uses no network. */
  describe(spec: ResourceSpec, options: { signal: AbortSignal }): Promise<StoredState>;
  /** Removes what was fetched and is not being read; folders and installed packages are not touched. */
  clear(): Promise<{ cleared: number }>;
}

export interface ResourcesOptions {
  /** Keeps what is fetched. */
  store: Store;
  /** Hashes the content of local folders and installed packages. */
  revisions: ContentRevisions;
  /** The kinds that are offered: a service for strangers reads no folders of its own computer. */
  kinds: readonly ResourceSpec["type"][];
  /** For resources that name no policy of their own. */
  refresh: RefreshPolicy;
  /** Git hosts that may have a private address: exact names. */
  allowHosts: readonly string[];
  /** Where relative paths, the workspace and npm's configuration are. */
  location: NpmConfigLocation;
  network: () => Promise<FetchSettings>;
  /** The user's environment, for git. */
  gitEnvironment: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** Every kind of resource, over one store. Cheap to create: what lasts is in the store. */
export function createResources(options: ResourcesOptions): Resources {
  const { store, revisions, kinds, refresh, allowHosts, location, network, gitEnvironment, now = Date.now } = options;
  const git = createGit({ environment: gitEnvironment, allowHosts, store, now });
  const npm = createNpm({ location, network, store, revisions, now });
  const local = createLocal({ revisions, workingDirectory: location.cwd, homeDirectory: location.homeDirectory });

  return {
    async open(target, { signal, onProgress }) {
      requireKind(target.type, kinds);
      const wanted = "canonical" in target ? wantedOneOff(target) : wantedResource(target, refresh);
      switch (wanted.type) {
        case "git":
          return git.open(wanted.spec, { ...wanted, signal, onProgress });
        case "npm":
          return npm.open(wanted.spec, { ...wanted, signal, onProgress });
        case "local":
          return local.open(wanted.spec, { signal });
      }
    },
    async openStored(target, { revision, signal }) {
      requireKind(target.type, kinds);
      const wanted = "canonical" in target ? wantedOneOff(target) : wantedResource(target, refresh);
      switch (wanted.type) {
        case "git":
          return git.openStored(wanted.spec, { isOneOff: wanted.isOneOff, revision, signal });
        case "npm":
          return npm.openStored(wanted.spec, { isOneOff: wanted.isOneOff, revision, signal });
        case "local":
          return local.open(wanted.spec, { signal });
      }
    },
    async refresh(spec, { signal, onProgress }) {
      requireKind(spec.type, kinds);
      const wanted = wantedResource(spec, refresh);
      switch (wanted.type) {
        case "git":
          return git.refresh(wanted.spec, { signal, onProgress });
        case "npm":
          return npm.refresh(wanted.spec, { signal, onProgress });
        case "local":
          return undefined;
      }
    },
    async listBranches(url, { signal }) {
      requireKind("git", kinds);
      return git.listBranches(url, { signal });
    },
    async describe(spec, { signal }) {
      requireKind(spec.type, kinds);
      const wanted = wantedResource(spec, refresh);
      switch (wanted.type) {
        case "git":
          return git.describe(wanted.spec, wanted);
        case "npm":
          return npm.describe(wanted.spec, { ...wanted, signal });
        case "local":
          return local.describe(wanted.spec);
      }
    },
    clear: async () => ({ cleared: await store.clear() }),
  };
}

/** A resource or one-off in the words of its kind. */
type Wanted = { isOneOff: boolean; refresh: RefreshPolicy } & (
  | { type: "git"; spec: GitSpec }
  | { type: "npm"; spec: NpmSpec }
  | { type: "local"; spec: LocalSpec }
);

function wantedResource(resource: ResourceSpec, defaultRefresh: RefreshPolicy): Wanted {
  const { name, specialNotes: notes } = resource;
  const common = { isOneOff: false, refresh: defaultRefresh };
  switch (resource.type) {
    case "git": {
      const { url, branch } = resource;
      const spec = { name, url, branch, searchPaths: searchPathsOf(resource), notes };
      return { ...common, refresh: resource.refresh ?? defaultRefresh, type: "git", spec };
    }
    case "npm": {
      const spec = { name, package: resource.package, version: resource.version, notes };
      return { ...common, refresh: resource.refresh ?? defaultRefresh, type: "npm", spec };
    }
    case "local":
      return { ...common, type: "local", spec: { name, path: resource.path, notes } };
  }
}

function wantedOneOff(reference: OneOff): Wanted {
  const name = reference.canonical;
  const common = { isOneOff: true, refresh: "daily" } as const;
  switch (reference.type) {
    case "git": {
      const { url, branch, searchPath } = reference;
      return { ...common, type: "git", spec: { name, url, branch, searchPaths: searchPathsOf({ searchPath }) } };
    }
    case "npm":
      return { ...common, type: "npm", spec: { name, package: reference.package, version: reference.version } };
    case "local":
      return { ...common, type: "local", spec: { name, path: reference.path } };
  }
}

function requireKind(kind: ResourceSpec["type"], kinds: readonly ResourceSpec["type"][]): void {
  if (kinds.includes(kind)) return;
  throw new CitewellError("InvalidRequest", `${kind} resources are not offered here`, {
    hint: `use one of: ${kinds.join(", ")}`,
  });
}
