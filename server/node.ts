import path from "node:path";
import type { NetworkSettings } from "./config/environment.ts";
import { createFetch, type Fetch } from "./lib/fetch.ts";
import { createFairSemaphore, type FairSemaphore } from "./lib/fair-semaphore.ts";
import type { Log } from "./lib/log.ts";
import { createSharedModels, type ShareModel } from "./providers/shared-models.ts";
import { type ContentRevisions, createContentRevisions } from "./resources/content-revision.ts";
import type { FetchLimit } from "./resources/fetch-limit.ts";
import { createFolderFollower, type FolderFollower } from "./resources/folder-follower.ts";
import { createFolderHashes } from "./resources/folder-hashes.ts";
import type { SharedSnapshots } from "./resources/shared-snapshots.ts";
import { createStore, type Store } from "./resources/store.ts";
import { createRetrieval, type SharedRetrieval } from "./retrieval/retrieval.ts";

/**
 * What all tenants of a process share, because it is costly: snapshots on disk, their indexes, search threads, open
 * models, the network. A process creates one and disposes of it at the end, after its tenants.
 *
 * It knows no project, no configuration file and no caller. Settings that differ by tenant are passed with each call.
 * Read `tenant.ts` next.
 */
export interface Node extends AsyncDisposable {
  /** The services over a data directory; the same for each tenant that uses it. */
  at(dataDirectory: string): DirectoryServices;
  /** A store of one tenant's own, for sources that others must not read; `directory` is absolute. */
  privateStore(directory: string): Store;
  network(): Promise<NetworkSettings>;
  fetch: Fetch;
  shareModel: ShareModel;
  /** Limits the commands of git on histories, each of which may take a processor for 30 seconds, fairly between tenants. */
  historyRuns: FairSemaphore;
  /** Present if local folders are followed. */
  follower: FolderFollower | undefined;
}

export interface DirectoryServices {
  store: Store;
  revisions: ContentRevisions;
  retrieval: SharedRetrieval;
}

export interface NodeOptions {
  log: Log;
  /** Called once, when the network is needed. */
  network: () => Promise<NetworkSettings>;
  /** The names of resources that conversations refer to: one-offs among them are kept. */
  namesInUse: (dataDirectory: string) => Promise<ReadonlySet<string>>;
  /** The environment of the indexing process. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Modules for the indexing process and the search threads; without them both run in this thread. */
  indexWorker?: URL | undefined;
  searchWorker?: URL | undefined;
  /** How many bytes the snapshots of a data directory may have; a tenant's own are not counted. Default: no limit. */
  maxSnapshotBytes?: number | undefined;
  /** The limit of each snapshot. Default: no limit. */
  fetchLimit?: FetchLimit | undefined;
  /** Snapshots that other nodes fetched, for the services over a data directory; a tenant's own are not shared. */
  shared?: SharedSnapshots | undefined;
  /** How long a shared snapshot may be read after the last check, in milliseconds (`SourceStoreOptions`). */
  proofMs?: number | undefined;
  /** Whether folders are followed between questions: worthwhile for a process that answers several. */
  followsFolders?: boolean | undefined;
}

const historyRunsAtOnce = 4;

export function createNode({
  log,
  network: readNetwork,
  namesInUse,
  environment,
  indexWorker,
  searchWorker,
  followsFolders = false,
  maxSnapshotBytes: maxBytes,
  fetchLimit,
  shared,
  proofMs,
}: NodeOptions): Node {
  const directories = new Map<string, DirectoryServices>();
  const privateStores = new Map<string, Store>();
  let network: Promise<NetworkSettings> | undefined;
  let fetching: Promise<Fetch> | undefined;

  async function openNetwork(): Promise<NetworkSettings> {
    const settings = await readNetwork();
    for (const warning of settings.warnings) log.warn("network", { warning });
    return settings;
  }

  function open(dataDirectory: string): DirectoryServices {
    const directory = path.join(dataDirectory, "resources");
    return {
      store: createStore({
        directory,
        log,
        maxBytes,
        fetchLimit,
        shared,
        proofMs,
        oneOffs: { namesInUse: () => namesInUse(dataDirectory) },
      }),
      revisions: createContentRevisions({ folderHashes: createFolderHashes(path.join(dataDirectory, "hashes")) }),
      retrieval: createRetrieval({
        directory: path.join(dataDirectory, "index"),
        worker: indexWorker,
        environment,
        searchWorker,
      }),
    };
  }

  const follower = followsFolders ? createFolderFollower() : undefined;
  const node: Node = {
    follower,
    at(dataDirectory) {
      const services = directories.get(dataDirectory) ?? open(dataDirectory);
      directories.set(dataDirectory, services);
      return services;
    },
    privateStore(directory) {
      const store = privateStores.get(directory) ?? createStore({ directory, log, fetchLimit, isPrivate: true });
      privateStores.set(directory, store);
      return store;
    },
    network: () => (network ??= openNetwork()),
    shareModel: createSharedModels(),
    historyRuns: createFairSemaphore(historyRunsAtOnce),
    async fetch(input, init) {
      fetching ??= node.network().then(createFetch);
      return (await fetching)(input, init);
    },
    async [Symbol.asyncDispose]() {
      follower?.[Symbol.dispose]();
      const stores = [...[...directories.values()].map(({ store }) => store), ...privateStores.values()];
      await Promise.all(stores.map((store) => store[Symbol.asyncDispose]()));
    },
  };
  return node;
}
