import type { FetchSettings } from "../lib/fetch.ts";
import type { OneOff } from "../protocol/kinds/kinds.ts";
import type { RefreshPolicy } from "../protocol/resource-fields.ts";
import type { BranchList, ResourceSpec } from "../protocol/resource.ts";
import type { ContentRevisions } from "./content-revision.ts";
import type { ReadFetchLimit } from "./fetch-limit.ts";
import type { FolderFollower } from "./folder-follower.ts";
import type { HistoryRepository } from "./git/history/history-repository.ts";
import type { ListedVersion } from "./packages/ecosystem.ts";
import type { PackageLocation } from "./packages/package-location.ts";
import type { Snapshot } from "./snapshot.ts";
import type { OnProgress } from "./source.ts";
import type { StoredState } from "./source-store.ts";
import type { Store } from "./store.ts";

/** Services shared by the kinds of resource. */
export interface KindServices {
  /** Stores fetched snapshots. */
  store: Store;
  /** Hashes the content of local folders and installed packages. */
  revisions: ContentRevisions;
  /** Remembers local folders between questions; without it, each question looks over the folder. */
  follower?: FolderFollower | undefined;
  /** The policy of resources without their own. */
  refresh: RefreshPolicy;
  /** Exact names of git hosts that may have a private address. */
  allowHosts: readonly string[];
  /** Base of relative paths; location of the workspace and of the package managers' configuration. */
  location: PackageLocation;
  network: () => Promise<FetchSettings>;
  /** The user's environment, for git. */
  gitEnvironment: Readonly<Record<string, string>>;
  /**
   * The environment for one repository, with credentials that are made when it is contacted. Default: `gitEnvironment`.
   */
  gitEnvironmentFor?: GitEnvironmentFor | undefined;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** @param url of the repository, or of the one that its host redirects to */
export type GitEnvironmentFor = (
  url: string,
  options: { signal: AbortSignal },
) => Promise<Readonly<Record<string, string>>>;

/** How to open a resource. */
export interface OpenOptions {
  signal: AbortSignal;
  onProgress?: OnProgress | undefined;
  /** The limit of the tenant. */
  fetchLimit?: ReadFetchLimit | undefined;
  /** How long to wait for a fetch of what is not on disk (`OpenOptions` of the store). */
  waitMs?: number | undefined;
}

/** How to open the history of a resource. */
export interface HistoryOptions extends OpenOptions {
  /** The revision of its snapshot. Never one that a text names: it may be of no branch. Without it, what is on disk is opened. */
  revision: string | undefined;
  /** A path that the history is wanted of: a folder may contain several repositories. */
  below?: string | undefined;
  /** Whether it must be on disk already. */
  isStoredOnly?: boolean | undefined;
}

/**
 * The I/O half of a kind of resource: opens, refreshes and describes its resources. `Spec` is a configured resource,
 * `Reference` a one-off. The pure half, with shapes and words, is in `protocol/kinds/`.
 *
 * A kind that is fetched does not store anything itself: it describes a `Source`, and the store does the rest. Errors
 * are those of `Resources`. The guide is docs/development/adding-a-resource.md.
 */
export interface KindSource<Spec, Reference> {
  open(target: Spec | Reference, options: OpenOptions): Promise<Snapshot>;
  /** The snapshot on disk, without the network: of the given revision, else the current one. */
  openStored(
    target: Spec | Reference,
    options: { revision?: string | undefined; signal: AbortSignal },
  ): Promise<Snapshot | undefined>;
  /** Fetches the newest revision; does nothing for resources that are read in place. */
  refresh(spec: Spec, options: OpenOptions): Promise<void>;
  describe(spec: Spec, options: { signal: AbortSignal }): Promise<StoredState>;
  /** The commits before a snapshot, if the kind has them. */
  openHistory?(target: Spec | Reference, options: HistoryOptions): Promise<HistoryRepository>;
  /** The versions of a package in its registry, the highest first. */
  listVersions?(target: Spec | Reference, options: { signal: AbortSignal }): Promise<ListedVersion[]>;
  /** The branches and tags at a URL, if the kind has them. */
  listBranches?(url: string, options: { signal: AbortSignal }): Promise<BranchList>;
}

/** How often to check for a newer revision, and whether to store the snapshot in the cache of one-offs. */
export function policyOf(
  target: { canonical: string } | Pick<Extract<ResourceSpec, { refresh?: unknown }>, "name" | "refresh">,
  defaultPolicy: RefreshPolicy,
): { isOneOff: boolean; refresh: RefreshPolicy } {
  return "canonical" in target
    ? { isOneOff: true, refresh: "daily" }
    : { isOneOff: false, refresh: target.refresh ?? defaultPolicy };
}

/** The name in answers, and the user's notes. */
export function namedTarget(target: Pick<OneOff, "canonical"> | Pick<ResourceSpec, "name" | "specialNotes">): {
  name: string;
  notes: string | undefined;
} {
  return "canonical" in target
    ? { name: target.canonical, notes: undefined }
    : { name: target.name, notes: target.specialNotes ?? undefined };
}
