import type { FetchSettings } from "../lib/fetch.ts";
import type { OneOff } from "../protocol/kinds/kinds.ts";
import type { RefreshPolicy } from "../protocol/resource-fields.ts";
import type { BranchList, ResourceSpec } from "../protocol/resource.ts";
import type { ContentRevisions } from "./content-revision.ts";
import type { NpmConfigLocation } from "./npm/npm-places.ts";
import type { Snapshot } from "./snapshot.ts";
import type { OnProgress } from "./source.ts";
import type { StoredState } from "./source-store.ts";
import type { Store } from "./store.ts";

/** What the kinds of resource share. */
export interface KindServices {
  /** Keeps what is fetched. */
  store: Store;
  /** Hashes the content of local folders and installed packages. */
  revisions: ContentRevisions;
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
  now: () => number;
}

export interface OpenOptions {
  signal: AbortSignal;
  onProgress?: OnProgress | undefined;
}

/**
 * The half of a kind that does I/O; `protocol/kinds/` has the other. `Spec` is a configured resource, `Reference` a
 * one-off. Errors are those of `Resources`.
 */
export interface KindSource<Spec, Reference> {
  open(target: Spec | Reference, options: OpenOptions): Promise<Snapshot>;
  /** What is on disk, without the network: the given revision, else the current one. */
  openStored(
    target: Spec | Reference,
    options: { revision?: string | undefined; signal: AbortSignal },
  ): Promise<Snapshot | undefined>;
  /** Fetches the newest revision; nothing to do for what is read in place. */
  refresh(spec: Spec, options: OpenOptions): Promise<void>;
  describe(spec: Spec, options: { signal: AbortSignal }): Promise<StoredState>;
  /** The branches and tags at a URL, for kinds that have them. */
  listBranches?(url: string, options: { signal: AbortSignal }): Promise<BranchList>;
}

/** How often to look for a newer revision, and whether the snapshot goes to the bounded cache of one-offs. */
export function policyOf(
  target: { canonical: string } | Pick<Extract<ResourceSpec, { refresh?: unknown }>, "name" | "refresh">,
  usual: RefreshPolicy,
): { isOneOff: boolean; refresh: RefreshPolicy } {
  return "canonical" in target
    ? { isOneOff: true, refresh: "daily" }
    : { isOneOff: false, refresh: target.refresh ?? usual };
}

/** The name that answers give it, and the user's notes. */
export function namedTarget(target: OneOff | ResourceSpec): { name: string; notes: string | undefined } {
  return "canonical" in target
    ? { name: target.canonical, notes: undefined }
    : { name: target.name, notes: target.specialNotes ?? undefined };
}
