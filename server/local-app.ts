import { type App, createApp, type Rooms } from "./app.ts";
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
import { createFetch } from "./lib/fetch.ts";
import type { Log } from "./lib/log.ts";
import type { ModelRef } from "./protocol/ask.ts";
import { createCredentials } from "./providers/credentials.ts";
import { createProviders, type Providers } from "./providers/providers.ts";
import { createResources } from "./resources/resources.ts";
import { createThreadStore } from "./threads/threads.ts";

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
