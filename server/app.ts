import { ask } from "./ask/ask.ts";
import type { Places } from "./ask/targets.ts";
import { addResource, type Config, type ConfigLocation, loadConfig, removeResource } from "./config/config.ts";
import { gitEnvironment, readNetworkSettings } from "./config/environment.ts";
import { createFetch } from "./lib/fetch.ts";
import type { Log } from "./lib/log.ts";
import { type Answer, emptyAnswer, foldAnswer, type ModelRef, toQuestionReply } from "./protocol/ask.ts";
import { normalizeSpec } from "./protocol/reference.ts";
import type { Handlers } from "./protocol/operations.ts";
import type { ResourceListing, ResourceSpec } from "./protocol/resource.ts";
import { createProviders, type Providers } from "./providers/providers.ts";
import { createResources, type Resources } from "./resources/resources.ts";
import type { StoredState } from "./resources/store.ts";
import { createRetrieval } from "./retrieval/retrieval.ts";

/** One method per operation; disposing of it ends what still runs in the background. */
export interface App extends Handlers, AsyncDisposable {}

/** What an application stands on. A hosted one brings its own: nothing here knows where these come from. */
export interface AppParts {
  configuration: {
    /** What is in force now. Read for each operation, so that a change counts at once and a running question keeps its own. */
    load(): Promise<Config>;
    add(spec: ResourceSpec): Promise<unknown>;
    remove(name: string): Promise<unknown>;
  };
  /** The rooms that depend on the configuration; asked for again only when it has changed. */
  openRooms(config: Config): Promise<Rooms>;
  places: Places;
  log: Log;
}

export interface Rooms extends AsyncDisposable {
  resources: Resources;
  providers: Providers;
}

export interface LocalAppOptions {
  location: ConfigLocation;
  log: Log;
  /** In place of the configured ones, for one command. */
  overrides?: Partial<ModelRef>;
}

/** The application of one user on one machine: configuration files, a store on disk, keys from the environment. */
export function createLocalApp({ location, log, overrides }: LocalAppOptions): App {
  return createApp({
    configuration: {
      load: async () => ({ ...(await loadConfig(location)), ...overrides }),
      add: (spec) => addResource(location, spec),
      remove: (name) => removeResource(location, name),
    },
    openRooms: async (config) => openLocalRooms(config, { location, log }),
    places: location,
    log,
  });
}

export function createApp({ configuration, openRooms, places, log }: AppParts): App {
  const retrieval = createRetrieval();
  const rooms = createRoomKeeper(openRooms);
  const never = new AbortController().signal;
  const app: App = {
    async *ask(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { provider, model, maxSteps, maxTokens, providerTimeoutMs, resourcesDirectory } = config;
      const context = {
        ...(await rooms.for(config)),
        modelRef: { provider, model },
        limits: { maxSteps, maxTokens, providerTimeoutMs },
        configured: config.resources,
        resourcesDirectory,
        places,
        retrieval,
        log,
      };
      yield* ask(request, context, { signal });
    },
    async question(request, options) {
      let answer: Answer = emptyAnswer;
      for await (const event of app.ask({ ...request, progress: false }, options)) answer = foldAnswer(answer, event);
      return toQuestionReply(answer);
    },
    async getConfig() {
      const { provider, model, providerTimeoutMs, maxSteps, dataDirectory, resourcesDirectory, resources, sources } =
        await configuration.load();
      const resourceCount = resources.length;
      return {
        provider,
        model,
        providerTimeoutMs,
        maxSteps,
        dataDirectory,
        resourcesDirectory,
        resourceCount,
        sources,
      };
    },
    async listProviders() {
      const { providers } = await rooms.for(await configuration.load());
      const all = providers.list();
      const areConnected = await Promise.all(all.map(({ id }) => providers.isConnected(id)));
      return { all, connected: all.filter((_, index) => areConnected[index]).map(({ id }) => id) };
    },
    async listResources(_input, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      const listings = config.resources.map(async (spec) =>
        toListing(spec, await resources.describe(spec, { signal })),
      );
      return { resources: await Promise.all(listings) };
    },
    async addResource(spec) {
      const normal = normalizeSpec(spec);
      await configuration.add(normal);
      return normal;
    },
    async removeResource({ name }) {
      await configuration.remove(name);
      return { success: true, name };
    },
    [Symbol.asyncDispose]: () => rooms[Symbol.asyncDispose](),
  };
  return app;
}

async function openLocalRooms(
  config: Config,
  { location, log }: { location: ConfigLocation; log: Log },
): Promise<Rooms> {
  const network = await readNetworkSettings(location);
  for (const warning of network.warnings) log.warn("network", { warning });
  const resources = createResources({
    kinds: ["git", "local", "npm"],
    directory: config.resourcesDirectory,
    refresh: config.refresh,
    allowHosts: config.allowHosts,
    location,
    gitEnvironment: gitEnvironment(location),
    network,
    log,
  });
  const providers = createProviders({
    fetch: createFetch(network),
    credentials: async (_provider, { envVar }) => (envVar === undefined ? undefined : location.env[envVar]),
    options: (provider, { hasKey }) => (hasKey ? config.globalProviderOptions : config.providerOptions)[provider] ?? {},
    log,
  });
  return { resources, providers, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() };
}

interface RoomKeeper extends AsyncDisposable {
  for(config: Config): Promise<Rooms>;
}

/** Keeps the rooms from one operation to the next; those of an earlier configuration stay for the questions that run. */
function createRoomKeeper(open: AppParts["openRooms"]): RoomKeeper {
  const opened: Promise<Rooms>[] = [];
  let current: { key: string; rooms: Promise<Rooms> } | undefined;
  return {
    for(config) {
      const { resourcesDirectory, allowHosts, refresh, providerOptions, globalProviderOptions } = config;
      const key = JSON.stringify([resourcesDirectory, allowHosts, refresh, providerOptions, globalProviderOptions]);
      if (current?.key !== key) {
        current = { key, rooms: open(config) };
        opened.push(current.rooms);
      }
      return current.rooms;
    },
    async [Symbol.asyncDispose]() {
      for (const result of await Promise.allSettled(opened)) {
        if (result.status === "fulfilled") await result.value[Symbol.asyncDispose]();
      }
    },
  };
}

/** Every field of every kind, `null` where it does not apply (spec/wire.md, `GET /resources`). */
function toListing(spec: ResourceSpec, state: StoredState): ResourceListing {
  return {
    type: spec.type,
    name: spec.name,
    url: spec.type === "git" ? spec.url : null,
    branch: spec.type === "git" ? spec.branch : null,
    searchPath: spec.type === "git" ? (spec.searchPath ?? null) : null,
    searchPaths: spec.type === "git" ? (spec.searchPaths ?? null) : null,
    path: spec.type === "local" ? spec.path : null,
    package: spec.type === "npm" ? spec.package : null,
    version: spec.type === "npm" ? (spec.version ?? null) : null,
    specialNotes: spec.specialNotes ?? null,
    ...state,
  };
}
