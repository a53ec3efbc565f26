import { ask } from "./ask/ask.ts";
import { recheckThread } from "./ask/recheck.ts";
import { search } from "./ask/search.ts";
import type { Places } from "./ask/targets.ts";
import { verify } from "./ask/verify.ts";
import {
  addResource,
  type Config,
  type ConfigLocation,
  loadConfig,
  removeResource,
  setModel,
} from "./config/config.ts";
import { gitEnvironment, type NetworkSettings, readNetworkSettings } from "./config/environment.ts";
import { configPaths } from "./config/paths.ts";
import { CitewellError } from "./errors.ts";
import { createFetch } from "./lib/fetch.ts";
import type { Log } from "./lib/log.ts";
import { type Answer, emptyAnswer, foldAnswer, type ModelRef, toQuestionReply } from "./protocol/ask.ts";
import type { SetModel } from "./protocol/config.ts";
import { normalizeSpec } from "./protocol/reference.ts";
import type { Handlers } from "./protocol/operations.ts";
import type { ResourceListing, ResourceSpec } from "./protocol/resource.ts";
import { createCredentials } from "./providers/credentials.ts";
import { createProviders, type Providers } from "./providers/providers.ts";
import { createResources, type Resources } from "./resources/resources.ts";
import type { StoredState } from "./resources/store.ts";
import { createRetrieval } from "./retrieval/retrieval.ts";
import { withCitedLines } from "./threads/cited-lines.ts";
import { createThreadStore, type ThreadStore } from "./threads/threads.ts";

/** One method per operation; disposing of it ends what still runs in the background. */
export interface App extends Handlers, AsyncDisposable {}

/** What an application stands on. A hosted one brings its own: nothing here knows where these come from. */
export interface AppParts {
  configuration: {
    /** What is in force now. Read for each operation, so that a change counts at once and a running question keeps its own. */
    load(): Promise<Config>;
    add(spec: ResourceSpec): Promise<unknown>;
    remove(name: string): Promise<unknown>;
    setModel(choice: SetModel): Promise<{ savedTo: "project" | "global" }>;
  };
  /** The rooms that depend on the configuration; asked for again only when it has changed. */
  openRooms(config: Config): Promise<Rooms>;
  places: Places;
  log: Log;
}

export interface Rooms extends AsyncDisposable {
  resources: Resources;
  providers: Providers;
  threads: ThreadStore;
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
      setModel: (choice) => setModel(location, choice),
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
      const { provider, model, maxSteps, maxTokens, maxCostUsd, providerTimeoutMs, resourcesDirectory } = config;
      const context = {
        ...(await rooms.for(config)),
        modelRef: { provider, model },
        limits: { maxSteps, maxTokens, maxCostUsd, providerTimeoutMs },
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
      const all = await providers.list();
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
    async search(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      return search(request, { configured: config.resources, places, resources, retrieval }, { signal });
    },
    async verify(request, { signal = never } = {}) {
      const config = await configuration.load();
      const { resources } = await rooms.for(config);
      return verify(request, { configured: config.resources, places, resources }, { signal });
    },
    async reloadConfig() {
      const { resources } = await configuration.load();
      return { ok: true, resources: resources.map(({ name }) => name) };
    },
    async clear() {
      const { resources } = await rooms.for(await configuration.load());
      return resources.clear();
    },
    async setModel({ provider, model, providerOptions }, { signal } = {}) {
      const config = await configuration.load();
      const { providers } = await rooms.for(config);
      requireAddress({ provider, model, providerOptions }, config);
      const hint = await checkModel({ provider, model, providerOptions }, providers, { signal });
      const { savedTo } = await configuration.setModel({ provider, model, providerOptions });
      const inForce = await configuration.load();
      const options = inForce.providerOptions[provider];
      return {
        provider,
        model,
        ...(options === undefined ? {} : { providerOptions: options }),
        savedTo,
        ...(hint === undefined ? {} : { hint }),
      };
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
    async listThreads() {
      const { threads } = await rooms.for(await configuration.load());
      return { threads: await threads.list() };
    },
    async getThread({ id }) {
      const { threads } = await rooms.for(await configuration.load());
      return withCitedLines(await threads.read(id), threads);
    },
    async deleteThread({ id }) {
      const { threads } = await rooms.for(await configuration.load());
      await threads.remove(id);
      return { success: true, id };
    },
    async recheckThread({ id }, { signal = never } = {}) {
      const config = await configuration.load();
      const { threads, resources } = await rooms.for(config);
      return recheckThread(await threads.read(id), { configured: config.resources, places, resources }, { signal });
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
  const providers = createLocalProviders(config, { location, network, log });
  const threads = createThreadStore({ dataDirectory: config.dataDirectory });
  return { resources, providers, threads, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() };
}

/** The providers as one user on one machine has them; `connect`, `disconnect` and `doctor` need nothing else. */
export function createLocalProviders(
  { providerOptions, globalProviderOptions }: Pick<Config, "providerOptions" | "globalProviderOptions">,
  { location, network, log }: { location: ConfigLocation; network: NetworkSettings; log: Log },
): Providers {
  const { authFile, connectionsFile } = configPaths(location);
  return createProviders({
    fetch: createFetch(network),
    credentials: createCredentials({ file: authFile, connectionsFile, env: location.env, log }),
    options: (provider, { hasKey }) => (hasKey ? globalProviderOptions : providerOptions)[provider] ?? {},
    log,
  });
}

/** `openai-compat` is nobody in particular: it must be told, now or before, where the server is and what it is called. */
function requireAddress({ provider, providerOptions }: SetModel, config: Config): void {
  if (provider !== "openai-compat") return;
  const { baseURL, name } = { ...config.providerOptions[provider], ...providerOptions };
  const missing = [...(baseURL === undefined ? ["baseURL"] : []), ...(name === undefined ? ["name"] : [])];
  if (missing.length === 0) return;
  throw new CitewellError(
    "InvalidRequest",
    `providerOptions: ${missing.join(" and ")} missing: openai-compat needs both`,
    {
      hint: 'send "providerOptions": { "baseURL": "http://127.0.0.1:11434/v1", "name": "ollama" }',
    },
  );
}

/** What to say where the model could not be checked. @throws ProviderNotFound, ModelNotFound */
export async function checkModel(
  { provider, model, providerOptions }: SetModel,
  providers: Providers,
  { signal }: { signal: AbortSignal | undefined },
): Promise<string | undefined> {
  const check = await providers.checkModel({ provider, model }, { options: providerOptions, signal });
  switch (check.type) {
    case "served":
      return undefined;
    case "unchecked":
      return `the model was not checked: ${check.reason}`;
    case "not-served":
      throw new CitewellError("ModelNotFound", `the provider ${provider} has no model ${JSON.stringify(model)}`, {
        hint: check.nearest.length === 0 ? "look at its list of models" : `did you mean ${check.nearest.join(" or ")}?`,
      });
  }
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
