import type { Caller } from "./caller.ts";
import type { Config, ConfigLocation } from "./config/config.ts";
import { gitEnvironment } from "./config/environment.ts";
import type { LoadedConfig } from "./config/last-good.ts";
import { type Log, withFields } from "./lib/log.ts";
import type { WatchFolder } from "./lib/watch-folder.ts";
import type { Node } from "./node.ts";
import type { Configuration, Context, Projects, TenantServices } from "./operations/context.ts";
import { createFollowedFolders } from "./operations/followed-folders.ts";
import { type Patience, usualPatience } from "./operations/open.ts";
import { hideServerPaths } from "./operations/server-paths.ts";
import type { EditorModels } from "./protocol/editor-model.ts";
import type { ResourceSpec } from "./protocol/resource.ts";
import type { Credentials } from "./providers/credentials.ts";
import { createProviders } from "./providers/providers.ts";
import { createSessions } from "./providers/sessions.ts";
import { createOpenings } from "./resources/keep-opened.ts";
import { createResources, type PrivateSources, type ResourcesOptions } from "./resources/resources.ts";
import type { ThreadStore } from "./threads/threads.ts";

/**
 * One project with its own configuration, credentials, conversations and allowed kinds of resource. `App` calls
 * `contextFor` for each operation.
 *
 * It owns nothing that is costly: snapshots, indexes and search threads belong to the `Node`, which tenants share
 * without seeing each other's (`test/server/tenant.test.ts`). Decision 15 has the reasons.
 */
export interface Tenant extends AsyncDisposable {
  /** What one call of a caller works with. */
  contextFor(caller: Caller): Promise<Context>;
}

/** Sources of one tenant, which others must not read. */
export interface TenantSources extends Pick<PrivateSources, "includes"> {
  /** The absolute folder that keeps them. */
  directory: string;
  /** Git's environment for one of them; default: that of the other sources. */
  gitEnvironmentFor?: PrivateSources["gitEnvironmentFor"];
}

/** What is read for each call. */
export interface LoadedTenant extends LoadedConfig {
  privateSources?: readonly TenantSources[] | undefined;
  requireFetchable?: ResourcesOptions["requireFetchable"];
  baseOf?: ResourcesOptions["baseOf"];
  mayReadHistory?: ResourcesOptions["mayReadHistory"];
  fetchLimitFor?: ResourcesOptions["fetchLimitFor"];
  onKept?: ResourcesOptions["onKept"];
}

export interface TenantOptions {
  node: Node;
  configuration: Configuration & { load(): Promise<LoadedTenant> };
  credentials: Credentials;
  /** Finds another program that can sign in for us. */
  findProgram?: ((name: string) => Promise<string | undefined>) | undefined;
  editorModels?: EditorModels | undefined;
  /** The kinds of resource that are offered: a service for strangers reads no folders of its own computer. */
  kinds: readonly ResourceSpec["type"][];
  threadsOf(config: Config): ThreadStore;
  projects: Projects;
  /**
   * Tenants of one group share the search threads (`SharedRetrieval`) and the commands on histories with other groups.
   * Default: one group for all, and no limit of commands.
   */
  searchGroup?: string | undefined;
  /** Relative paths, the workspace, and the environment of git and npm. */
  location: ConfigLocation;
  /** Default: that of the node's follower. */
  watchFolder?: WatchFolder | undefined;
  /** Whether `verify` opens each resource once, as a short-lived command may. */
  keepsOpened?: boolean | undefined;
  /** Default: that of one user. */
  patience?: Patience | undefined;
  log: Log;
}

export function createTenant(options: TenantOptions): Tenant {
  const { node, configuration, credentials, editorModels, kinds, threadsOf, projects, searchGroup, location, log } =
    options;
  const { findProgram = async () => undefined, keepsOpened = false, patience = usualPatience } = options;
  const { fetch, follower } = node;
  const watchFolder = options.watchFolder ?? follower?.watchFolder;
  const sessions = createSessions({ credentials, fetch, log });
  const followed = watchFolder && createFollowedFolders({ watchFolder, log });
  const openings = createOpenings();
  const fixed = { configuration, projects, places: location, patience };

  function servicesFor(loaded: LoadedTenant): Pick<Context, "node" | "tenant"> {
    const {
      config,
      warnings,
      privateSources: own,
      requireFetchable,
      baseOf,
      mayReadHistory,
      fetchLimitFor,
      onKept,
    } = loaded;
    const usualGit = gitEnvironment(location);
    const privateSources = own?.map(({ directory, includes, gitEnvironmentFor }) => ({
      store: node.privateStore(directory),
      includes,
      gitEnvironmentFor,
    }));
    const { store, revisions, retrieval: shared } = node.at(config.dataDirectory);
    const retrieval = searchGroup === undefined ? shared : shared.inGroup(searchGroup);
    const { refresh, allowHosts, providerOptions, globalProviderOptions } = config;
    const historyRuns =
      searchGroup === undefined
        ? undefined
        : {
            acquire: () => node.historyRuns.acquire(searchGroup),
            release: () => node.historyRuns.release(searchGroup),
          };
    const resources = createResources({
      store,
      revisions,
      follower,
      kinds,
      privateSources,
      requireFetchable,
      baseOf,
      historyRuns,
      mayReadHistory,
      fetchLimitFor,
      onKept,
      refresh,
      allowHosts,
      location,
      network: () => node.network(),
      gitEnvironment: usualGit,
    });
    const providers = createProviders({
      fetch,
      credentials,
      sessions,
      options: (provider, { hasKey }) => (hasKey ? globalProviderOptions : providerOptions)[provider] ?? {},
      editorModels,
      shareModel: node.shareModel,
      findProgram,
      hidesHosts: location.isAnonymous,
      log,
    });
    const tenant: TenantServices = {
      ...fixed,
      config,
      warnings,
      resources,
      openings: keepsOpened ? openings.over(resources) : resources,
      providers,
      threads: threadsOf(config),
      followed: followed?.over({ resources, retrieval }),
    };
    return { node: { retrieval }, tenant };
  }

  return {
    async contextFor(caller) {
      const called = { caller, log: withFields(log, caller.logFields) };
      try {
        const services = servicesFor(await configuration.load());
        if (caller.isLocal) return { ...called, ...services };
        return { ...called, node: services.node, tenant: hideServerPaths(services.tenant) };
      } catch (error) {
        return withoutConfig(error, { called, fixed });
      }
    },
    async [Symbol.asyncDispose]() {
      await followed?.[Symbol.asyncDispose]();
      await openings[Symbol.asyncDispose]();
    },
  };
}

/** While no configuration can be read, its files can be found and corrected; all else fails, with the reason. */
function withoutConfig(
  error: unknown,
  {
    called,
    fixed,
  }: {
    called: Pick<Context, "caller" | "log">;
    fixed: Pick<TenantServices, "configuration" | "projects" | "places" | "patience">;
  },
): Context {
  const fail = (): never => {
    throw error;
  };
  const tenant: TenantServices = {
    ...fixed,
    warnings: [],
    get config() {
      return fail();
    },
    get resources() {
      return fail();
    },
    get openings() {
      return fail();
    },
    get providers() {
      return fail();
    },
    get threads() {
      return fail();
    },
  };
  return {
    ...called,
    tenant,
    get node() {
      return fail();
    },
  };
}
