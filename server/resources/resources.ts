import { CitewellError } from "../errors.ts";
import type { Semaphore } from "../lib/semaphore.ts";
import { git } from "../protocol/kinds/git.ts";
import type { KindName, OneOff } from "../protocol/kinds/kinds.ts";
import { isOneOff, parseReference } from "../protocol/reference.ts";
import type { BranchList, ResourceSpec } from "../protocol/resource.ts";
import type { ReadFetchLimit } from "./fetch-limit.ts";
import type { HistoryRepository } from "./git/history/history-repository.ts";
import { resolveRevision } from "./git/history/resolve-revision.ts";
import type { HistoryOptions, KindServices, OpenOptions } from "./kind-source.ts";
import { type AnySource, openKind } from "./kinds.ts";
import type { ListedVersion } from "./packages/ecosystem.ts";
import type { Snapshot } from "./snapshot.ts";
import type { OnProgress } from "./source.ts";
import type { StoredState } from "./source-store.ts";
import type { Store } from "./store.ts";

/**
 * Turns a configured resource or a one-off reference into a `Snapshot`, for operations. It chooses the kind, fetches
 * what is missing or due, and shares one fetch between concurrent questions.
 *
 * It does not know the configuration: callers pass specs (`operations/targets.ts` resolves names). What a kind does
 * is behind `KindSource`, what is on disk behind `SourceStore`.
 */
export interface Resources {
  /**
   * Opens the current snapshot of a resource. A one-off is kept in a bounded cache (`one-offs.ts`).
   * @throws PathNotFound, RepositoryNotFound, BranchNotFound, PackageNotFound, PackageUnreadable, VersionNotFound,
   * SearchPathNotFound, AddressNotAllowed, RepositoryFailed, RegistryFailed, StorageFailed, LockTimeout and the like,
   * if nothing is on disk; NotReadyYet if its fetch takes longer than `waitMs`, and continues in the background;
   * ResourceNotOffered for a kind that is not offered
   */
  open(
    target: ResourceSpec | OneOff,
    options: { signal: AbortSignal; onProgress?: OnProgress | undefined; waitMs?: number | undefined },
  ): Promise<Snapshot>;
  /**
   * Opens the snapshot on disk, without the network: the given revision, else the current one. Folders and installed
   * packages are always current, whatever the revision. Undefined if nothing is on disk.
   * @throws PathNotFound, PackageNotFound, SearchPathNotFound; ResourceNotOffered for a kind that is not offered
   */
  openStored(
    target: ResourceSpec | OneOff,
    options: { revision?: string | undefined; signal: AbortSignal },
  ): Promise<Snapshot | undefined>;
  /**
   * Fetches the newest revision, whatever the policy; does nothing for pinned revisions, installed packages and
   * folders.
   * @throws as `open`; the snapshot on disk is kept
   */
  refresh(spec: ResourceSpec, options: { signal: AbortSignal; onProgress?: OnProgress | undefined }): Promise<void>;
  /**
   * The branches and tags of a repository, from its host.
   * @throws AddressNotAllowed, RepositoryNotFound, RepositoryFailed, RepositoryTimeout, ToolMissing; ResourceNotOffered
   * if git is not offered
   */
  listBranches(url: string, options: { signal: AbortSignal }): Promise<BranchList>;
  /**
   * The commits before a snapshot, fetched if they are not on disk; undefined for resources without any, such as packages.
   * @throws RepositoryNotFound (a folder in no repository), NotReadyYet (it must be on disk and is not), and as `open`
   */
  openHistory(
    target: ResourceSpec | OneOff,
    options: Omit<HistoryOptions, "fetchLimit">,
  ): Promise<HistoryRepository | undefined>;
  /**
   * The versions of a package in its registry, the highest first; undefined for other resources.
   * @throws PackageNotFound, PackageUnreadable, RegistryFailed, RegistryTimeout
   */
  listVersions(target: ResourceSpec | OneOff, options: { signal: AbortSignal }): Promise<ListedVersion[] | undefined>;
  /** The state of a resource on disk, without the network. */
  describe(spec: ResourceSpec, options: { signal: AbortSignal }): Promise<StoredState>;
  /**
   * Removes the fetched snapshots that are not in use; folders and installed packages are not touched. Without
   * `shared`, it clears only those of private sources.
   */
  clear(options: { shared: boolean }): Promise<{ cleared: number }>;
}

/** The dependencies of `createResources`. */
export interface ResourcesOptions extends Omit<KindServices, "now"> {
  /** The kinds that are offered: a hosted service does not read its own folders. */
  kinds: readonly KindName[];
  /** Sources that other users of `store` must not read; the first that includes a source applies. */
  privateSources?: readonly PrivateSources[] | undefined;
  /**
   * Why a question need not fetch a resource that is not on disk: another process fetches it, or has failed to. Rejects
   * with that reason.
   */
  requireFetchable?: ((target: ResourceSpec | OneOff, options: { signal: AbortSignal }) => Promise<void>) | undefined;
  /**
   * The resource that a one-off is a revision of. Of such a repository, and of one of `privateSources`, only commits of
   * its history are opened. Default: all are.
   */
  baseOf?: ((target: OneOff) => ResourceSpec | undefined) | undefined;
  /** Limits how many commands on histories run at a time. Default: no limit. */
  historyRuns?: Semaphore | undefined;
  /** Whether the commits of a repository may be read. Default: always. */
  mayReadHistory?: ((target: ResourceSpec | OneOff) => boolean) | undefined;
  /** How many bytes the snapshot of a resource may have on disk. Default: what the store allows. */
  fetchLimitFor?:
    | ((target: ResourceSpec | OneOff, options: { isHistory: boolean }) => ReturnType<ReadFetchLimit>)
    | undefined;
  /** Called with the size of an opened history, or of an opened one-off, on disk. */
  onKept?: ((target: ResourceSpec | OneOff, kept: { isHistory: boolean; bytes: number }) => Promise<void>) | undefined;
  /** Milliseconds since the epoch. */
  now?: () => number;
}

/** The private sources, their store, and git's environment with the credentials for each. */
export interface PrivateSources {
  store: Store;
  gitEnvironmentFor?: KindServices["gitEnvironmentFor"];
  includes(target: ResourceSpec | OneOff): boolean;
}

/** All kinds of resource over one store. Cheap to create: lasting state is in the store. */
export function createResources(options: ResourcesOptions): Resources {
  const {
    kinds,
    privateSources = [],
    requireFetchable,
    baseOf,
    historyRuns,
    mayReadHistory,
    fetchLimitFor,
    onKept = async () => {},
    now = Date.now,
    ...shared
  } = options;
  const services: KindServices = { ...shared, now };
  const findPublic = createSourceFinder(services);
  const ownFinders = privateSources.map(({ includes, store, gitEnvironmentFor }) => ({
    includes,
    find: createSourceFinder({ ...services, store, gitEnvironmentFor }),
  }));
  const sourceOf = (target: ResourceSpec | OneOff): AnySource => {
    requireKind(target.type, kinds);
    const own = ownFinders.find(({ includes }) => includes(target));
    return (own?.find ?? findPublic)(target.type);
  };
  const limitOf = (target: ResourceSpec | OneOff, { isHistory = false } = {}) => ({
    fetchLimit: fetchLimitFor && (() => fetchLimitFor(target, { isHistory })),
  });

  /**
   * A commit by its full id, if a branch or tag has it. Hosts send the commits of forks, too, to everyone who may read one
   * repository of the network and knows their ids. A branch may have a name like an id.
   * @throws BranchNotFound
   */
  async function knownCommit(target: ResourceSpec | OneOff, options: OpenOptions): Promise<ResourceSpec | OneOff> {
    if (baseOf === undefined || "name" in target || target.type !== "git") return target;
    const { branch = "", url } = target;
    if (!/^[0-9a-f]{7,64}$/i.test(branch)) return target;
    const isCertain = git.isPinned?.(target) === true;
    const base = baseOf(target);
    if (base === undefined) {
      if (!isCertain || !privateSources.some(({ includes }) => includes(target))) return target;
      throw new CitewellError("BranchNotFound", `no branch and no tag of ${url} is known to have ${branch}`);
    }
    await using snapshot = (await resources.openStored(base, options)) ?? (await resources.open(base, options));
    await using history = await resources.openHistory(base, { ...options, revision: snapshot.revision });
    if (history === undefined) return target;
    try {
      return { ...target, branch: await resolveRevision(history, branch, options) };
    } catch (error) {
      if (isCertain) throw error;
      return target;
    }
  }

  const resources: Resources = {
    async open(given, options) {
      const target = await knownCommit(given, options);
      const source = sourceOf(target);
      if (requireFetchable !== undefined) {
        await using stored = await source.openStored(target, options);
        if (stored === undefined) await requireFetchable(target, options);
      }
      const snapshot = await source.open(target, { ...options, ...limitOf(target) });
      const { diskBytes: bytes } = snapshot;
      if (!("name" in target) && bytes !== undefined) await onKept(target, { isHistory: false, bytes });
      return snapshot;
    },
    openStored: async (target, options) => sourceOf(target).openStored(target, options),
    refresh: async (spec, options) => sourceOf(spec).refresh(spec, { ...options, ...limitOf(spec) }),
    async openHistory(target, options) {
      if (mayReadHistory?.(target) === false) return undefined;
      const limit = limitOf(target, { isHistory: true });
      const history = await sourceOf(target).openHistory?.(target, { ...options, ...limit });
      const bytes = history?.diskBytes;
      if (bytes !== undefined) await onKept(target, { isHistory: true, bytes });
      if (history === undefined || historyRuns === undefined) return history;
      return {
        ...history,
        async run(...args) {
          await historyRuns.acquire();
          try {
            return await history.run(...args);
          } finally {
            historyRuns.release();
          }
        },
      };
    },
    listVersions: async (target, options) => sourceOf(target).listVersions?.(target, options),
    describe: async (spec, options) => sourceOf(spec).describe(spec, options),
    async listBranches(url, options) {
      const reference = parseReference(url);
      const source = isOneOff(reference) ? sourceOf(reference) : undefined;
      const branches = await source?.listBranches?.(url, options);
      if (branches === undefined) throw new CitewellError("InvalidRequest", `${url} is not a repository with branches`);
      return branches;
    },
    async clear(options) {
      let cleared = options.shared ? await shared.store.clear() : 0;
      for (const { store } of privateSources) cleared += await store.clear();
      return { cleared };
    },
  };
  return resources;
}

function createSourceFinder(services: KindServices): (type: KindName) => AnySource {
  const sources = new Map<KindName, AnySource>();
  return (type) => {
    const source = sources.get(type) ?? openKind(type, services);
    sources.set(type, source);
    return source;
  };
}

function requireKind(kind: KindName, kinds: readonly KindName[]): void {
  if (kinds.includes(kind)) return;
  throw new CitewellError("ResourceNotOffered", `${kind} resources are not offered here`, {
    hint: `use one of: ${kinds.join(", ")}`,
  });
}
