import { formatAge } from "../../lib/age.ts";
import type { RefreshPolicy } from "../../protocol/resource-fields.ts";
import type { BranchList } from "../../protocol/resource.ts";
import type { GitEnvironmentFor, HistoryOptions, OpenOptions } from "../kind-source.ts";
import type { StoredTree } from "../shelf.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Source } from "../source.ts";
import type { StoredState } from "../source-store.ts";
import type { Store } from "../store.ts";
import { openTree } from "../tree.ts";
import { createAddressRule, type Lookup } from "./address.ts";
import type { GitLimits } from "./git-call.ts";
import { gitEnvironment } from "./git-environment.ts";
import { createGitRefs, usualBranches } from "./git-refs.ts";
import { createGitRoutes } from "./git-routes.ts";
import { createGitTrees } from "./git-tree.ts";
import { requireGit } from "./git-version.ts";
import { historyKey, openFetchedHistory } from "./history/fetched-history.ts";
import type { HistoryRepository } from "./history/history-repository.ts";
import { limitHistory } from "./history/limit-history.ts";
import { permalinkOf } from "./permalink.ts";
import { createGitRunner } from "./run-git.ts";

/** A repository to read, with its name in answers. */
export interface GitSpec {
  name: string;
  url: string;
  /** A branch, a tag or a full commit id. Default: the first that exists of main, master, trunk and dev. */
  branch?: string | undefined;
  searchPaths: readonly string[];
  notes?: string | null | undefined;
}

/** Opens git repositories. */
export interface Git {
  /**
   * @throws AddressNotAllowed, RepositoryNotFound, BranchNotFound, SearchPathNotFound, RepositoryFailed,
   * RepositoryTimeout, ToolMissing, StorageFailed, LockTimeout
   */
  open(
    spec: GitSpec,
    options: OpenOptions & {
      /** Whether to store it in the cache of one-offs. */
      isOneOff: boolean;
      /** Applies to branches and tags; a commit is fetched once. */
      refresh: RefreshPolicy;
    },
  ): Promise<Snapshot>;
  /** The snapshot on disk, of the given or the current revision; undefined if there is none. */
  openStored(
    spec: GitSpec,
    options: { isOneOff?: boolean; revision?: string | undefined; signal: AbortSignal },
  ): Promise<Snapshot | undefined>;
  /** The commits before a revision, fetched if they are not on disk. @throws as `openFetchedHistory` */
  openHistory(spec: GitSpec, options: HistoryOptions): Promise<HistoryRepository>;
  /** One commit, for a store. */
  commitSource(commit: { url: string; commit: string }): Source;
  /** Fetches the newest revision. @throws as `open` */
  refresh(spec: GitSpec, options: OpenOptions): Promise<void>;
  /** @throws AddressNotAllowed, RepositoryNotFound, RepositoryFailed, RepositoryTimeout, ToolMissing */
  listBranches(url: string, options: { signal: AbortSignal }): Promise<BranchList>;
  /** The state on disk, without contacting the host. */
  describe(spec: GitSpec, options: { refresh: RefreshPolicy }): Promise<StoredState>;
}

/** The dependencies of `createGit`. */
export interface GitOptions {
  /** The user's environment: PATH, HOME, proxies, certificates. */
  environment: Readonly<Record<string, string>>;
  /** The same for one repository, with its credentials. Default: `environment`. */
  environmentFor?: GitEnvironmentFor | undefined;
  /** Exact names of git hosts that may have a private address. */
  allowHosts: readonly string[];
  store: Store;
  /** Milliseconds since the epoch. */
  now: () => number;
  lookup?: Lookup | undefined;
  /** Whether private hosts look like unknown ones (`createAddressRule`). Default: false. */
  hidesNetwork?: boolean | undefined;
  limits?: { ask?: GitLimits; fetch?: GitLimits } | undefined;
}

const defaultLimits = {
  ask: { silentMs: 30_000, totalMs: 30_000 },
  fetch: { silentMs: 60_000, totalMs: 30 * 60_000 },
};

/** Fetches repositories over HTTPS with the user's git: one commit, no history, hooks, filters or submodules. */
export function createGit({
  environment,
  environmentFor = async () => environment,
  allowHosts,
  store,
  now,
  lookup,
  hidesNetwork,
  limits,
}: GitOptions): Git {
  const { ask, fetch } = { ...defaultLimits, ...limits };
  const runner = createGitRunner();
  const rule = createAddressRule({ allowHosts, lookup, hidesNetwork });
  const routes = createGitRoutes({ runner, rule, environmentFor, answerMs: ask.totalMs });
  const refs = createGitRefs({ runner, routes, limits: ask });
  const local = gitEnvironment(environment, { settings: [] });
  const trees = createGitTrees({ runner, routes, environment: local, limits: fetch });

  return {
    async open(spec, { isOneOff, refresh, ...options }) {
      const stored = await store.open(sourceOf(spec, isOneOff), {
        refresh: refreshOf(spec, refresh),
        ...(isOneOff ? { oneOff: spec.name } : {}),
        ...options,
      });
      return snapshotOf(spec, stored, options);
    },
    async openStored(spec, { signal, ...wanted }) {
      const stored = await store.openStored(sourceOf(spec, false).key, { ...wanted, signal });
      return stored === undefined ? undefined : snapshotOf(spec, stored, { signal });
    },
    async openHistory({ url, searchPaths }, { revision: commit, ...options }) {
      const history = { url, key: canonicalUrl(url), commit };
      const prove = proverOf(url);
      const whole = await openFetchedHistory(history, { runner, routes, prove, environment, store, ...options });
      return limitHistory(whole, searchPaths);
    },
    commitSource: ({ url, commit }) => sourceOf({ name: url, url, branch: commit, searchPaths: [] }, false),
    refresh: (spec, options) => store.refresh(sourceOf(spec, false), options),
    async listBranches(url, { signal }) {
      await requireGit(runner, { environment: local, limits: ask, signal });
      return refs.list(url, { signal });
    },
    describe: (spec, { refresh }) => store.describe(sourceOf(spec, false).key, { refresh: refreshOf(spec, refresh) }),
  };

  function proverOf(url: string): NonNullable<Source["prove"]> {
    return (options) => refs.check(url, options);
  }

  function sourceOf({ url, branch: requested, searchPaths }: GitSpec, isOneOff: boolean): Source {
    const branch = isCommit(requested) ? requested.toLowerCase() : requested;
    let found = branch;
    return {
      key: JSON.stringify(["git", canonicalUrl(url), branch ?? "", ...[...searchPaths].sort()]),
      ...(isCommit(branch) ? { resolving: `taking commit ${branch.slice(0, 7)}`, prove: proverOf(url) } : {}),
      dependents: [historyKey(canonicalUrl(url))],
      async resolve({ signal }) {
        await requireGit(runner, { environment: local, limits: ask, signal });
        if (isCommit(branch)) return branch;
        const branches = branch === undefined ? usualBranches : [branch];
        const revision = await refs.find(url, branches, { signal, isOneOff });
        found = revision.branch;
        return revision.commit;
      },
      async fetch(directory, { revision: commit, signal, onProgress }) {
        const { skipped } = await trees.fetch(url, directory, { commit, searchPaths, signal, onProgress });
        return { skipped, details: found === undefined ? {} : { branch: found } };
      },
    };
  }

  async function snapshotOf(spec: GitSpec, stored: StoredTree, { signal }: { signal: AbortSignal }): Promise<Snapshot> {
    try {
      return await openTree(stored.directory, {
        walk: stored.walk,
        info: infoOf(spec, stored),
        notes: spec.notes,
        searchPaths: spec.searchPaths,
        alsoSkipped: stored.skipped,
        isPrivate: stored.isPrivate,
        diskBytes: stored.diskBytes,
        permalink: (path, lines) => permalinkOf(spec.url, stored.revision, path, lines),
        release: async () => stored[Symbol.asyncDispose](),
        signal,
      });
    } catch (error) {
      await stored[Symbol.asyncDispose]();
      throw error;
    }
  }

  function infoOf(spec: GitSpec, { revision, fetchedAt, details, stale }: StoredTree) {
    const branch = isCommit(spec.branch) ? "pinned" : (details["branch"] ?? spec.branch);
    const age = formatAge(now() - Date.parse(fetchedAt));
    const label = `${spec.url} at ${revision.slice(0, 7)} (${branch}), fetched ${age}`;
    return {
      resource: spec.name,
      type: "git" as const,
      revision,
      label,
      fetchedAt,
      ...(stale === undefined ? {} : { stale }),
    };
  }
}

function isCommit(branch: string | undefined): branch is string {
  return branch !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(branch);
}

function refreshOf(spec: GitSpec, refresh: RefreshPolicy): RefreshPolicy {
  return isCommit(spec.branch) ? "manual" : refresh;
}

/** Spellings of the same URL share one source; an invalid URL is refused by `resolve`. */
function canonicalUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href.replace(/\/+$/, "") : url;
}
